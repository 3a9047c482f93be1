// SPDX-License-Identifier: Apache-2.0
// The result of a tuning under one kernel: the points that were evaluated, their shares, and the model they make.
#pragma once

#include <utility>
#include <vector>

#include "learning/tune/tune_run.h"

namespace dorm {

class TuneRunResult {
 public:
  /// Of a run that is over, which it borrows and takes the weights from.
  explicit TuneRunResult(TuneRun& run);

  /// In the order of the grid, with their shares; none when stopped before the first.
  const std::vector<GridPoint>& points() const { return points_; }
  std::vector<PrunedPoint> pruned() const;
  const GridPoint& leader() const;  // the largest share

  /// The weights that were evaluated, by their shares; over folds, their mean. `per_query`: validation values.
  struct Delivered {
    std::vector<double> w;
    std::vector<double> per_query;
  };
  Delivered deliver() const;
  /// A model of some of the weights (all of them, for a ranking by sorting), with how they were found.
  Model model(const std::vector<double>& w, double validation) const;
  /// Frees the memory that model() does not need.
  void release();

 private:
  void gather();
  std::vector<double> weights_of(std::size_t split) const;
  std::size_t usable_queries() const;
  std::vector<ModelPart> parts() const;

  TuneRun& run_;
  const TunePlan& plan_;
  std::vector<GridPoint> points_;
  std::vector<std::pair<std::size_t, std::size_t>> kept_;  // setting and number of C of each
  std::vector<std::vector<EvaluatedWeights>> parts_;       // of each point, one per split; taken from the paths
};

}  // namespace dorm
