// SPDX-License-Identifier: Apache-2.0
// Training: from judged documents and the name of a measure to a model with its certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/base/number_range.h"
#include "dorm/dataset.h"
#include "dorm/learning/shard.h"
#include "dorm/model.h"
#include "dorm/oracle.h"
#include "dorm/solver.h"

namespace dorm {

// The explained risk of a bound is the share of the risk of w = 0 that it explains.

/// From this explained risk on, `best` goes on for up to 4 rounds, and auto takes it alone.
inline constexpr double kConfident = 0.5;
/// Where rankers cannot be averaged, auto takes `best` from this explained risk on.
inline constexpr double kHealthy = 0.1;
/// Below this explained risk a bound carries no information; it is left out where there is any other.
inline constexpr double kDegenerate = 0.02;

/// Cheap rankers. The rounds of `best` and `predicted` begin at one: ridge regression, the pairwise hinge, each on the
/// labels or on their gains, or the weights of TrainOptions::initial.
enum class Start { ridge, ridge_gain, pairwise, pairwise_gain, model };
std::string_view name_of(Start start);

/// What is asked for; nothing: auto.
using BoundChoice = std::optional<Bound>;
using StartChoice = std::optional<Start>;
std::string_view name_of(BoundChoice choice);
std::string_view name_of(StartChoice choice);
BoundChoice parse_bound_choice(std::string_view name);  // a name of bound_choices(), else throws Error(unknown_name)
StartChoice parse_start_choice(std::string_view name);  // a name of start_catalog(), likewise

/// Defaults are those that measurements support (docs/training.md).
struct TrainOptions {
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  double C = 100;        // of 1/2 |w|^2 + (C / m) sum_q H_q, features scaled to unit mean squared row norm
  bool paper_C = false;  // the paper's: 1/2 |w|^2 + C sum_q H_q on the features as they are
  std::string decay = "measure";
  BoundChoice bound = std::nullopt;
  std::string given_ties = "";  // bound given: a feature by which documents of equal label stand, largest first
  StartChoice start = std::nullopt;
  std::size_t shards = 0;          // solver shards: groups of queries; 0: by their number (dorm/learning/shard.h)
  std::string device = "cpu";      // what visits the documents: cpu, cuda, cuda:N (docs/gpu.md)
  std::uint64_t device_bytes = 0;  // most memory of the device to take; 0: what is free there
  std::size_t rounds = 0;          // 0: 1 for best, 4 from explained risk 0.5 on; 4 for predicted, 8 for long lists
  std::string scale = "auto";      // auto or a name of scaling_catalog()
  std::string target = "";         // who is to evaluate the model: of target_choices(); empty: DORM itself
  std::string one_per = "";        // limits on groups, "host" or "group:2" (dorm/data/one_per.h); empty: none
  SolveOptions solve = {.threads = 0};        // of each round, but `seconds` are those of the whole training
  OracleKind oracle = {};                     // automatic; another to measure what it costs
  std::string kernel = "none";                // none: linear in the features; else a text for make_kernel()
  std::string approximation = "none";         // of the kernel: none, nystroem:N, fourier:N, cholesky:N
  std::uint64_t cache_bytes = 2'000'000'000;  // for rows of the Gram matrix, without approximation
  std::uint64_t scaled_bytes = 0;             // for scaled features that are kept; 0: by their size
  const Kernel* kernel_function = nullptr;    // instead of a text; must outlive the training
  std::string checkpoint = {};                // a file to save progress to and resume from; empty: none
  double checkpoint_seconds = 10;
  bool keep_checkpoint =
      false;  // leave that of a finished training to the caller, who removes it once the model is safe

  /// Borrowed; each may be null.
  const FactoredMeasure* own_measure = nullptr;  // trained for instead of `measure`
  const Model* initial = nullptr;  // begin the rounds at its weights ("start": model); the same scaling is needed
  /// With validation data: evaluations in a row without a better value after which a candidate is over; its best
  /// weights so far are kept. 0: never.
  std::size_t patience = 0;

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

using OptionValue = std::variant<bool, double, std::uint64_t, std::string>;

/// One option of training by name: all that the command line, Python and checkpoints know of it.
struct TrainOption {
  const char* name;     // in Python and in checkpoints, e.g. "seconds"
  const char* command;  // on the command line, e.g. "time-limit"; empty: not there, or by code of its own
  const char* value;    // what stands for its value in help, e.g. "N" ("SIZE": bytes, as in 2GB); empty: a switch
  const char* group;    // in help
  const char* help;
  NumberRange range;                               // of a number
  bool decides;                                    // a checkpoint of a training with another value is refused
  OptionValue (*get)(const TrainOptions&);         // names of enumerators as text
  void (*set)(TrainOptions&, const OptionValue&);  // throws Error for a value of another type and for an unknown name
};
std::span<const TrainOption> train_option_catalog();

/// One way training was tried: a bound from a start.
struct Candidate {
  Bound bound = Bound::best;
  Start start = Start::ridge;
  std::size_t rounds = 0;
  Certificate certificate;
  double explained_risk = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();
  double share = 0;  // of the model, which may be an average; 0: not in it

  bool chosen() const { return share > 0; }
};

struct TrainReport {
  std::vector<Candidate> candidates;
  std::size_t dropped_queries = 0;  // nothing to learn from
  std::string kernel;               // the kernel as settled on the data, the error of its approximation
  std::vector<std::string> warnings;
  SolveReport solve;     // of the last round of the candidate with the largest share
  bool finished = true;  // false: stopped or out of time, and a checkpoint has more to do
  bool resumed = false;  // begun from a checkpoint
  double seconds = 0;
};

struct TrainResult {
  Model model;
  TrainReport report;
};

/// What an observer is told, a few times per pass; false stops and keeps the best model so far.
struct TrainProgress {
  Bound bound = Bound::best;
  Start start = Start::ridge;
  std::size_t round = 0;  // from 1
  Progress solver;
  double validation = std::numeric_limits<double>::quiet_NaN();  // of the current best w, when there is validation data
  bool resumed = false;                                          // the training goes on from a checkpoint
};
using TrainObserver = std::function<bool(const TrainProgress&)>;

TrainResult train(const Dataset& data, const TrainOptions& options = {}, const Dataset* validation = nullptr,
                  const TrainObserver& observer = {});

/// A baseline: the weights a round would start from, as a model with the bound "none" and no certificate. Measure,
/// convention, scale, threads and seed are taken from `options`.
Model train_start(const Dataset& data, Start start, const TrainOptions& options = {});

std::vector<CatalogEntry> bound_choices();   // auto, then bound_catalog()
std::vector<CatalogEntry> target_choices();  // those of export_targets(), then any: what all of them can evaluate
std::span<const CatalogEntry> start_catalog();

/// The same from shards that are asked by messages (dorm/learning/shard.h, docs/scale.md), to the bytes that train()
/// with the solver `shards` gives. Linear rankers only. `validation` asks shards of held-out queries. Throws
/// Error(bad_input) that names the shard when an answer is damaged, of another version, not finite or missing, also
/// when the question is asked once more; otherwise as train().
TrainResult train_shards(const ShardTransport& ask, const TrainOptions& options, const ShardTransport& validation = {},
                         const TrainObserver& observer = {});

/// How many shards so many queries of so many features make unless options say otherwise: enough that passes are few,
/// not so many that their planes are large.
std::size_t default_shards(std::size_t queries, std::size_t features);

// ---- lists in which every position counts on its own (docs/positions.md) -----------------------------------------

/// Held-out data to judge candidates by, borrowed.
struct JudgedPositions {
  const Dataset& data;
  const PositionGains& gains;
};
struct JudgedTopics {
  const Dataset& data;
  const TopicTable& topics;
};

struct PositionResult {
  PositionModel model;
  TrainReport report;
};

/// Trains w and v_1 ... v_n (w alone with `one_function`) for position-gain@n. Of the options, `measure` and
/// `convention` are not used; the decay is that of DCG unless named; the bound is not average, the start is ridge,
/// the ranker linear.
PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function = false, const JudgedPositions* validation = nullptr,
                               const TrainObserver& observer = {});

/// Trains a linear model for the first n positions of options.measure when lists must keep the budgets. The most
/// violated list comes from an integer program; where that is cut short its bound enters the certificate, which stays
/// valid. Throws as train_positions() does, and Error(unsupported) for measures that are no sum (mrr).
TrainResult train_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                         const TrainOptions& options, const TopicOptions& topic_options = {},
                         TopicReport* report = nullptr, const JudgedTopics* validation = nullptr,
                         const TrainObserver& observer = {});

// ---- streams -----------------------------------------------------------------------------------------------------

/// Told how many queries have been learnt from; false stops.
using StreamObserver = std::function<bool(std::uint64_t queries)>;

/// Linear weights learnt from queries that pass once, by averaged subgradient steps on the objective of train() with
/// the bound best or predicted:
///
///   shrinkage 1/2 |w|^2 + mean of H_q(w),   shrinkage = mean squared norm of the rows so far / C.
///
/// A step is taken for every 4 queries. Its length is the largest distance from the start so far over the root of the
/// sum of squared gradients; the first one is as long as takes away the loss of its queries, were it linear. Both are
/// in the units of the data, so that nothing is left to be set. There is no certificate. A plain value.
class Stream {
 public:
  /// Begins at 0, or at the weights of a linear model, whose scaling stays.
  explicit Stream(const Model* initial = nullptr);

  /// Learns from the queries in their order. Of the options, measure, convention, C, decay, bound and scale count;
  /// scalings are limited to what a query alone decides, and `auto` is settled by the first call. Throws Error for
  /// other options, and for named features that are missing.
  void learn(const Dataset& data, const TrainOptions& options = {}, const StreamObserver& observer = {});

  /// The average of the weights so far, with the options it was learnt by.
  Model model(const TrainOptions& options = {}) const;

  std::uint64_t queries() const { return model_.data.queries; }

  /// All of it as text, to go on later as if nothing had happened. Throws Error(bad_input) for anything else.
  std::string save() const;
  static Stream load(std::string_view text);

 private:
  class Chunk;

  void take_new_features(const Dataset& data);
  void note_statistics(const Dataset& data, const FeatureStatistics& found);
  void step(Chunk& chunk, std::size_t first, std::size_t end, double C);

  bool begun_ = false;
  Model model_;  // features, scaling, what was seen, and the average of the weights
  std::vector<double> start_, weights_;
  std::uint64_t steps_ = 0;
  double farthest_ = 0;           // distance of the weights from the start
  double squared_gradients_ = 0;  // summed over the steps
  double squared_norms_ = 0;      // of rows, centred within their queries
};

// ---- choosing options on validation data or by folds over queries ------------------------------------------------

/// What becomes of cells whose validation figures differ by noise. Cells whose bound carries no information, and cells
/// that were cut short, are out where there is another.
///   average:             an average of all, in which a cell counts exp(-2 t), t being how far it is behind the best in
///                        standard errors of their paired difference; shares below a twentieth of the largest are
///                        dropped. For lists and kernels after folds, which cannot be averaged: steady
///   best:                the largest figure
///   steady:              of the cells within one standard error of their paired difference to the best:
///                        the first of kernels, bounds before cheap rankers, the first of bounds, then the first of
///                        decays, then the smallest C
///   one_standard_error:  the smallest C within one standard error of the best
/// Of several kernels, a later one must be ahead by more than one standard error of the paired difference.
enum class Choice { average, best, steady, one_standard_error };

struct TuneOptions {
  TrainOptions train;  // everything the grid does not vary; train.measure is what candidates are judged by
  std::vector<double> C = {10, 100, 1000};
  std::vector<std::string> decays = {"measure"};
  std::vector<BoundChoice> bounds = {std::nullopt};  // auto: best and predicted
  // to train for; empty: train.measure, and for mrr, precision and wta first ndcg or mwta, which learn
  // from more documents
  std::vector<std::string> measures = {};
  std::vector<std::string> kernels = {};  // empty: train.kernel; none: linear
  // cheap rankers that are cells of their own, where rankings are sorted and linear, each at a few C
  std::vector<Start> rankers = {Start::ridge, Start::ridge_gain, Start::pairwise, Start::pairwise_gain};
  bool refine = false;  // two halvings of the grid of C around the best cell
  Choice choice = Choice::average;
  std::size_t folds = 5;  // without validation data

  void validate() const;
};

/// One point of the grid, judged on all validation queries (of all folds).
struct GridPoint {
  std::string measure, decay, kernel;  // measure and decay are empty for a start
  std::optional<Bound> bound;          // nothing: the start itself
  Start start = Start::ridge;
  double C = 0;
  double validation = 0, standard_error = 0;
  double explained_risk = 0;  // mean over folds; NaN for a start
  Certificate certificate;    // with folds, the one of the largest gap
  std::size_t rounds = 0;
  std::vector<double> per_query;  // validation values, NaN where the measure skips the query
  double share = 0;               // of the model
  bool cut_short = false;         // trained for less than it takes; kept only where there is no other

  bool chosen() const { return share > 0; }
  /// Its bound says hardly more than w = 0 does.
  bool degenerate() const { return bound && explained_risk < kDegenerate; }
};

/// Why a cell of the grid was not judged.
enum class Pruned {
  no_information,  // at a smaller C its bound carried none
  no_better,       // a smaller C did no better than the one before it
  far_behind,      // at a smaller C it was too far behind the best to have a share
  cut_short,       // the time limit or a stop came while it was trained
  not_reached      // or before
};
std::string_view reason_of(Pruned why);  // for people, "a smaller C did no better than the one before it"

struct PrunedPoint {
  std::string measure, decay, kernel;
  std::optional<Bound> bound;
  Start start = Start::ridge;
  double C = 0;
  Pruned why = Pruned::not_reached;
};

/// How what is delivered does on queries it was not trained on: the validation data, or the folds held out in turn.
struct ValidatedFigure {
  double mean = std::numeric_limits<double>::quiet_NaN(), standard_error = 0;
  double low = 0, high = 0;  // 95 % bootstrap interval over queries
  std::size_t queries = 0;   // counted in the mean
};

enum class TuneEnd { whole, time_limit, stopped };

/// What is to be told of a tuning, whatever was tuned.
struct TuneOutcome {
  TrainReport report;            // of the refit, where there was one
  std::vector<GridPoint> cells;  // judged, in the order of the grid
  std::vector<PrunedPoint> pruned;
  ValidatedFigure validated;
  Choice choice = Choice::average;  // the rule that was used: steady where rankers cannot be averaged
  bool refitted = false;            // false: the model consists of the very weights that were judged
  TuneEnd end = TuneEnd::whole;     // otherwise a checkpoint has more to do
  std::size_t resumed = 0;          // cells that a checkpoint knew

  std::size_t all_cells() const { return cells.size() + pruned.size(); }
};

struct TuneResult : TuneOutcome {
  Model model;
};

/// Told a few times per pass. Cells are judged on all folds, or given up by a rule.
struct TuneProgress {
  std::size_t done = 0, total = 0;                                 // cells
  double best = std::numeric_limits<double>::quiet_NaN();          // of a cell over all folds; NaN before the first
  const GridPoint* leader = nullptr;                               // that cell, during the call; null before the first
  double seconds_left = std::numeric_limits<double>::quiet_NaN();  // by what cells of each kind took; NaN: not measured
  std::size_t resumed = 0;                                         // cells that a checkpoint knew
};
using TuneObserver = std::function<bool(const TuneProgress&)>;  // false: stop, take the cells so far

/// With `validation`, candidates are trained on `data` and judged there, and the judged weights are delivered. Without,
/// by folds over queries, and the model is the mean over the folds. Only lists and kernels are trained again after
/// folds, since their weights cannot be averaged: the best cell, on all of the data.
///
/// train.solve.seconds is for all of it. Cheap rankers come first (under an exact kernel after the bounds), then
/// bounds, `predicted` last, kernels in the order of the grid; what runs when the time is over, or when an observer
/// says false, is cut short within a pass and not judged. At least one cell is judged however short the time; stopped
/// before any, it throws Error(bad_input). train.checkpoint keeps what was judged: the same call goes on from there, to
/// the same bytes.
TuneResult tune(const Dataset& data, const TuneOptions& options, const Dataset* validation = nullptr,
                const TuneObserver& observer = {}, const TrainObserver& refit_observer = {});

/// The same for lists; every candidate is judged by position-gain@n, or by train.measure within the topic budgets.
struct PositionTuneResult : TuneOutcome {
  PositionModel model;
};
PositionTuneResult tune_positions(const Dataset& data, const PositionGains& gains, const TuneOptions& options,
                                  bool one_function = false, const JudgedPositions* validation = nullptr,
                                  const TuneObserver& observer = {}, const TrainObserver& refit_observer = {});
TuneResult tune_topics(const Dataset& data, const TopicTable& topics, std::size_t positions, const TuneOptions& options,
                       const TopicOptions& topic_options = {}, TopicReport* report = nullptr,
                       const JudgedTopics* validation = nullptr, const TuneObserver& observer = {},
                       const TrainObserver& refit_observer = {});

}  // namespace dorm
