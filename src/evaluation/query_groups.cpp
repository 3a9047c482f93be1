// SPDX-License-Identifier: Apache-2.0
#include "dorm/evaluation/query_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "base/numeric.h"
#include "evaluation/summarise.h"

namespace dorm {
namespace {

struct Valued {
  double value;
  std::size_t query;
};

// Neighbours in size; queries of one value stay together.
std::vector<QueryGroup> quarters_of(std::vector<Valued> sorted, std::span<const std::string> texts) {
  constexpr std::size_t kParts = 4;
  std::vector<QueryGroup> groups;
  for (std::size_t begin = 0, part = 1; begin < sorted.size(); ++part) {
    std::size_t end = std::max(begin + 1, sorted.size() * part / kParts);
    while (end < sorted.size() && sorted[end].value == sorted[end - 1].value) ++end;
    const std::string &low = texts[sorted[begin].query], &high = texts[sorted[end - 1].query];
    QueryGroup& group = groups.emplace_back(QueryGroup{low == high ? low : fmt::format("{} to {}", low, high), {}});
    for (; begin < end; ++begin) group.queries.push_back(sorted[begin].query);
    std::sort(group.queries.begin(), group.queries.end());
  }
  return groups;
}

}  // namespace

std::vector<QueryGroup> group_queries(std::span<const std::string> texts, std::size_t most) {
  std::vector<Valued> numbers;
  std::set<double> different;
  std::map<std::string_view, std::vector<std::size_t>> by_text;
  QueryGroup without{"none", {}};
  bool all_numbers = true;
  for (std::size_t q = 0; q < texts.size(); ++q) {
    if (texts[q].empty()) {
      without.queries.push_back(q);
      continue;
    }
    by_text[texts[q]].push_back(q);
    double value = 0;
    all_numbers = all_numbers && parse_number(texts[q], value) == NumberKind::finite;
    numbers.push_back({value, q});
    different.insert(value);
  }
  std::stable_sort(numbers.begin(), numbers.end(), [](const Valued& a, const Valued& b) { return a.value < b.value; });
  std::vector<QueryGroup> groups;
  if (all_numbers && different.size() > most) {
    groups = quarters_of(std::move(numbers), texts);
  } else {
    for (auto& [text, queries] : by_text) groups.push_back({std::string(text), std::move(queries)});
    const auto value_of = [](const QueryGroup& group) {
      double value = 0;
      parse_number(group.name, value);
      return value;
    };
    if (all_numbers)
      std::stable_sort(groups.begin(), groups.end(),
                       [&](const QueryGroup& a, const QueryGroup& b) { return value_of(a) < value_of(b); });
  }
  if (!without.queries.empty()) groups.push_back(std::move(without));
  return groups;
}

EvaluationTable part_of(const EvaluationTable& table, std::span<const std::size_t> queries,
                        const EvaluateOptions& options) {
  EvaluationTable part{table.convention, table.ties, table.one_per, {}, 0, {}};
  std::vector<double> weights;
  for (const std::size_t q : queries) {
    part.query_ids.push_back(table.query_ids[q]);
    if (!table.counts.empty()) part.counts.push_back(table.counts[q]);
    if (!table.weights.empty()) part.weights.push_back(table.weights[q]);
    weights.push_back(table.weights.empty() ? 1.0 : table.weights[q]);
  }
  for (const MeasureResult& result : table.measures) {
    MeasureResult& own = part.measures.emplace_back();
    own.name = result.name;
    own.geometric = result.geometric;
    for (const std::size_t q : queries) own.per_query.push_back(result.per_query[q]);
  }
  summarise(part, weights, options);
  return part;
}

std::vector<TestedRankers> test_by_group(const RankerTable& table, std::span<const QueryGroup> groups,
                                         const EvaluateOptions& options, const TestOptions& how) {
  std::vector<TestedRankers> tested;
  for (const QueryGroup& group : groups) {
    std::vector<RankerRow> rows;
    for (const RankerRow& row : table.rows) rows.push_back({row.name, part_of(row.table, group.queries, options)});
    tested.push_back(test_rankers(std::move(rows), table.reference, options, how));
  }
  return tested;
}

}  // namespace dorm
