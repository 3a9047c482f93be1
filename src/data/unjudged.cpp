// SPDX-License-Identifier: Apache-2.0
// What becomes of documents that were not judged.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/page_buffer.h"
#include "data/owned_columns.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 4> kUnjudged = {{
    {.name = "grade", .usage = "grade", .help = "stay: their labels count as grades below 0"},
    {.name = "bad", .usage = "bad", .help = "become label 0, as measures take them"},
    {.name = "drop", .usage = "drop", .help = "are left out"},
    {.name = "auto", .usage = "auto", .help = "bad where labels are whole numbers and none is below -1, else grade"},
}};

Dataset as_bad(const Dataset& data) {
  std::vector<float> labels(data.storage().labels.begin(), data.storage().labels.end());
  for (float& label : labels) label = std::max(label, 0.0f);
  return data.with_labels(labels);
}

struct Judged {
  OwnedColumns columns;
  PageBuffer<float> values;            // dense rows
  std::vector<float> compressed;       // or the values of the CSR form
  std::vector<std::uint32_t> indices;  // their columns
  std::vector<std::uint64_t> row_end;
};

/// The columns of the documents that were judged, and of the queries that have some.
OwnedColumns keep_judged(OwnedColumns all) {
  OwnedColumns kept;
  kept.labelled = all.labelled;
  std::vector<std::uint64_t> rank(all.source_rows.size());  // by source row: how many judged rows stand before it
  for (std::size_t d = 0; d < rank.size(); ++d) rank[all.source_rows[d]] = all.labels[d] >= 0 ? 1 : 0;
  std::exclusive_scan(rank.begin(), rank.end(), rank.begin(), std::uint64_t{0});
  std::uint64_t first = 0;
  for (std::size_t q = 0; q < all.query_end.size(); ++q) {
    const std::size_t before = kept.labels.size();
    for (std::uint64_t d = first; d < all.query_end[q]; ++d) {
      if (all.labels[d] < 0) continue;
      kept.labels.push_back(all.labels[d]);
      if (!all.source_rows.empty()) kept.source_rows.push_back(rank[all.source_rows[d]]);
      if (!all.document_ids.empty()) kept.document_ids.push_back(all.document_ids[d]);
      if (!all.group_of.empty()) kept.group_of.push_back(all.group_of[d]);
    }
    first = all.query_end[q];
    if (kept.labels.size() == before) continue;
    kept.query_end.push_back(kept.labels.size());
    kept.query_ids.push_back(all.query_ids[q]);
    if (!all.query_weights.empty()) kept.query_weights.push_back(all.query_weights[q]);
  }
  kept.group_names = std::move(all.group_names);
  kept.feature_names = std::move(all.feature_names);
  kept.first_feature_id = all.first_feature_id;
  kept.feature_numbers = std::move(all.feature_numbers);
  kept.feature_range = all.feature_range;
  kept.input = std::move(all.input);
  return kept;
}

void keep_judged_rows(const Dataset& data, std::uint64_t stride, Judged& out) {
  if (data.dense()) out.values = PageBuffer<float>(out.columns.labels.size() * stride);
  float* next = out.values.data();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      if (query.labels[i] < 0) continue;
      if (data.dense()) {
        std::copy_n(query.rows.dense_row(i), data.num_features(), next);
        next += stride;
        continue;
      }
      const SparseRow row = query.rows.sparse_row(i);
      out.compressed.insert(out.compressed.end(), row.values.begin(), row.values.end());
      out.indices.insert(out.indices.end(), row.columns.begin(), row.columns.end());
      out.row_end.push_back(out.compressed.size());
    }
  }
  data.require_intact();
}

Dataset without_unjudged(const Dataset& data) {
  auto owner = std::make_shared<Judged>();
  owner->columns = keep_judged(gather_columns(data));
  if (owner->columns.labels.empty())
    throw Error(ErrorCode::bad_input,
                "no document has a judgment: all labels are negative; expected labels of 0 or more");
  auto storage = std::make_shared<Storage>();
  storage->dense = data.dense();
  storage->num_features = data.num_features();
  storage->stride = data.dense() ? dense_stride(data.num_features()) : 0;
  keep_judged_rows(data, storage->stride, *owner);
  owner->columns.attach(*storage);
  storage->values = data.dense() ? owner->values.span() : std::span<const float>(owner->compressed);
  storage->columns = owner->indices;
  storage->row_end = owner->row_end;
  storage->owner = std::move(owner);
  return Dataset(std::move(storage));
}

}  // namespace

std::span<const CatalogEntry> unjudged_catalog() { return kUnjudged; }
std::string_view name_of(Unjudged rule) { return kUnjudged[static_cast<std::size_t>(rule)].name; }

Unjudged parse_unjudged(std::string_view name) {
  for (std::size_t i = 0; i < kUnjudged.size(); ++i)
    if (kUnjudged[i].name == name) return static_cast<Unjudged>(i);
  throw_unknown_name("treatment of unjudged documents", name, kUnjudged);
}

Unjudged settle_unjudged(Unjudged rule, std::span<const float> labels) {
  if (rule != Unjudged::automatic) return rule;
  const bool graded =
      std::all_of(labels.begin(), labels.end(), [](float label) { return label >= -1 && std::floor(label) == label; });
  return graded ? Unjudged::bad : Unjudged::grade;
}

Dataset with_unjudged(const Dataset& data, Unjudged rule, std::size_t* changed) {
  const std::span<const float> labels = data.storage().labels;
  const Unjudged settled = settle_unjudged(rule, labels);
  const auto unjudged = std::count_if(labels.begin(), labels.end(), [](float label) { return label < 0; });
  if (changed != nullptr) *changed = settled == Unjudged::grade ? 0 : static_cast<std::size_t>(unjudged);
  if (settled == Unjudged::grade || unjudged == 0) return data;
  if (data.num_queries() != data.storage().query_end.size())
    throw Error(ErrorCode::unsupported, "a selection of queries cannot be relabelled; treat the whole");
  return settled == Unjudged::bad ? as_bad(data) : without_unjudged(data);
}

}  // namespace dorm
