// SPDX-License-Identifier: Apache-2.0
// Pages about what the library does, as reports (dorm/apps/report.h): plain values in, a document out. The command and
// the Python package write the same ones. Guide: docs/report.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/data/texts.h"
#include "dorm/evaluate.h"
#include "dorm/evaluation/difference.h"
#include "dorm/learning/few_features.h"
#include "dorm/model.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/ratings.h"
#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::pages {

/// Where a page comes from.
struct Origin {
  std::string command = {};  // as it was typed; empty: not shown
  std::string version = {};  // of the program; empty: that of the library
  std::size_t threads = 0;   // 0: all cores
};

// ---- training ------------------------------------------------------------------------------------------------

struct TracePoint {
  std::size_t round = 0;
  double passes = 0, seconds = 0;  // of the solver, over all rounds of this candidate
  double primal = 0, dual = 0, gap = 0;
  double validation = 0;  // NaN without validation data
};

struct CandidateTrace {
  std::string bound, start;
  std::vector<TracePoint> points;
};

/// What training went through: every evaluated point of every candidate.
class TrainingTrace {
 public:
  /// To be called by the observer of train().
  void add(const TrainProgress& progress);

  const std::vector<CandidateTrace>& candidates() const { return candidates_; }
  /// Null when nothing was seen of it, as after a checkpoint.
  const CandidateTrace* find(const std::string& bound, const std::string& start) const;

 private:
  struct Spent {
    double passes = 0, seconds = 0;
  };

  std::vector<CandidateTrace> candidates_;
  std::size_t round_ = 0;
  Spent before_, now_;  // in the rounds before; in this one
};

/// What a page about a training is made from; views. Names are what is shown of the data: files, or words.
struct TrainingReportData {
  const Dataset& train;
  const Dataset* valid = nullptr;
  const Dataset* test = nullptr;  // queries set aside before anything was chosen
  const TrainResult& result;      // without candidates for a baseline
  const TrainingTrace& trace;     // may be empty
  std::string train_name = {}, valid_name = {}, model_name = {};
  bool interrupted = false;
  std::string reason = {};   // why the chosen candidate won; empty: not shown
  std::string measure = {};  // that the model is evaluated by; empty: the one it was trained for
  /// The ranker in production: its scores of the documents that the model is evaluated on, in their order.
  struct Baseline {
    std::string name;
    std::vector<double> scores;      // -infinity: not retrieved
    std::vector<RunEntry> run = {};  // of a ranker that may lack documents, and have others; else empty
  };
  std::optional<Baseline> baseline = {};
  const ReadableTexts* texts = nullptr;  // of judged()
  const FeaturePath* few = nullptr;      // where the features of the model were chosen

  /// What the model is evaluated on where there are no folds: test, validation or training data.
  const Dataset& judged() const { return test ? *test : valid ? *valid : train; }
};

report::Report train_page(const TrainingReportData& report_data, const Origin& origin = {});

/// The grid that led to a model; views.
struct TuningReportData {
  const TuneResult& tuned;
  const TuneOptions& options;
  std::string judged_on;    // the validation data, or "5 folds"
  std::string reason = {};  // why the point won; empty: not shown
};

/// The page of the model, with the grid that led to it.
report::Report tune_page(const TrainingReportData& report_data, const TuningReportData& tuning,
                         const Origin& origin = {});

// ---- evaluation ------------------------------------------------------------------------------------------------

/// A ranker beside its measured values; views.
struct RankerView {
  const std::vector<double>* scores = nullptr;  // in document order of the data; -infinity: not retrieved
  const Model* model = nullptr;                 // one that sorts by score; nullptr: another kind of ranker
  const Dataset* data = nullptr;                // as the model expects it; nullptr: as in the report data
  double trained_share = 0;                     // of these queries that it was trained on
};

/// Rankers on the same queries; views.
struct RankersReportData {
  const TestedRankers& tested;
  const RankerTable& table = tested.table;
  const EvaluateOptions& options;
  const Dataset* data = nullptr;         // nullptr: queries without lists of documents
  std::vector<RankerView> rankers = {};  // by row of the table, where there is data
  std::string data_name = {};
  const ReadableTexts* texts = nullptr;             // of the data
  std::vector<std::size_t> cutoffs = {};            // of `by_cutoff`; none: the first measure has no cutoff above 1
  std::span<const EvaluationTable> by_cutoff = {};  // by row: the first measure at each of these cutoffs
};

/// Which ranker is better: a verdict on the reference and the best of the others, and the queries they differ on.
report::Report eval_page(const RankersReportData& report_data, const Origin& origin = {});

// ---- recommenders --------------------------------------------------------------------------------------------

/// What a page about a recommender is made from; views.
struct FactorizationReportData {
  const Ratings& train;
  const FactorizeResult& result;
  const Ratings* held_out = nullptr;  // to evaluate on; null: none
  std::string held_out_name = "held-out ratings";
  const FactorModel* judged = nullptr;  // by these, where users were folded in first; null: that of the result
  std::string ratings_name = {}, model_name = {};
  bool interrupted = false;
};

report::Report factorize_page(const FactorizationReportData& report_data, const Origin& origin = {});

}  // namespace dorm::pages
