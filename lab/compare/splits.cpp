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

/// The numbers of the columns of any part.
std::vector<std::uint32_t> common_numbers(std::span<const Dataset> parts) {
  std::vector<std::uint32_t> numbers;
  for (const Dataset& part : parts)
    for (std::size_t j = 0; j < part.num_features(); ++j) numbers.push_back(part.feature_number(j));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void add_document(const Dataset& data, const Place& place, std::span<const std::uint32_t> numbers,
                  DatasetBuilder& builder) {
  const Query query = data.query(place.query);
  const DatasetBuilder::Document document{query.labels[place.index], query.id, data.document_id(place.document),
                                          data.group(place.document)};
  if (!query.rows.dense()) {
    const SparseRow row = query.rows.sparse_row(place.index);
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t column : row.columns) {
      const auto found = std::lower_bound(numbers.begin(), numbers.end(), data.feature_number(column));
      columns.push_back(static_cast<std::uint32_t>(found - numbers.begin()));
    }
    builder.add(document, SparseRow{columns, row.values});
    return;
  }
  std::vector<float> row(query.rows.dense_row(place.index), query.rows.dense_row(place.index) + data.num_features());
  row.resize(numbers.size(), 0.0f);
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
  const std::vector<std::uint32_t> numbers = common_numbers(parts);
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
        throw Error(ErrorCode::bad_input,
                    fmt::format("query \"{}\" is in parts {} and {}; expected each query in one part", query.id,
                                found->second + 1, k + 1));
      builder.set_query_weight(query.id, query.weight);
    }
    for (const Place& place : in_file_order(part)) add_document(part, place, numbers, builder);
    begin.push_back(begin.back() + part.num_queries());
  }
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers)
    names.push_back(std::to_string(std::uint64_t{number} + parts[0].first_feature_id()));
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
