// SPDX-License-Identifier: Apache-2.0
// Data in parts that do not depend on how it was given: an order of queries and documents that follows from their
// content, and the shard that each query belongs to.
#include <algorithm>
#include <compare>
#include <numeric>

#include "base/checksum.h"
#include "base/page_buffer.h"
#include "base/parallel.h"
#include "data/owned_columns.h"
#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

std::partial_ordering compare_stored(const SparseRow& a, const SparseRow& b) {
  constexpr std::uint32_t kEnd = UINT32_MAX;
  std::size_t s = 0, t = 0;
  while (s < a.columns.size() || t < b.columns.size()) {
    const std::uint32_t left = s < a.columns.size() ? a.columns[s] : kEnd;
    const std::uint32_t right = t < b.columns.size() ? b.columns[t] : kEnd;
    const float x = left <= right ? a.values[s++] : 0.0f;
    const float y = right <= left ? b.values[t++] : 0.0f;
    if (x != y) return x <=> y;
  }
  return std::partial_ordering::equivalent;
}

// Column by column; the same in either form of the rows.
std::partial_ordering compare_features(const FeatureRows& rows, std::size_t i, std::size_t j) {
  if (!rows.dense()) return compare_stored(rows.sparse_row(i), rows.sparse_row(j));
  const float* const a = rows.dense_row(i);
  const float* const b = rows.dense_row(j);
  return std::lexicographical_compare_three_way(a, a + rows.num_features(), b, b + rows.num_features());
}

// The order of the documents of query q, by their places in it; empty: their order in it.
std::vector<std::uint32_t> document_order(const Dataset& data, std::size_t q) {
  const Query query = data.query(q);
  std::vector<std::string_view> ids(data.has_document_ids() ? query.size() : 0);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = data.document_id(query.first_document + i);
  const auto before = [&](std::uint32_t i, std::uint32_t j) {
    if (!ids.empty() && ids[i] != ids[j]) return ids[i] < ids[j];
    const std::partial_ordering features = compare_features(query.rows, i, j);
    if (features != std::partial_ordering::equivalent) return std::is_lt(features);
    if (query.labels[i] != query.labels[j]) return query.labels[i] < query.labels[j];
    return data.group(query.first_document + i) < data.group(query.first_document + j);
  };
  std::vector<std::uint32_t> order(query.size());
  std::iota(order.begin(), order.end(), 0u);
  if (std::is_sorted(order.begin(), order.end(), before)) return {};
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

// By document of the new order, where it stood.
std::vector<std::size_t> documents_in_order(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& order) {
  std::vector<std::size_t> from(data.num_documents());
  std::iota(from.begin(), from.end(), std::size_t{0});
  for (std::size_t q = 0; q < order.size(); ++q)
    for (std::size_t i = 0; i < order[q].size(); ++i)
      from[data.first_document(q) + i] = data.first_document(q) + order[q][i];
  return from;
}

struct OrderedBlock {
  OwnedColumns columns;
  PageBuffer<float> values;
  PageBuffer<std::uint32_t> indices;
  std::vector<std::uint64_t> row_end;
};

void order_columns(const Dataset& data, const std::vector<std::size_t>& from, OwnedColumns& columns) {
  const OwnedColumns old = columns;
  columns.source_rows.resize(from.size());
  columns.document_ids = {};
  columns.group_names = {};
  std::vector<std::uint32_t> group_number(old.group_names.size() + 1, 0);  // in order of appearance; 0: not seen yet
  for (std::size_t d = 0; d < from.size(); ++d) {
    columns.labels[d] = old.labels[from[d]];
    columns.source_rows[d] = data.source_row(from[d]);
    if (!old.document_ids.empty()) columns.document_ids.push_back(old.document_ids[from[d]]);
    if (old.group_of.empty()) continue;
    const std::uint32_t group = old.group_of[from[d]];
    if (group != 0 && group_number[group] == 0) {
      columns.group_names.push_back(old.group_names[group - 1]);
      group_number[group] = static_cast<std::uint32_t>(columns.group_names.size());
    }
    columns.group_of[d] = group_number[group];
  }
}

// body(document of the new order, the rows that hold it, its place among them).
template <class Body>
void for_ordered_rows(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& order, std::size_t threads,
                      const Body& body) {
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      body(query.first_document + i, query.rows, order[q].empty() ? i : order[q][i]);
  });
}

void copy_features(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& order, std::size_t threads,
                   OrderedBlock& out) {
  if (data.dense()) {
    const std::uint64_t stride = dense_stride(data.num_features());
    out.values = PageBuffer<float>(data.num_documents() * stride);
    for_ordered_rows(data, order, threads, [&](std::size_t d, const FeatureRows& rows, std::size_t i) {
      std::copy_n(rows.dense_row(i), data.num_features(), out.values.data() + d * stride);
    });
    return;
  }
  out.row_end.resize(data.num_documents());
  for_ordered_rows(data, order, threads, [&](std::size_t d, const FeatureRows& rows, std::size_t i) {
    out.row_end[d] = rows.sparse_row(i).values.size();
  });
  std::inclusive_scan(out.row_end.begin(), out.row_end.end(), out.row_end.begin());
  out.values = PageBuffer<float>(data.num_nonzeros());
  out.indices = PageBuffer<std::uint32_t>(data.num_nonzeros());
  for_ordered_rows(data, order, threads, [&](std::size_t d, const FeatureRows& rows, std::size_t i) {
    const SparseRow row = rows.sparse_row(i);
    const std::uint64_t at = out.row_end[d] - row.values.size();
    std::copy(row.values.begin(), row.values.end(), out.values.data() + at);
    std::copy(row.columns.begin(), row.columns.end(), out.indices.data() + at);
  });
}

Dataset with_documents_ordered(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& order,
                               std::size_t threads) {
  auto block = std::make_shared<OrderedBlock>();
  block->columns = gather_columns(data);
  order_columns(data, documents_in_order(data, order), block->columns);
  copy_features(data, order, threads, *block);
  data.require_intact();
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->dense = data.dense();
  storage->num_features = data.num_features();
  storage->stride = data.dense() ? dense_stride(data.num_features()) : 0;
  storage->values = block->values.span();
  storage->columns = block->indices.span();
  storage->row_end = block->row_end;
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

Dataset with_queries_ordered(const Dataset& data) {
  std::vector<std::string_view> ids;
  for (std::size_t q = 0; q < data.num_queries(); ++q) ids.push_back(data.query(q).id);
  if (std::is_sorted(ids.begin(), ids.end())) return data;
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return data.select(order);
}

}  // namespace

std::uint32_t shard_of(std::string_view query_id, std::size_t num_shards) {
  if (num_shards == 0 || num_shards > UINT32_MAX)
    throw Error(ErrorCode::bad_option, "expected a number of shards from 1 to 4294967295");
  return static_cast<std::uint32_t>(checksum(std::as_bytes(std::span(query_id))) % num_shards);
}

Dataset in_canonical_order(const Dataset& data, std::size_t threads) {
  if (!data.storage().background_end.empty())
    throw Error(ErrorCode::unsupported,
                "scaled data in compressed form cannot be ordered; order it before it is scaled");
  const Dataset by_query = with_queries_ordered(data);
  std::vector<std::vector<std::uint32_t>> order(by_query.num_queries());
  parallel_for(order.size(), threads, [&](std::size_t q, std::size_t) { order[q] = document_order(by_query, q); });
  by_query.require_intact();
  const bool ordered = std::all_of(order.begin(), order.end(), [](const auto& of_query) { return of_query.empty(); });
  return ordered ? by_query : with_documents_ordered(by_query, order, threads);
}

std::vector<Dataset> queries_of_shards(const Dataset& data, std::size_t num_shards) {
  std::vector<std::vector<std::size_t>> queries(num_shards);
  for (std::size_t q = 0; q < data.num_queries(); ++q) queries[shard_of(data.query(q).id, num_shards)].push_back(q);
  std::vector<Dataset> shards;
  shards.reserve(num_shards);
  for (const std::vector<std::size_t>& of_shard : queries) shards.push_back(data.select(of_shard));
  return shards;
}

std::vector<Dataset> split_into_shards(const Dataset& data, std::size_t num_shards, std::size_t threads) {
  return queries_of_shards(in_canonical_order(data, threads), num_shards);
}

}  // namespace dorm
