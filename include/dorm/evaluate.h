// SPDX-License-Identifier: Apache-2.0
// Evaluation: measures over queries, with intervals, per-query values and tests between two rankers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"
#include "dorm/dataset.h"
#include "dorm/learning/assignment.h"
#include "dorm/measure.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

struct EvaluateOptions {
  std::string convention = "standard";  // docs/measures.md lists them
  std::string ties = "";                // "": as the convention says; or index, expected, worst, document_id
  std::string one_per = "";             // limits on groups (dorm/data/one_per.h); empty: none
  bool as_ranked = false;               // with limits: evaluate the ranking without changes, see below
  std::size_t depth = 0;  // evaluate the first `depth` documents of each query, the others as not retrieved; 0: all
  bool complete = false;  // of runs: judged queries a run lacks are empty lists, whatever the convention
  std::optional<double> relevant_from =
      {};                        // instead of the convention's: relevant from this label on, which is above 0
  std::size_t bootstrap = 1000;  // resamples for the interval; 0: none
  double confidence = 0.95;
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // the result does not depend on it
};

/// The convention of these options, with what they change in it. Throws Error(unknown_name) or Error(bad_option).
Convention convention_of(const EvaluateOptions& options);

struct MeasureResult {
  std::string name;               // as it was asked for: "ndcg@10", "ndcg_cut_10"
  double mean = 0;                // weighted by query weights; NaN when no query counted
  double low = 0, high = 0;       // percentile bootstrap interval over queries; NaN when there is none
  std::size_t queries = 0;        // counted in the mean
  std::size_t skipped = 0;        // left out by the convention, e.g. no relevant document
  std::vector<double> per_query;  // one per query of the data, NaN where skipped
  bool geometric = false;         // mean and interval are of the geometric mean, values below 1e-5 raised to it
};

/// How many documents of one query.
struct RetrievalCounts {
  std::size_t retrieved = 0, relevant = 0, relevant_retrieved = 0;
  std::size_t others_retrieved = 0;  // judged, and not relevant
};

struct EvaluationTable {
  std::string convention, ties, one_per;
  std::vector<std::string> query_ids;  // the rows of per_query
  std::size_t unjudged_queries = 0;    // queries of a run that have no judgments, and were ignored
  std::vector<MeasureResult> measures;
  std::vector<RetrievalCounts> counts = {};  // rows as of per_query; none where a query is not one list of labels
  std::vector<double> weights = {};          // likewise, where tests are to weigh queries; none: all alike
  /// By any spelling; throws Error(unknown_name).
  const MeasureResult& operator[](std::string_view name) const;
};

// With limits on groups a ranking is evaluated as the list it makes: documents whose group is full are skipped, and
// ideal values and totals are of the best list within the limits. `as_ranked` leaves them in their places instead,
// where they gain nothing; this is the value of a list that ignores the limits. Measures of pairs (auc, kendall) have
// no such value, nor has the expectation over ties: both are refused.

/// In place of a label: the document was not in the pool that judgments were made of.
inline constexpr float kNotPooled = -std::numeric_limits<float>::infinity();

/// One query as evaluation sees it; a view. The first scores.size() documents were ranked; the others were judged
/// but not retrieved.
struct ScoredQuery {
  std::string_view id;
  Labels labels;
  std::span<const double> scores;
  std::span<const std::string_view> document_ids = {};  // empty: none
  double weight = 1;
  const GroupLimits* groups = nullptr;  // of all documents; nullptr: no limits
  // for measures of judgments: labels, negative where there is no judgment, kNotPooled where there never could be one;
  // none: as `labels`
  Labels judged = {};
};

/// `scores` in document order of `data` (not file order: see Dataset::source_row). Throws Error(bad_input) for a score
/// that is not finite or a wrong number of scores. Asking for ties by document id needs document ids; a convention
/// whose default that is falls back to index where there are none.
EvaluationTable evaluate(const Dataset& data, std::span<const double> scores, std::span<const std::string> measures,
                         const EvaluateOptions& options = {});

EvaluationTable evaluate(const Dataset& data, std::span<const double> scores, std::span<const Measure* const> measures,
                         const EvaluateOptions& options = {});

/// The same without a Dataset, and with measures of the caller's own.
EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const std::string> measures,
                         const EvaluateOptions& options = {});
EvaluationTable evaluate(std::span<const ScoredQuery> queries, std::span<const Measure* const> measures,
                         const EvaluateOptions& options = {});

/// A TREC run against judgments. Documents without a judgment have label 0 (kNotPooled for measures of judgments);
/// judged documents the run left out count in ideal values and totals. A judged query the run left out is an empty
/// list, or skipped, as the convention says. Queries in order of their first judgment.
EvaluationTable evaluate_run(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                             std::span<const std::string> measures, const EvaluateOptions& options = {});

/// What a run says of the documents of a data set, which it calls by Dataset::document_name().
struct RunOnData {
  std::vector<double> scores;                              // in document order; -infinity: not in the run
  std::size_t lacking_documents = 0, lacking_queries = 0;  // of the data; queries that lack some
  std::string lacking_query, lacking_document;             // the first
  std::size_t unknown_documents = 0;                       // of the run, in queries of the data
  std::size_t unknown_queries = 0;                         // of the run
};
RunOnData match_run(const Dataset& data, std::span<const RunEntry> run);

/// A run against the labels of a data set, as evaluate_run(): what the run lacks is not retrieved, what the data lacks
/// has label 0. Queries and their weights are those of the data; one the run left out is an empty list.
EvaluationTable evaluate_run(const Dataset& data, std::span<const RunEntry> run, std::span<const std::string> measures,
                             const EvaluateOptions& options = {});

/// As evaluate_run(), by the measures of subtopic_catalog(). Equal scores as options.ties says ("expected" is refused).
/// options.one_per (host or domain) filters the run first; the ideal of alpha-ndcg is not limited.
EvaluationTable evaluate_subtopics(std::span<const SubtopicJudgment> judgments, std::span<const RunEntry> run,
                                   std::span<const std::string> measures, const EvaluateOptions& options = {});

/// Gain of each ranking's first n documents over that of the best list, both less what the worst list gains where that
/// is negative: "position-gain@n". Queries in which that is all a list can gain are skipped.
MeasureResult evaluate_positions(const Dataset& data, const PositionGains& gains, const std::vector<Ranking>& rankings,
                                 const EvaluateOptions& options = {});

/// As evaluate() of lists of up to n documents that keep topic budgets. A measure that is relative to its ideal is
/// taken against the best list that keeps them. Throws Error(unsupported) for measures that are no sum over positions
/// (map, mrr), Error(bad_input) for a query without a list that keeps the budgets.
EvaluationTable evaluate_topics(const Dataset& data, const std::vector<Ranking>& lists, std::size_t n,
                                const TopicTable& topics, std::span<const std::string> measures,
                                const TopicOptions& topic_options = {}, const EvaluateOptions& options = {});

/// Measures per user over the users with ratings in `test`; `scores` has one entry per rating of `test`, user by user
/// (Ratings::first_of_user). Equal scores count as in random order unless options.ties says otherwise: the order of
/// items in a file has no meaning.
EvaluationTable evaluate(const Ratings& test, std::span<const double> scores, std::span<const std::string> measures,
                         const EvaluateOptions& options = {});

/// Two rankers on the same queries: a - b, over the queries both have a value for.
struct PairedTest {
  std::size_t queries = 0, wins = 0, losses = 0, ties = 0;
  double mean_difference = 0, low = 0, high = 0;  // bootstrap interval of the mean difference
  double t_statistic = 0, p_t = 1;                // paired t test, two-sided; 0 and 1 for fewer than 2 queries
  double p_sign = 1;                              // exact sign test, two-sided, equal values left out
  double p_permutation = 1;                       // sign flips: all when at most 16 differ, else 10,000 random ones
};
/// `weights` of the queries, none: all alike. Wins and the sign test count queries whatever their weight.
PairedTest compare(std::span<const double> a, std::span<const double> b, const EvaluateOptions& options = {},
                   std::span<const double> weights = {});

/// p-values of m tests made at once (Holm 1979), in the order given; NaN stays NaN and is no test.
std::vector<double> holm(std::vector<double> p);

/// "***" for p < .001, "**" for p < .01, "*" for p < .05, else "" (also for NaN).
std::string_view significance_stars(double p);

/// One of several rankers on the same queries.
struct RankerRow {
  std::string name;
  EvaluationTable table;
  std::vector<PairedTest> tests = {};  // by measure: this - the reference
  std::vector<double> p_holm = {};     // by measure: permutation test, corrected; NaN: the reference itself
};

struct RankerTable {
  std::vector<RankerRow> rows;
  std::size_t reference = 0;

  /// Whether no row has a larger mean.
  bool best(std::size_t row, std::size_t measure) const;
};

/// Tests every row against the reference. The tests of one measure are a family for Holm's correction. Throws
/// Error(bad_input) for rows whose measures or queries differ.
RankerTable compare_rankers(std::vector<RankerRow> rows, std::size_t reference, const EvaluateOptions& options = {});

}  // namespace dorm
