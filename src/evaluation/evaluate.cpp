// SPDX-License-Identifier: Apache-2.0
// Measures over queries: ranking, evaluating, summarising.
#include "dorm/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "evaluation/bootstrap.h"
#include "evaluation/ranking.h"
#include "evaluation/summarise.h"
#include "evaluation/within_limits.h"

namespace dorm {
namespace {

// Queries handed to a thread at once, so that the overhead is small even for short queries.
constexpr std::size_t kChunk = 64;

void check_scores(const ScoredQuery& query) {
  for (std::size_t i = 0; i < query.scores.size(); ++i) {
    if (std::isfinite(query.scores[i])) continue;
    const std::string name = query.document_ids.empty() ? "" : fmt::format(" (\"{}\")", query.document_ids[i]);
    throw Error(ErrorCode::bad_input, fmt::format("query \"{}\", document {}{}: score {}; expected a finite number",
                                                  query.id, i + 1, name, query.scores[i]));
  }
  if (query.scores.size() > query.labels.size())
    throw Error(ErrorCode::bad_input, fmt::format("query \"{}\": {} scores for {} documents", query.id,
                                                  query.scores.size(), query.labels.size()));
}

bool have_document_ids(std::span<const ScoredQuery> queries) {
  for (const ScoredQuery& query : queries)
    if (query.document_ids.size() < query.scores.size()) return false;
  return true;
}

Ties choose_ties(std::span<const ScoredQuery> queries, const Convention& convention, const std::string& asked) {
  const Ties ties = asked.empty() ? convention.ties : parse_ties(asked);
  if (ties != Ties::document_id || have_document_ids(queries)) return ties;
  if (asked.empty()) return Ties::index;
  throw Error(ErrorCode::bad_option, "ties by document_id need document ids, and the data has none");
}

void require_order(std::span<const ScoredQuery> queries, Ties ties) {
  if (ties != Ties::expected) return;
  for (const ScoredQuery& query : queries)
    if (query.groups)
      throw Error(ErrorCode::bad_option,
                  "the expectation over ties is not known within limits on groups; expected ties by index, "
                  "worst or document_id");
}

// Fills row q of every result.
/// How every query is judged.
struct Criteria {
  std::span<const Measure* const> measures;
  const Convention& convention;
  Ties ties;
  bool as_ranked;
};

void evaluate_query(const ScoredQuery& query, std::size_t q, const Criteria& by, RankedQuery& ranked,
                    EvaluationTable& table) {
  check_scores(query);
  rank(query, by.ties, ranked);
  for (std::size_t m = 0; m < by.measures.size(); ++m) {
    try {
      const std::optional<double> value =
          query.groups ? value_within(*by.measures[m], query.labels, *query.groups, ranked.documents, by.as_ranked)
                       : by.measures[m]->expected(query.labels, ranked.view());
      table.measures[m].per_query[q] = value ? *value : count_empty(by.convention, *by.measures[m]);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("query \"{}\": {}", query.id, error.what()));
    }
  }
}

}  // namespace

double count_empty(const Convention& convention, const Measure& measure) {
  switch (convention.empty) {
    case EmptyQuery::skip:
      return kNaN;
    case EmptyQuery::zero:
      return 0;
    case EmptyQuery::one:
      return measure.normalised() ? 1 : 0;
  }
  return kNaN;
}

void summarise(EvaluationTable& table, const std::vector<double>& weights, const EvaluateOptions& options) {
  std::vector<std::span<const double>> columns;
  for (const MeasureResult& result : table.measures) columns.emplace_back(result.per_query);
  const std::vector<Interval> intervals = bootstrap(columns, weights, options);
  for (std::size_t m = 0; m < table.measures.size(); ++m) {
    MeasureResult& result = table.measures[m];
    for (double value : result.per_query) ++(std::isnan(value) ? result.skipped : result.queries);
    result.mean = weighted_mean(result.per_query, weights);
    result.low = intervals[m].low;
    result.high = intervals[m].high;
  }
}

const MeasureResult& EvaluationTable::operator[](std::string_view name) const {
  for (const MeasureResult& result : measures)
    if (result.name == name) return result;
  throw Error(ErrorCode::unknown_name, fmt::format("the table has no measure \"{}\"", name));
}

EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const Measure* const> measures,
                         const EvaluateOptions& options) {
  const Convention convention = make_convention(options.convention);
  const Ties ties = choose_ties(queries, convention, options.ties);
  require_order(queries, ties);
  EvaluationTable table{convention.name, std::string(name_of(ties)), options.one_per, {}, 0, {}};
  std::vector<double> weights;
  for (const ScoredQuery& query : queries) {
    table.query_ids.emplace_back(query.id);
    weights.push_back(query.weight);
  }
  for (const Measure* measure : measures)
    table.measures.push_back({measure->name(), kNaN, kNaN, kNaN, 0, 0, std::vector<double>(queries.size(), kNaN)});

  std::vector<RankedQuery> ranked(thread_count(options.threads));
  const std::size_t chunks = (queries.size() + kChunk - 1) / kChunk;
  parallel_for(chunks, ranked.size(), [&](std::size_t chunk, std::size_t worker) {
    const std::size_t end = std::min(queries.size(), (chunk + 1) * kChunk);
    for (std::size_t q = chunk * kChunk; q < end; ++q)
      evaluate_query(queries[q], q, {measures, convention, ties, options.as_ranked}, ranked[worker], table);
  });
  summarise(table, weights, options);
  return table;
}

EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const std::string> measures,
                         const EvaluateOptions& options) {
  const Convention convention = make_convention(options.convention);
  std::vector<MeasurePtr> made;
  std::vector<const Measure*> pointers;
  for (const std::string& spelling : measures) {
    made.push_back(make_measure(spelling, convention));
    pointers.push_back(made.back().get());
  }
  return evaluate(queries, std::span<const Measure* const>(pointers), options);
}

}  // namespace dorm
