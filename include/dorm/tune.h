// SPDX-License-Identifier: Apache-2.0
// Choosing C, decay, bound, cutoff and kernel on validation data or by folds over queries, then refitting the winner.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dorm/train.h"

namespace dorm {

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
