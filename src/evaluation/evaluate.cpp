// SPDX-License-Identifier: Apache-2.0
// Measures over queries: ranking, evaluating, summarising.
#include "dorm/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "evaluation/bootstrap.h"
#include "evaluation/query_values.h"
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
  return std::all_of(queries.begin(), queries.end(),
                     [](const ScoredQuery& query) { return query.document_ids.size() >= query.scores.size(); });
}

RetrievalCounts count(const ScoredQuery& query, const RankedQuery& ranked, const Convention& convention) {
  const Labels judged = query.judged.empty() ? query.labels : query.judged;
  RetrievalCounts counts;
  counts.retrieved = ranked.documents.size();
  const Convention::Relevance relevant = convention.relevance(query.labels);
  for (float label : query.labels) counts.relevant += relevant(label);
  for (std::uint32_t i : ranked.documents)
    if (judged[i] >= 0) ++(relevant(judged[i]) ? counts.relevant_retrieved : counts.others_retrieved);
  return counts;
}

// The geometric mean is the exponential of the mean of these; a single 0 is not to make it 0.
std::vector<double> logarithms(std::vector<double> values) {
  constexpr double kLeast = 1e-5;
  for (double& value : values)
    if (!std::isnan(value)) value = std::log(std::max(value, kLeast));
  return values;
}

}  // namespace

Ties choose_ties(const Convention& convention, const EvaluateOptions& options, bool have_document_ids) {
  const Ties ties = options.ties.empty() ? convention.ties : parse_ties(options.ties);
  if (ties != Ties::document_id || have_document_ids) return ties;
  if (options.ties.empty()) return Ties::index;
  throw Error(ErrorCode::bad_option, "ties by document_id need document ids, and the data has none");
}

void require_order(std::span<const Measure* const> measures, const EvaluateOptions& options, Ties ties,
                   bool limits_on_groups) {
  if (ties != Ties::expected) return;
  for (const Measure* measure : measures)
    if (measure->needs_order())
      throw Error(ErrorCode::bad_option,
                  fmt::format("the expectation of {} over ties has no formula; expected ties by index, worst or "
                              "document_id",
                              measure->name()));
  if (options.depth > 0)
    throw Error(ErrorCode::bad_option,
                "ties at the depth are ambiguous; expected ties by index, worst or "
                "document_id");
  if (limits_on_groups)
    throw Error(ErrorCode::bad_option,
                "the expectation over ties has no formula under group limits; expected ties by index, "
                "worst or document_id");
}

EvaluationTable empty_table(const Criteria& by, const EvaluateOptions& options, std::size_t queries) {
  EvaluationTable table{by.convention.name, std::string(name_of(by.ties)), options.one_per, {}, 0, {}};
  table.counts.resize(queries);
  table.query_ids.reserve(queries);
  for (const Measure* measure : by.measures)
    table.measures.push_back(
        {measure->name(), kNaN, kNaN, kNaN, 0, 0, std::vector<double>(queries, kNaN), measure->geometric()});
  return table;
}

void evaluate_query(const ScoredQuery& query, std::size_t q, const Criteria& by, RankedQuery& ranked,
                    EvaluationTable& table) {
  check_scores(query);
  rank(query, by.ties, ranked);
  if (by.depth > 0 && by.depth < ranked.documents.size()) ranked.documents.resize(by.depth);
  table.counts[q] = count(query, ranked, by.convention);
  for (std::size_t m = 0; m < by.measures.size(); ++m) {
    const Measure& measure = *by.measures[m];
    const Labels labels = measure.of_judgments() && !query.judged.empty() ? query.judged : query.labels;
    try {
      const std::optional<double> value =
          query.groups ? value_within(measure, labels, *query.groups, ranked.documents, by.as_ranked)
                       : measure.expected(labels, ranked.view());
      table.measures[m].per_query[q] = value ? *value : count_empty(by.convention, measure);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("query \"{}\": {}", query.id, error.what()));
    }
  }
}

Convention convention_of(const EvaluateOptions& options) {
  Convention convention = make_convention(options.convention);
  if (options.complete) convention.skip_missing = false;
  if (!options.relevant_from) return convention;
  if (!(*options.relevant_from > 0 && std::isfinite(*options.relevant_from)))
    throw Error(ErrorCode::bad_option,
                fmt::format("relevant from label {}; expected a finite number above 0", *options.relevant_from));
  convention.relevant_from = *options.relevant_from;
  return convention;
}

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
  std::vector<std::vector<double>> averaged;
  for (const MeasureResult& result : table.measures)
    averaged.push_back(result.geometric ? logarithms(result.per_query) : result.per_query);
  const std::vector<Interval> intervals =
      bootstrap(std::vector<std::span<const double>>(averaged.begin(), averaged.end()), weights, options);
  for (std::size_t m = 0; m < table.measures.size(); ++m) {
    MeasureResult& result = table.measures[m];
    for (double value : result.per_query) ++(std::isnan(value) ? result.skipped : result.queries);
    const auto back = [&result](double x) { return result.geometric ? std::exp(x) : x; };
    result.mean = back(weighted_mean(averaged[m], weights));
    result.low = back(intervals[m].low);
    result.high = back(intervals[m].high);
  }
}

namespace {

std::string canonical_name(std::string_view spelling) {
  try {
    return make_measure(spelling)->name();
  } catch (const Error&) {
    return std::string(spelling);  // of the caller's own
  }
}

}  // namespace

const MeasureResult& EvaluationTable::operator[](std::string_view name) const {
  for (const MeasureResult& result : measures)
    if (result.name == name) return result;
  for (const MeasureResult& result : measures)
    if (canonical_name(result.name) == canonical_name(name)) return result;
  throw Error(ErrorCode::unknown_name, fmt::format("the table has no measure \"{}\"", name));
}

EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const Measure* const> measures,
                         const EvaluateOptions& options) {
  const Convention convention = convention_of(options);
  const Ties ties = choose_ties(convention, options, have_document_ids(queries));
  require_order(measures, options, ties,
                std::any_of(queries.begin(), queries.end(), [](const ScoredQuery& query) { return query.groups; }));
  const Criteria by{measures, convention, ties, options.as_ranked, options.depth};
  EvaluationTable table = empty_table(by, options, queries.size());
  std::vector<double> weights;
  for (const ScoredQuery& query : queries) {
    table.query_ids.emplace_back(query.id);
    weights.push_back(query.weight);
  }

  std::vector<RankedQuery> ranked(thread_count(options.threads));
  const std::size_t chunks = (queries.size() + kChunk - 1) / kChunk;
  parallel_for(chunks, ranked.size(), [&](std::size_t chunk, std::size_t worker) {
    const std::size_t end = std::min(queries.size(), (chunk + 1) * kChunk);
    for (std::size_t q = chunk * kChunk; q < end; ++q) evaluate_query(queries[q], q, by, ranked[worker], table);
  });
  summarise(table, weights, options);
  return table;
}

EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const std::string> measures,
                         const EvaluateOptions& options) {
  const Convention convention = convention_of(options);
  std::vector<MeasurePtr> made;
  std::vector<const Measure*> pointers;
  for (const std::string& spelling : measures) {
    made.push_back(make_measure(spelling, convention));
    pointers.push_back(made.back().get());
  }
  EvaluationTable table = evaluate(queries, std::span<const Measure* const>(pointers), options);
  for (std::size_t m = 0; m < measures.size(); ++m) table.measures[m].name = measures[m];
  return table;
}

}  // namespace dorm
