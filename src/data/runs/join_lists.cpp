// SPDX-License-Identifier: Apache-2.0
// The lists of one query as rows of comparable values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/numeric.h"
#include "base/quote.h"
#include "data/runs/document_numbers.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

constexpr double kShareBelow = 0.25;  // of the range of a list

struct Range {
  double low = 0, high = 0;
};

Range range_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

void standardise(std::span<double> values) {
  CompensatedSum sum, squares;
  for (const double x : values) sum.add(x);
  const double mean = sum.value() / real(values.size());
  for (const double x : values) squares.add((x - mean) * (x - mean));
  const double deviation = std::sqrt(squares.value() / real(values.size()));
  for (double& x : values) x = (x - mean) / deviation;
}

/// Values of what is listed, and the one for the rest.
struct Column {
  std::vector<double> values;
  double absent = 0;
};

Column comparable(std::vector<double> scores, const FusionInput& input) {
  Column column{std::move(scores)};
  std::vector<double>& values = column.values;
  if (input.scale == FusionScale::rank) {
    const std::vector<std::size_t> rank = ranks_of_scores(values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (kRankConstant + 1) / (kRankConstant + real(rank[i]));
    return column;
  }
  const Range raw = range_of(values);
  const double width = raw.high / 2 - raw.low / 2;  // half of it: the whole might overflow
  if (input.scale != FusionScale::none && !(width > 0)) {
    std::fill(values.begin(), values.end(), 1.0);
    column.absent = input.absent == Absent::below ? -kShareBelow : 0;
    return column;
  }
  if (input.scale == FusionScale::minmax)
    for (double& x : values) x = (x / 2 - raw.low / 2) / width;
  else if (input.scale == FusionScale::zscore)
    standardise(values);
  const Range range = range_of(values);
  column.absent = range.low - (input.absent == Absent::below ? kShareBelow * (range.high - range.low) : 0);
  return column;
}

Column column_of(std::vector<double> scores, std::size_t number, const FusionInput& input, const ColumnRule& rule) {
  Column column{std::move(scores)};
  if (column.values.empty()) return column;
  if (!rule) return comparable(std::move(column.values), input);
  column.absent = rule(column.values, number);
  return column;
}

/// Which rows of the joined lists those of each list are.
struct Rows {
  DocumentNumbers numbers;
  std::vector<std::vector<std::uint32_t>> of_list;
};

Rows number_documents(std::span<const std::vector<ListedDocument>> lists, const FusionInput& input) {
  std::size_t most = 0;
  for (std::size_t r = 0; r < input.runs.size(); ++r) most += lists[r].size();
  Rows rows{DocumentNumbers(most), {}};
  rows.of_list.resize(lists.size());
  std::vector<std::size_t> last_list;  // by document: the last one that has it, counted from 1
  last_list.reserve(most);
  for (std::size_t r = 0; r < lists.size(); ++r) {
    rows.of_list[r].reserve(lists[r].size());
    for (const ListedDocument& each : lists[r]) {
      if (!std::isfinite(each.score))
        throw Error(ErrorCode::bad_input, fmt::format("{}: document {} has the score {}; expected a finite number",
                                                      input.list_names()[r], in_quotes(each.document), each.score));
      const bool run = r < input.runs.size();
      const std::uint32_t row = run ? rows.numbers.add(each.document) : rows.numbers.find(each.document);
      rows.of_list[r].push_back(row);
      if (row == DocumentNumbers::kNone) continue;
      if (row == last_list.size()) last_list.push_back(0);
      if (last_list[row] == r + 1)
        throw Error(ErrorCode::bad_input, fmt::format("{}: document {} is listed twice; expected each document once",
                                                      input.list_names()[r], in_quotes(each.document)));
      last_list[row] = r + 1;
    }
  }
  return rows;
}

/// Float32, as data sets have it; -0 becomes 0.
float stored(double value, const FusionInput& input, std::size_t list) {
  const auto narrow = static_cast<float>(value) + 0.0f;
  if (!std::isfinite(narrow))
    throw Error(ErrorCode::bad_input, fmt::format("{}: the score {} is beyond the range of float32; expected less, or "
                                                  "scores that are scaled",
                                                  input.list_names()[list], value));
  return narrow;
}

/// The products of runs and query features, behind the columns of the lists.
void add_products(const FusionInput& input, std::span<const double> shares, std::vector<float>& values) {
  const std::size_t columns = input.num_columns(), runs = input.runs.size();
  for (std::size_t row = 0; row < values.size(); row += columns) {
    std::size_t column = row + input.num_lists();
    for (const double share : shares)
      for (const double factor : {share, 1 - share})
        for (std::size_t r = 0; r < runs; ++r)
          values[column++] = static_cast<float>(factor * static_cast<double>(values[row + r]));
  }
}

}  // namespace

std::vector<std::size_t> ranks_of_scores(std::span<const double> scores) {
  std::vector<std::size_t> rank(scores.size());
  std::iota(rank.begin(), rank.end(), std::size_t{1});
  if (std::is_sorted(scores.begin(), scores.end(), std::greater<>())) return rank;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k + 1;
  return rank;
}

JoinedLists join_lists(std::span<const std::vector<ListedDocument>> lists, const FusionInput& input,
                       std::span<const double> shares, const ColumnRule& rule) {
  if (lists.size() != input.num_lists() || shares.size() != input.query_features.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} lists and {} query features; expected {} and {}", lists.size(),
                                                  shares.size(), input.num_lists(), input.query_features.size()));
  const Rows rows = number_documents(lists, input);
  const std::size_t documents = rows.numbers.size(), columns = input.num_columns();
  JoinedLists joined;
  joined.documents = rows.numbers.ids();
  joined.values.resize(documents * columns);
  joined.reciprocal_rank.assign(documents, 0);
  for (std::size_t r = 0; r < lists.size(); ++r) {
    std::vector<double> scores;
    std::vector<std::uint32_t> listed;
    for (std::size_t i = 0; i < lists[r].size(); ++i)
      if (rows.of_list[r][i] != DocumentNumbers::kNone) {
        // Features are float32 wherever they come from, as data sets have them.
        scores.push_back(r < input.runs.size() ? lists[r][i].score
                                               : static_cast<double>(static_cast<float>(lists[r][i].score)));
        listed.push_back(rows.of_list[r][i]);
      }
    if (r < input.runs.size()) {
      const std::vector<std::size_t> rank = ranks_of_scores(scores);
      for (std::size_t i = 0; i < listed.size(); ++i)
        joined.reciprocal_rank[listed[i]] += 1 / (kRankConstant + real(rank[i]));
    }
    const Column column = column_of(std::move(scores), r, input, rule);
    const float absent = stored(column.absent, input, r);
    for (std::size_t d = 0; d < documents; ++d) joined.values[d * columns + r] = absent;
    for (std::size_t i = 0; i < listed.size(); ++i)
      joined.values[listed[i] * columns + r] = stored(column.values[i], input, r);
  }
  if (!shares.empty()) add_products(input, shares, joined.values);
  return joined;
}

}  // namespace dorm
