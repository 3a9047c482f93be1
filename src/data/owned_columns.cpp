// SPDX-License-Identifier: Apache-2.0
#include "data/owned_columns.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace dorm {
namespace {

// Empty when the documents stand in input order already.
std::vector<std::uint64_t> source_ranks(const Dataset& data) {
  const std::size_t documents = data.num_documents();
  std::vector<std::uint64_t> rows(documents);
  for (std::size_t d = 0; d < documents; ++d) rows[d] = data.source_row(d);
  if (std::is_sorted(rows.begin(), rows.end())) return {};
  std::vector<std::uint64_t> order(documents);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t x, std::uint64_t y) { return rows[x] < rows[y]; });
  for (std::size_t rank = 0; rank < documents; ++rank) rows[order[rank]] = rank;
  return rows;
}

void gather_groups(const Dataset& data, OwnedColumns& out) {
  std::unordered_map<std::string_view, std::uint32_t> number{{std::string_view{}, 0}};
  for (std::size_t d = 0; d < data.num_documents(); ++d) {
    const std::string_view group = data.group(d);
    const auto [entry, added] = number.try_emplace(group, static_cast<std::uint32_t>(number.size()));
    if (added) out.group_names.push_back(group);
    out.group_of.push_back(entry->second);
  }
}

}  // namespace

void OwnedColumns::attach(Storage& storage) const {
  storage.labels = labels;
  storage.labelled = labelled;
  storage.source_rows = source_rows;
  storage.document_ids = document_ids.view();
  storage.group_of = group_of;
  storage.group_names = group_names.view();
  storage.query_end = query_end;
  storage.query_ids = query_ids.view();
  storage.query_weights = query_weights;
  storage.feature_names = feature_names.view();
  storage.first_feature_id = first_feature_id;
  storage.feature_numbers = feature_numbers;
  storage.feature_range = feature_range;
  storage.input = input;
}

OwnedColumns gather_columns(const Dataset& data) {
  OwnedColumns out;
  out.labels.reserve(data.num_documents());
  out.labelled = data.has_labels();
  bool weighted = false;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    out.labels.insert(out.labels.end(), query.labels.begin(), query.labels.end());
    out.query_end.push_back(out.labels.size());
    out.query_ids.push_back(query.id);
    out.query_weights.push_back(query.weight);
    weighted = weighted || query.weight != 1.0;
  }
  if (!weighted) out.query_weights.clear();
  out.source_rows = source_ranks(data);
  if (data.has_document_ids())
    for (std::size_t d = 0; d < data.num_documents(); ++d) out.document_ids.push_back(data.document_id(d));
  if (data.has_groups()) gather_groups(data, out);
  if (data.has_feature_names())
    for (std::size_t j = 0; j < data.num_features(); ++j) out.feature_names.push_back(data.feature_name(j));
  out.first_feature_id = data.first_feature_id();
  const std::span<const std::uint32_t> numbers = data.storage().feature_numbers;
  out.feature_numbers.assign(numbers.begin(), numbers.end());
  out.feature_range = data.storage().feature_range;
  out.input = data.storage().input;
  return out;
}

}  // namespace dorm
