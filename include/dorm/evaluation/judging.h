// SPDX-License-Identifier: Apache-2.0
// Is the judging enough? What runs show that nobody judged, how far two sets of judgments agree, and what to judge
// next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"
#include "dorm/data/run_sink.h"
#include "dorm/evaluate.h"

namespace dorm {

/// One measure of a run, with its documents without a judgment taken as bad (label 0), passed over, and taken as good
/// (the highest label of all judgments).
struct UnjudgedFigures {
  double bad = 0, passed_over = 0, good = 0;
};

/// What is judged of one run.
struct Coverage {
  std::vector<double> judged;            // by cutoff: the mean share of documents with a judgment
  std::size_t unjudged = 0;              // documents of judged queries, down to the largest cutoff
  std::vector<UnjudgedFigures> figures;  // by measure
};

/// Hands a run on, as read_run() or hand_on() do; as often as it is called.
using RunSource = std::function<void(RunSink& sink)>;

/// Of runs against judgments; only documents down to the largest cutoff are taken as good. Measures by the options.
/// Reads the run three times, and needs memory for these documents.
Coverage coverage_of(std::span<const Judgment> judgments, const RunSource& run, std::span<const std::size_t> cutoffs,
                     std::span<const std::string> measures, const EvaluateOptions& options = {});

/// Two sets of judgments on the documents that both judge.
struct JudgmentAgreement {
  std::size_t both = 0, only_first = 0, only_second = 0;
  double equal = 0;                      // share of the same label
  std::optional<double> kappa;           // Cohen's, of relevant or not (above 0)
  std::optional<double> weighted_kappa;  // of labels, by squared difference
  std::optional<double> alpha;           // Krippendorff's, for labels at intervals
};
JudgmentAgreement agreement_of(std::span<const Judgment> first, std::span<const Judgment> second);

/// Kendall's tau-b of two lists of figures; none where one of them is constant.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

// ---- what to judge next ----------------------------------------------------------------------------------------

/// A document without a judgment near the top of some run, and how far apart runs are about it.
struct DocumentToJudge {
  std::string query, document;
  double disagreement = 0;  // sum over pairs of runs of the difference in 1 / log2(1 + rank), 0 below the depth
};

/// The first documents of every query of a run, best first.
class TopOfRun final : public RunSink {
 public:
  /// Of all queries where `queries` are empty; `depth` 0: all documents. Throws Error(bad_option) for ties that are no
  /// order (expected, worst).
  TopOfRun(std::size_t depth, const EvaluateOptions& options, std::span<const std::string_view> queries = {});
  ~TopOfRun() override;
  TopOfRun(const TopOfRun&) = delete;
  TopOfRun& operator=(const TopOfRun&) = delete;

  void begin(std::size_t workers) override;
  bool add(const RunQuery& query, std::size_t worker) override;

  std::vector<std::string> queries() const;  // by id
  std::span<const std::string> of(std::string_view query) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct JudgingOptions {
  EvaluateOptions evaluate;  // convention, ties, depth and relevant_from; seed of the order, confidence of the verdict
  double best_label = 0;     // the highest that judges give; 0: the highest of the judgments so far, at least 1
  double same_within = 0;    // above 0: a difference that is surely smaller is a verdict, too
  std::size_t batch = 100;   // documents to judge next, in whole queries
};

enum class Verdict { undecided, first, second, same };
std::string_view name_of(Verdict verdict);

/// Which of two runs is better on these queries, would all documents that the measure sees be judged?
struct JudgingPlan {
  Verdict verdict = Verdict::undecided;
  bool certain = false;               // whatever labels the others get
  double low = 0, high = 0;           // of the mean difference, first less second: an interval for all times at once
  double least = 0, most = 0;         // the same whatever labels the others get
  std::size_t depth = 0;              // of the measure; 0: all documents
  std::size_t queries = 0;            // of them
  std::size_t open = 0;               //   were open before the new judgments
  std::size_t drawn = 0;              //   and of these were judged in turn
  std::size_t used = 0;               // new judgments up to the verdict
  std::size_t of = 0;                 // documents of both runs without one before
  std::vector<DocumentToJudge> next;  // none when decided
};

/// The queries are those of `judgments`, or of the runs where there are none. They are drawn in a random order, with
/// chances in proportion to how much their unjudged documents could change the difference; `added` are the judgments
/// made since, in that order. The interval is a confidence sequence for sampling without replacement: over the random
/// order, the chance that it ever leaves out the difference under complete judgments is at most 1 - confidence,
/// whatever the labels are. Throws Error(bad_option) for a measure in which a document without a judgment is not a bad
/// one, or whose mean is none of values from 0 to 1, and Error(bad_input) for labels above the best.
JudgingPlan plan_judging(std::span<const Judgment> judgments, std::span<const Judgment> added, const RunSource& first,
                         const RunSource& second, const std::string& measure, const JudgingOptions& options = {});

}  // namespace dorm
