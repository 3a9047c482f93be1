// SPDX-License-Identifier: Apache-2.0
// The lists of one query as rows of comparable values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/numeric.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"

namespace dorm {
namespace {

// clang-format off
constexpr std::array kScales{
    CatalogEntry{"minmax", "minmax", "per query and run: lowest score 0, highest 1"},
    CatalogEntry{"zscore", "zscore", "per query and run: mean 0, standard deviation 1"},
    CatalogEntry{"rank", "rank", "61 / (60 + rank), 0 where not listed: weighted reciprocal rank fusion"},
    CatalogEntry{"none", "none", "scores as they are"},
};
constexpr std::array kAbsent{
    CatalogEntry{"minimum", "minimum", "the least value of the run in that query"},
    CatalogEntry{"below", "below", "a quarter of the run's range below it"},
};
// clang-format on

template <class Name>
std::size_t place_of(std::string_view kind, std::string_view name, const Name& catalog) {
  for (std::size_t i = 0; i < catalog.size(); ++i)
    if (catalog[i].name == name) return i;
  throw_unknown_name(kind, name, catalog);
}

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

void check_list(std::span<const ListedDocument> list, const std::string& name) {
  std::vector<std::string_view> documents;
  for (const ListedDocument& each : list) {
    if (!std::isfinite(each.score))
      throw Error(ErrorCode::bad_input, fmt::format("{}: document {} has the score {}; expected a finite number", name,
                                                    in_quotes(each.document), each.score));
    documents.push_back(each.document);
  }
  std::sort(documents.begin(), documents.end());
  const auto twice = std::adjacent_find(documents.begin(), documents.end());
  if (twice != documents.end())
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: document {} is listed twice; expected each document once", name, in_quotes(*twice)));
}

}  // namespace

FusionScale parse_fusion_scale(std::string_view name) {
  return static_cast<FusionScale>(place_of("scale", name, kScales));
}
std::string_view name_of(FusionScale scale) { return kScales[static_cast<std::size_t>(scale)].name; }
std::span<const CatalogEntry> fusion_scale_catalog() { return kScales; }

Absent parse_absent(std::string_view name) {
  return static_cast<Absent>(place_of("rule for absent documents", name, kAbsent));
}
std::string_view name_of(Absent rule) { return kAbsent[static_cast<std::size_t>(rule)].name; }
std::span<const CatalogEntry> absent_catalog() { return kAbsent; }

std::vector<std::string> FusionInput::column_names() const {
  std::vector<std::string> names = runs;
  names.insert(names.end(), features.begin(), features.end());
  return names;
}

std::vector<std::size_t> ranks_of_scores(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size()), rank(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return scores[i] > scores[j]; });
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k + 1;
  return rank;
}

JoinedLists join_lists(std::span<const std::vector<ListedDocument>> lists, const FusionInput& input,
                       const ColumnRule& rule) {
  const std::size_t columns = input.num_columns();
  if (lists.size() != columns)
    throw Error(ErrorCode::bad_input, fmt::format("{} lists for {} columns", lists.size(), columns));
  const std::vector<std::string> names = input.column_names();
  JoinedLists joined;
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t r = 0; r < columns; ++r) {
    check_list(lists[r], names[r]);
    if (r >= input.runs.size()) continue;
    for (const ListedDocument& each : lists[r])
      if (place.try_emplace(each.document, joined.documents.size()).second) joined.documents.push_back(each.document);
  }
  joined.values.resize(joined.documents.size() * columns);
  joined.reciprocal_rank.assign(joined.documents.size(), 0);
  for (std::size_t r = 0; r < columns; ++r) {
    std::vector<double> scores;
    std::vector<std::size_t> rows;
    for (const ListedDocument& each : lists[r])
      if (const auto found = place.find(each.document); found != place.end()) {
        scores.push_back(each.score);
        rows.push_back(found->second);
      }
    if (r < input.runs.size()) {
      const std::vector<std::size_t> rank = ranks_of_scores(scores);
      for (std::size_t i = 0; i < rows.size(); ++i)
        joined.reciprocal_rank[rows[i]] += 1 / (kRankConstant + real(rank[i]));
    }
    const Column column = column_of(std::move(scores), r, input, rule);
    for (std::size_t d = 0; d < joined.documents.size(); ++d)
      joined.values[d * columns + r] = static_cast<float>(column.absent);
    for (std::size_t i = 0; i < rows.size(); ++i)
      joined.values[rows[i] * columns + r] = static_cast<float>(column.values[i]);
  }
  return joined;
}

}  // namespace dorm
