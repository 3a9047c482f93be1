// SPDX-License-Identifier: Apache-2.0
// Tuning: hyperparameters chosen on validation data or by folds over queries. Guide: docs/training.md.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/learning/grow.h"
#include "dorm/learning/memory.h"
#include "dorm/train.h"

namespace dorm {

/// How the model is made of grid points whose validation values differ by noise. Points whose bound carries no
/// information, and points that were cut short, are not used where there is another.
///   average:             an average of all points; the weight of a point is exp(-2 t), t being how far it is behind
///   the
///                        best in standard errors of their paired difference. Shares below a twentieth of the largest
///                        are dropped. Slates, and kernels after folds, cannot be averaged: steady
///   best:                the largest validation value
///   steady:              of the points within one standard error of their paired difference to the best:
///                        the first of kernels, bounds before initial models, the first of bounds, then the first of
///                        decays, then the smallest C
///   one_standard_error:  the smallest C within one standard error of the best
/// Of several kernels, a later one must be ahead by more than one standard error of the paired difference.
enum class Choice { average, best, steady, one_standard_error };

/// Rankers of one kind: linear ones and kernels, or trees.
enum class Family { any, linear, trees };

/// What a tuning tries beside lines by itself, from this many queries to train on.
inline constexpr std::string_view kTriedCurves = "8";
inline constexpr std::size_t kCurveQueries = 40;

struct TuneOptions {
  TrainOptions train;  // for all grid points; train.measure is that of validation
  std::vector<double> C = {10, 100, 1000};
  std::vector<std::string> decays = {"measure"};
  std::vector<BoundChoice> bounds = {std::nullopt};  // auto: best and predicted
  // to train for; empty: train.measure, and for mrr, precision and wta first ndcg or mwta, which learn
  // from more documents
  std::vector<std::string> measures = {};
  std::vector<std::string> kernels = {};  // empty: train.kernel; none: linear
  // Curves of features (dorm/learning/curves.h), none: lines; curves of one spelling, and of lines where `none` is
  // beside them. Empty: train.curves, or where that is none, none and kTriedCurves if the data and the options allow
  // curves.
  std::vector<std::string> curves = {};
  // points of their own, where rankings are sorted and linear, each at a few C
  std::vector<InitialModel> initial_models = {InitialModel::ridge, InitialModel::ridge_gain, InitialModel::pairwise,
                                              InitialModel::pairwise_gain};
  Choice choice = Choice::average;
  std::size_t folds = 5;  // without validation data

  // Trees beside them, where rankings are sorted and linear: boosted by each loss on trees of up to a number of leaves,
  // the rounds chosen on the validation data. None: no trees. Folds keep their trees, and the model is the mean of
  // them.
  std::vector<TreeLoss> tree_losses = {};
  std::vector<std::size_t> tree_leaves = {7, 15, 31, 63};
  std::string lightgbm = "";  // LightGBM's library; empty: found
  Family only = Family::any;  // which of them the model is made of

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// One point of the grid, evaluated on all validation queries (of all folds).
struct GridPoint {
  std::string measure, decay, kernel;  // measure and decay are empty for an initial model
  std::optional<Bound> bound;          // nothing: the initial model itself
  InitialModel start = InitialModel::ridge;
  double C = 0;
  double validation = 0, standard_error = 0;
  double explained_risk = 0;           // mean over folds; NaN for an initial model
  Certificate certificate;             // with folds, the one of the largest gap
  std::size_t rounds = 0;              // of trees their number, with folds the largest
  std::optional<TreeLoss> trees = {};  // then measure and bound are empty, and C is 0
  std::size_t leaves = 0;
  std::vector<double> per_query;  // validation values, NaN where the measure skips the query
  double share = 0;               // of the model
  bool cut_short = false;         // training was ended early; used only where there is no other
  std::string curves = "none";    // of its features

  bool chosen() const { return share > 0; }
  /// Its bound explains hardly more risk than w = 0 does.
  bool degenerate() const { return bound && explained_risk < kDegenerate; }
};

/// Why a grid point was not evaluated.
enum class Pruned {
  no_information,  // at a smaller C its bound carried none
  no_better,       // a smaller C did no better than the one before it
  far_behind,      // at a smaller C it was too far behind the best to have a share
  cut_short,       // the time limit or a stop came during its training
  not_reached      // or before
};
std::string_view reason_of(Pruned why);  // a clause, "a smaller C did no better than the one before it"

struct PrunedPoint {
  std::string measure, decay, kernel;
  std::optional<Bound> bound;
  InitialModel start = InitialModel::ridge;
  double C = 0;
  Pruned why = Pruned::not_reached;
  std::optional<TreeLoss> trees = {};
  std::size_t leaves = 0;
  std::string curves = "none";
};

/// The measure of the model on queries it was not trained on: the validation data, or the folds held out in turn.
struct ValidatedFigure {
  double mean = std::numeric_limits<double>::quiet_NaN(), standard_error = 0;
  double low = 0, high = 0;            // 95 % bootstrap interval over queries
  std::size_t queries = 0;             // counted in the mean
  std::vector<double> per_query = {};  // fold after fold, or of the validation data; NaN where the measure skips one
};

/// What trees are worth on this data: by the same rule of choice, the average of all points against that of the linear
/// ones, on the validation queries. The number of trees was never chosen on the queries that count.
struct TreesWorth {
  ValidatedFigure linear, trees;             // of each family alone
  double difference = 0, low = 0, high = 0;  // of all less linear, with its 95 % bootstrap interval over queries
};

/// "trees are worth +0.0120 [+0.0040, +0.0200] ndcg@10 on your data: linear 0.5123, trees 0.5201, with both 0.5243".
std::string worth_text(const TreesWorth& worth, std::string_view measure);

enum class TuneEnd { whole, time_limit, stopped };

struct TuneResult {
  Model model;                                  // of a task of positions: the function that all positions share
  std::optional<PositionModel> positions = {};  // of a task of positions: the whole model
  TrainReport report;                           // of the refit, where there was one
  std::vector<GridPoint> points;                // evaluated, in the order of the grid
  std::vector<PrunedPoint> pruned;
  ValidatedFigure validated;
  std::optional<TreesWorth> worth = {};  // where trees were grown
  std::optional<Model> linear = {};      // then the linear part of the model, or what would be it
  Choice choice = Choice::average;       // the rule that was used: steady where rankers cannot be averaged
  bool refitted = false;                 // false: the model consists of the weights that were evaluated
  TuneEnd end = TuneEnd::whole;          // otherwise the checkpoint can be resumed
  std::size_t resumed = 0;               // points known from a checkpoint

  std::size_t num_points() const { return points.size() + pruned.size(); }
};

/// Reported a few times per pass. A point is done when it was evaluated on all folds, or pruned.
struct TuneProgress {
  std::size_t done = 0, total = 0;                                 // points
  double best = std::numeric_limits<double>::quiet_NaN();          // of a point over all folds; NaN before the first
  const GridPoint* leader = nullptr;                               // that point, during the call; null before the first
  double seconds_left = std::numeric_limits<double>::quiet_NaN();  // an estimate; NaN: nothing measured yet
  std::size_t resumed = 0;                                         // points known from a checkpoint
};
using TuneObserver = std::function<bool(const TuneProgress&)>;  // false: stop, and use the points so far

/// With `validation`, candidates are trained on `task` and evaluated there, and the weights that were evaluated make
/// the model. Without, by folds over queries, and the model is the mean over the folds. Only slates and kernels are
/// trained again after folds, since their weights cannot be averaged: the best point, on all of the data. Points of a
/// task of positions are evaluated by position-gain@n, those of topics by train.measure within the budgets.
///
/// train.solve.seconds is for all of it. Initial models come first (under an exact kernel after the bounds), then
/// bounds, `predicted` last, kernels in the order of the grid. When the time is over, or an observer returns false, the
/// training under way ends within a pass, and its point is not evaluated. At least one point is evaluated however short
/// the time; stopped before any, tune() throws Error(bad_input). train.checkpoint keeps the points that were evaluated:
/// the same call continues to the same bytes.
TuneResult tune(const Task& task, const TuneOptions& options, const Task& validation = {},
                const TuneObserver& observer = {}, const TrainObserver& refit_observer = {});

/// Evaluates the delivered model on queries that were set aside before tune() by options.train.measure, and stores the
/// figure in the model. `drawn`: share, seed and fingerprint. Throws Error(unsupported) for slates.
void test_tuned(TuneResult& result, const TuneOptions& options, const Dataset& test, const TestedFigure& drawn);

/// The memory that tune() takes on this data, as for train().
MemoryForecast forecast_memory(const Task& task, const TuneOptions& options, const Task& validation = {});

}  // namespace dorm
