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
  const GridPoint& linear_leader() const;

  /// The weights and trees that were evaluated, by their shares; over folds, their mean. `per_query`: validation
  /// values.
  struct Delivered {
    std::vector<double> w;                      // none: no linear ranker has a share
    std::shared_ptr<const TreeEnsemble> trees;  // null: no trees have
    std::vector<double> per_query;
  };
  Delivered deliver() const;
  /// What there would be of one family alone, by the same rule.
  Delivered deliver(Family only) const;
  /// Whether some point is of trees.
  bool has_trees() const;
  /// A model of some of the weights (all of them, for a ranking by sorting), with how they were found.
  Model model(const std::vector<double>& w, double validation) const;
  /// With trees: their model alone where `w` is empty, else the sum of both.
  Model model(const Delivered& delivered, double validation) const;
  /// Frees the memory that model() does not need.
  void release();

 private:
  void gather();
  Delivered deliver(std::span<const GridPoint> points) const;
  std::vector<double> weights_of(std::size_t split, std::span<const GridPoint> points) const;
  TreeEnsemble trees_of(std::size_t split, std::span<const GridPoint> points) const;
  std::vector<double> values_of(std::size_t split, const std::vector<double>& w,
                                std::span<const GridPoint> points) const;
  double spread_of(std::size_t split, const std::vector<double>& w, const TreeEnsemble& trees) const;
  Model model_of_trees(const TreeEnsemble& trees, double validation) const;
  std::size_t usable_queries() const;
  std::vector<ModelPart> parts(Family family) const;

  TuneRun& run_;
  const TunePlan& plan_;
  std::vector<GridPoint> points_;
  std::vector<std::pair<std::size_t, std::size_t>> kept_;  // setting and number of C of each
  std::vector<std::vector<EvaluatedWeights>> parts_;       // of each point, one per split; taken from the paths
};

}  // namespace dorm
