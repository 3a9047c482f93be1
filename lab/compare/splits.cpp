// SPDX-License-Identifier: Apache-2.0
// Data sets put together and cut into what trains, what chooses and what judges.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "dorm/error.h"
#include "dorm/lab/comparison.h"

namespace dorm {
namespace {

/// Every document with its query, in the order of the file it came from.
struct Place {
  std::uint64_t row;
  std::size_t query, index, document;
};

std::vector<Place> in_file_order(const Dataset& data) {
  std::vector<Place> places;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i) {
      const std::size_t document = data.first_document(q) + i;
      places.push_back({data.source_row(document), q, i, document});
    }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.row < b.row; });
  return places;
}

void add_document(const Dataset& data, const Place& place, std::size_t width, DatasetBuilder& builder) {
  const Query query = data.query(place.query);
  const DatasetBuilder::Document document{query.labels[place.index], query.id, data.document_id(place.document),
                                          data.group(place.document)};
  if (!query.rows.dense()) {
    builder.add(document, query.rows.sparse_row(place.index));
    return;
  }
  std::vector<float> row(query.rows.dense_row(place.index), query.rows.dense_row(place.index) + data.num_features());
  row.resize(width, 0.0f);
  builder.add(document, row);
}

std::vector<std::string> feature_names(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  return names;
}

void require_same_features(const Dataset& first, const Dataset& other, std::size_t part) {
  const bool same = first.has_feature_names() == other.has_feature_names() &&
                    first.first_feature_id() == other.first_feature_id() && first.dense() == other.dense() &&
                    (!first.has_feature_names() || feature_names(first) == feature_names(other));
  if (!same)
    throw Error(ErrorCode::bad_input,
                fmt::format("part {} has other features than part 1; expected the same names or numbering", part + 1));
}

}  // namespace

Concatenation concatenate(std::span<const Dataset> parts) {
  if (parts.size() == 1) return {parts[0], {0, parts[0].num_queries()}};
  std::size_t width = 0;
  for (const Dataset& part : parts) width = std::max(width, part.num_features());
  DatasetBuilder builder;
  std::vector<std::size_t> begin = {0};
  std::unordered_map<std::string, std::size_t> part_of;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Dataset& part = parts[k];
    require_same_features(parts[0], part, k);
    for (std::size_t q = 0; q < part.num_queries(); ++q) {
      const Query query = part.query(q);
      const auto [found, fresh] = part_of.emplace(query.id, k);
      if (!fresh)
        throw Error(ErrorCode::bad_input, fmt::format("query \"{}\" stands in parts {} and {}; expected each in one",
                                                      query.id, found->second + 1, k + 1));
      builder.set_query_weight(query.id, query.weight);
    }
    for (const Place& place : in_file_order(part)) add_document(part, place, width, builder);
    begin.push_back(begin.back() + part.num_queries());
  }
  std::vector<std::string> names(width);
  if (!parts[0].has_feature_names())
    for (std::size_t j = 0; j < width; ++j) names[j] = std::to_string(j + parts[0].first_feature_id());
  builder.set_feature_names(parts[0].has_feature_names() ? feature_names(parts[0]) : names);
  return {builder.finish(), begin};
}

std::vector<DataSplit> rotate(const Dataset& data, const std::vector<std::vector<std::size_t>>& parts) {
  const std::size_t k = parts.size();
  if (k < 3)
    throw Error(ErrorCode::bad_option,
                fmt::format("{} parts of the queries; expected at least 3: to train, to choose, to test", k));
  std::vector<DataSplit> splits;
  for (std::size_t first = 0; first < k; ++first) {
    std::vector<std::size_t> train;
    for (std::size_t step = 0; step + 2 < k; ++step) {
      const std::vector<std::size_t>& part = parts[(first + step) % k];
      train.insert(train.end(), part.begin(), part.end());
    }
    splits.push_back(
        {data.select(train), data.select(parts[(first + k - 2) % k]), data.select(parts[(first + k - 1) % k])});
  }
  return splits;
}

}  // namespace dorm
