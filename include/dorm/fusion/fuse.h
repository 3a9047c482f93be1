// SPDX-License-Identifier: Apache-2.0
// The best weights for several retrievers, learnt for the measure that is reported, and what there is to say for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/evaluation/judging.h"
#include "dorm/fusion/runs.h"
#include "dorm/model.h"

namespace dorm {

/// How weights are found. bound: by minimising DORM's bound on the loss of the measure; sweep: by maximising the
/// measure itself, exactly for two runs, run by run for more; equal: all alike.
enum class FusionLearner { bound, sweep, equal };
FusionLearner parse_fusion_learner(std::string_view name);  // throws Error(unknown_name)
std::string_view name_of(FusionLearner learner);
std::span<const CatalogEntry> fusion_learner_catalog();

/// The defaults come from measurements (docs/fusion.md).
struct FuseOptions {
  std::string measure = "ndcg@10";
  std::string convention = "trec";
  FusionLearner learner = FusionLearner::bound;
  double C = 1;
  double blend = 10;      // learnt weights count n / (n + blend) for n queries, equal ones the rest; 0: learnt alone
  std::size_t folds = 5;  // of the cross-validation; fewer where there are fewer queries; 0: none
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  EvaluateOptions evaluate = {};  // interval, confidence; measure, convention, seed and threads are those above
};

/// False asks to stop; `done` of `total` trainings are done.
using FuseObserver = std::function<bool(std::size_t done, std::size_t total)>;

struct FusedWeights {
  std::vector<double>
      weights;                 // by column; those of runs are not negative, their sums over columns sum to 1 on average
  std::vector<double> learnt;  // before they were blended with equal ones
  double share = 0;            // of the learnt ones
  std::size_t usable_queries = 0;  // from which something can be learnt
  Model model;                     // linear, with these weights, over the columns
};

/// 1 / m for each of m runs, 0 for all other columns.
std::vector<double> equal_weights(const FusionInput& input);

/// From the queries of `runs.data` with these indices, which have judgments. Where nothing can be learnt, equal
/// weights.
FusedWeights learn_weights(const JoinedRuns& runs, std::span<const std::size_t> queries,
                           const FuseOptions& options = {}, const FuseObserver& observer = {});

/// From all judged queries.
FusedWeights learn_weights(const JoinedRuns& runs, const FuseOptions& options = {}, const FuseObserver& observer = {});

/// 0 ... runs.judged_queries - 1.
std::vector<std::size_t> judged_queries(const JoinedRuns& runs);

/// What the columns of the runs and features weigh, mean over these queries.
std::vector<double> mean_weights(const JoinedRuns& runs, std::span<const std::size_t> queries,
                                 std::span<const double> weights);

/// One score per document, sum of weight times value.
std::vector<double> fused_scores(const Dataset& data, std::span<const double> weights, std::size_t threads = 1);

// ---- the measure as a function of the weights ----------------------------------------------------------------------

/// Weights along a line: at t they are base + t direction.
struct WeightLine {
  std::vector<double> base, direction;  // by column
};

/// Where the mean of the measure is largest.
struct LineMaximum {
  double low = 0, high = 0;  // the widest interval on which it is constant and largest
  double value = 0;

  double t() const { return low / 2 + high / 2; }
};

/// Between `low` and `high` the mean of a trainable measure over the judged queries changes only where two documents
/// meet: all those places are visited. Intervals shorter than 1e-9 are passed over; equal scores rank as the convention
/// says, by document id or in order. Exact but for rounding.
LineMaximum maximise_on_line(const JoinedRuns& runs, std::span<const std::size_t> queries, const WeightLine& line,
                             double low, double high, const FuseOptions& options = {});

struct SweptWeights {
  std::vector<double> weights;
  double value = 0;    // of the measure, on the queries of the sweep
  bool exact = false;  // no weights are better: two runs and no features
};

/// Two runs: the best weights of all. More: from `start`, the best on the line to each single run in turn, until no
/// round over the runs adds 1e-6. Weights of other columns stay as they are.
SweptWeights sweep_weights(const JoinedRuns& runs, std::span<const std::size_t> queries, std::vector<double> start,
                           const FuseOptions& options = {});

// ---- evidence ------------------------------------------------------------------------------------------------------

/// What a row of the evidence ranks by. by_query: by weights that depend on query features; learnt: by others.
enum class FusionRowKind { run, reciprocal_rank, mean, learnt, by_query };

struct FusionEvidence {
  RankerTable table;                 // one measure; the reference is the mean
  std::vector<FusionRowKind> kinds;  // by row
  std::vector<double> judged;        // by row: mean share of judged documents in the first `depth`
  std::vector<double> if_good;       // by row: the measure if the others there were as good as the best judged
  std::size_t depth = 10;
  std::size_t folds = 0;  // 0: weights were evaluated on the queries they come from
  std::vector<std::vector<double>> fold_weights;
  bool finished = true;  // false: stopped before the last fold; the learnt rows may be missing
  PairedTest by_query;   // its difference to learnt, where there is such a row

  std::size_t row(FusionRowKind kind) const;  // the first; table.rows.size() if there is none
};

/// Every run, reciprocal rank fusion, equal weights and learnt ones, these held out by cross-validation; where there
/// are query features, weights without and with them, on the same folds. `entries`: the runs that were joined.
/// `learnt`: the weights of learn_weights(runs), if they are known.
FusionEvidence evaluate_fusion(const JoinedRuns& runs, std::span<const NamedRun> entries,
                               const FuseOptions& options = {}, const FuseObserver& observer = {},
                               std::span<const double> learnt = {});

/// Queries for which a difference of this mean and variance is significant at .05 with a chance of 80 %; 0: no number
/// is enough.
std::size_t queries_needed(std::span<const double> a, std::span<const double> b);

/// The first of each query, then the second of each, and so on.
std::vector<DocumentToJudge> documents_to_judge(const JoinedRuns& runs, std::size_t count, std::size_t depth = 10);

}  // namespace dorm
