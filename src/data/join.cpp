// SPDX-License-Identifier: Apache-2.0
// Several sets as one: labels and names are copied, features stay where they are.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/quote.h"
#include "data/owned_columns.h"
#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

struct Joined {
  OwnedColumns columns;
  std::vector<JoinedPart> parts;
};

std::string part_name(const Dataset& part, std::size_t index) {
  return part.storage().file.empty() ? fmt::format("part {}", index + 1) : part.storage().file;
}

// What is different about the features, or the reading, of two parts; empty: nothing.
std::string difference(const Dataset& a, const Dataset& b) {
  if (a.feature_range() != b.feature_range() || a.num_features() != b.num_features())
    return fmt::format("{} features, and {} before", b.num_features(), a.num_features());
  if (a.dense() != b.dense())
    return fmt::format("{} features, and {} before", b.dense() ? "dense" : "compressed",
                       a.dense() ? "dense" : "compressed");
  for (std::size_t j = 0; j < a.num_features(); ++j)
    if (a.feature_name(j) != b.feature_name(j))
      return fmt::format("the feature {} in column {}, and {} before", in_quotes(b.feature_name(j)), j + 1,
                         in_quotes(a.feature_name(j)));
  if (a.has_labels() != b.has_labels())
    return b.has_labels() ? "labels, and none before" : "no labels, and some before";
  if (a.input() != b.input()) return "other columns or another treatment of missing values than before";
  return "";
}

using GroupNumbers = std::unordered_map<std::string_view, std::uint32_t>;

void add_groups(const Dataset& part, GroupNumbers& numbers, OwnedColumns& out) {
  for (std::size_t d = 0; d < part.num_documents(); ++d) {
    const auto [entry, added] = numbers.try_emplace(part.group(d), static_cast<std::uint32_t>(numbers.size()));
    if (added) out.group_names.push_back(part.group(d));
    out.group_of.push_back(entry->second);
  }
}

void add_documents(const Dataset& part, bool ids, OwnedColumns& out) {
  const std::uint64_t rows = out.source_rows.size();
  for (std::size_t q = 0; q < part.num_queries(); ++q) {
    const Query query = part.query(q);
    out.labels.insert(out.labels.end(), query.labels.begin(), query.labels.end());
    out.query_end.push_back(out.labels.size());
    out.query_ids.push_back(query.id);
    out.query_weights.push_back(query.weight);
  }
  for (std::size_t d = 0; d < part.num_documents(); ++d) {
    out.source_rows.push_back(rows + part.source_row(d));
    if (ids) out.document_ids.push_back(part.document_id(d));
  }
}

void check_queries(const std::vector<JoinedPart>& parts) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t q = 0; q < parts[p].data.num_queries(); ++q) {
      const std::string_view id = parts[p].data.query(q).id;
      if (const auto [entry, added] = seen.try_emplace(id, p); !added)
        throw Error(ErrorCode::bad_input,
                    fmt::format("the query {} is in {} and in {}; expected each query in one file", in_quotes(id),
                                part_name(parts[entry->second].data, entry->second), part_name(parts[p].data, p)));
    }
}

}  // namespace

Dataset join(std::vector<Dataset> parts) {
  if (parts.size() == 1) return parts.front();
  auto joined = std::make_shared<Joined>();
  const auto any = [&](bool (Dataset::*has)() const) {
    return std::any_of(parts.begin(), parts.end(), [&](const Dataset& part) { return (part.*has)(); });
  };
  const bool ids = any(&Dataset::has_document_ids), groups = any(&Dataset::has_groups);
  GroupNumbers numbers{{std::string_view(), 0}};
  auto storage = std::make_shared<Storage>();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (const std::string found = difference(parts.front(), parts[p]); !found.empty())
      throw Error(ErrorCode::bad_input,
                  fmt::format("{} has {}; expected parts that are alike", part_name(parts[p], p), found));
    if (parts[p].num_queries() == 0) continue;
    joined->parts.push_back({parts[p], joined->columns.query_end.size()});
    add_documents(parts[p], ids, joined->columns);
    if (groups) add_groups(parts[p], numbers, joined->columns);
  }
  check_queries(joined->parts);
  OwnedColumns& columns = joined->columns;
  if (std::all_of(columns.query_weights.begin(), columns.query_weights.end(), [](double w) { return w == 1; }))
    columns.query_weights.clear();
  columns.attach(*storage);
  if (!parts.empty()) {
    const Storage& first = parts.front().storage();
    storage->dense = first.dense;
    storage->num_features = first.num_features;
    storage->stride = first.stride;
    storage->labelled = first.labelled;
    storage->feature_names = first.feature_names;
    storage->first_feature_id = first.first_feature_id;
    storage->feature_numbers = first.feature_numbers;
    storage->feature_range = first.feature_range;
    storage->input = first.input;
    joined->parts.push_back({parts.front(), columns.query_end.size()});  // keeps these; past the last query
  }
  storage->parts = std::span(joined->parts);
  storage->owner = std::move(joined);
  return Dataset(std::move(storage));
}

}  // namespace dorm
