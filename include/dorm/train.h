// SPDX-License-Identifier: Apache-2.0
// Training: from judged documents and the name of a measure to a model with its certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/catalog.h"
#include "dorm/dataset.h"
#include "dorm/model.h"
#include "dorm/solver.h"

namespace dorm {

/// `best` is kept by --bound auto when its bound explains at least this share of the risk of w = 0 (the
/// model's health).
inline constexpr double kHealthy = 0.1;
/// From this health on, `best` goes on for up to 4 rounds.
inline constexpr double kConfident = 0.5;
/// Below this health a bound carries no information.
inline constexpr double kDegenerate = 0.02;

/// Defaults are those that measurements support (docs/training.md).
struct TrainOptions {
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  double C = 1000;       // of 1/2 |w|^2 + (C / m) sum_q H_q, features scaled to unit mean squared row norm
  bool paper_C = false;  // the paper's: 1/2 |w|^2 + C sum_q H_q on the features as they are
  std::string decay = "measure";
  std::string bound = "auto";  // auto, given, average, best, predicted
  std::string start = "auto";  // auto, ridge, pairwise: where the rounds of best and predicted begin
  std::size_t rounds = 0;      // 0: 1 for best, 4 from health 0.5 on; 4 for predicted, 8 for long lists
  std::string scale = "auto";  // auto or a name of scaling_catalog()
  std::string one_per = "";    // limits on groups, "host" or "group:2" (dorm/one_per.h); empty: none
  std::string solver = "bcda";
  double tolerance = 1e-3;  // relative duality gap of each round
  std::uint64_t max_passes = 1000;
  double seconds = 0;       // of the whole training; 0: no limit
  std::size_t threads = 0;  // 0: all cores; the model does not depend on it
  std::uint64_t seed = 1;
  std::uint64_t plane_bytes = 0;              // limit on cached planes; 0: none
  std::string kernel = "none";                // none: linear in the features; else a text for make_kernel()
  std::string approximation = "none";         // of the kernel: none, nystroem:N, fourier:N, cholesky:N
  std::uint64_t cache_bytes = 2'000'000'000;  // for rows of the Gram matrix, without approximation
  const Kernel* kernel_function = nullptr;    // instead of a text; must outlive the training
  std::string checkpoint = {};                // a file to save progress to and resume from; empty: none
  double checkpoint_seconds = 10;

  /// Borrowed; each may be null.
  const FactoredMeasure* own_measure = nullptr;  // trained for instead of `measure`
  const Model* initial = nullptr;  // begin the rounds at its weights ("start": model); the same scaling is needed
  /// With validation data: evaluations in a row without a better value after which a candidate is over; its best
  /// weights so far are kept. 0: never.
  std::size_t patience = 0;

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// One way training was tried: a bound from a start.
struct Candidate {
  std::string bound, start;
  std::size_t rounds = 0;
  Certificate certificate;
  double health = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();
  bool chosen = false;
};

struct TrainReport {
  std::vector<Candidate> candidates;
  std::size_t dropped_queries = 0;  // nothing to learn from
  std::string kernel;               // the kernel as settled on the data, the error of its approximation
  std::vector<std::string> warnings;
  SolveReport solve;  // of the last round of the chosen candidate
  double seconds = 0;
};

struct TrainResult {
  Model model;
  TrainReport report;
};

/// What an observer is told, a few times per pass; false stops and keeps the best model so far.
struct TrainProgress {
  std::string_view bound, start;
  std::size_t round = 0;  // from 1
  Progress solver;
  double validation = std::numeric_limits<double>::quiet_NaN();  // of the current best w, when there is validation data
};
using TrainObserver = std::function<bool(const TrainProgress&)>;

TrainResult train(const Dataset& data, const TrainOptions& options = {}, const Dataset* validation = nullptr,
                  const TrainObserver& observer = {});

/// A baseline: the weights a round would start from ("ridge" or "pairwise"), as a model with the bound "none" and no
/// certificate. Measure, convention, scale, threads and seed are taken from `options`.
Model train_start(const Dataset& data, std::string_view start, const TrainOptions& options = {});

std::vector<CatalogEntry> bound_choices();  // auto, then bound_catalog()
std::span<const CatalogEntry> start_catalog();

// ---- lists in which every position counts on its own (docs/positions.md) -----------------------------------------

struct PositionResult {
  PositionModel model;
  TrainReport report;
};

/// Trains w and v_1 ... v_n (w alone with `one_function`) for position-gain@n. Of the options, `measure` and
/// `convention` are not used; the decay is that of DCG unless named; the bound is given, best (auto) or predicted; the
/// start is ridge; checkpoints are not supported.
PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function = false, const TrainObserver& observer = {});

/// Trains a linear model for the first n positions of options.measure when lists must keep the budgets. The most
/// violated list comes from an integer program; where that is cut short its bound enters the certificate, which stays
/// valid. One thread. Throws as train() does, and Error(unsupported) for measures that are no sum (mrr).
TrainResult train_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                         const TrainOptions& options, const TopicOptions& topic_options = {},
                         TopicReport* report = nullptr, const TrainObserver& observer = {});

// ---- choosing options on validation data or by folds over queries ------------------------------------------------

/// How the winner is chosen among cells whose validation figures differ by noise.
///   best:                the largest figure
///   steady:              of the cells within one standard error of their paired difference to the best:
///                        the first of bounds, then the first of decays, then the smallest C
///   one_standard_error:  the smallest C within one standard error of the best
enum class Choice { best, steady, one_standard_error };

struct TuneOptions {
  TrainOptions train;  // everything the grid does not vary; train.measure is what candidates are judged by
  std::vector<double> C = {10, 100, 1000, 10000};
  std::vector<std::string> decays = {"measure", "power:0.25", "power:1", "measure+tail"};
  std::vector<std::string> bounds = {"auto"};  // auto: best and predicted
  // to train for; empty: train.measure, and for mrr, precision and wta first ndcg or mwta, which learn
  // from more documents
  std::vector<std::string> measures = {};
  std::vector<std::string> kernels = {};  // empty: train.kernel; none: linear
  bool refine = true;                     // two halvings of the grid of C around the winner
  Choice choice = Choice::steady;
  std::size_t folds = 5;  // without validation data

  void validate() const;
};

/// One point of the grid, judged on all validation queries (of all folds).
struct TuneCell {
  std::string measure, decay, bound, start, kernel;
  double C = 0;
  double validation = 0, standard_error = 0;
  double health = 0;              // mean over folds
  std::vector<double> per_query;  // validation values, NaN where the measure skips the query
  bool chosen = false;
};

struct TuneResult {
  Model model;
  TrainReport report;  // of the refit
  std::vector<TuneCell> cells;
};

struct TuneProgress {
  std::size_t done = 0, total = 0;  // solved problems
  double best = 0;                  // validation measure so far; NaN before the first
};
using TuneObserver = std::function<bool(const TuneProgress&)>;  // false: stop, refit the best cell so far

/// With `validation`, candidates are trained on `data` and judged there. Without, by folds over queries.
TuneResult tune(const Dataset& data, const TuneOptions& options, const Dataset* validation = nullptr,
                const TuneObserver& observer = {}, const TrainObserver& refit_observer = {});

}  // namespace dorm
