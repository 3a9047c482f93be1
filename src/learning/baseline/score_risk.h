// SPDX-License-Identifier: Apache-2.0
// A loss of scores and linear features, joined into what a solver sees: every baseline that is a convex problem goes
// through the solvers of the library.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "dorm/solver.h"
#include "learning/baseline/score_loss.h"
#include "model/features/linear_features.h"

namespace dorm {

/// What counts the same: every query (times its weight), or every document.
enum class Unit { query, document };

class ScoreRisk final : public StructuredRisk {
 public:
  using Maker = std::function<ScoreLossPtr(Labels)>;

  /// Every query with a weight above 0 and a loss is a block. With `bias` other than 0 the weights have one more entry,
  /// of a feature that has this value in every document. Borrows the features.
  ScoreRisk(const LinearFeatures& features, const Maker& make, Unit unit, double bias = 0);

  /// C_q = trade_off * weight, the weights being 1 on average.
  void set_trade_off(double trade_off) { trade_off_ = trade_off; }

  /// The sum of the blocks where all scores are 0.
  double value_at_zero() const;

  /// From now on every feature is 0: what is left to learn is the bias.
  void forget_features() { features_forgotten_ = true; }

  std::size_t num_blocks() const override { return blocks_.size(); }
  const Geometry& geometry() const override { return geometry_; }
  double block_weight(std::size_t block) const override { return trade_off_ * blocks_[block].weight; }
  double linearize_cost(std::size_t block) const override;
  std::unique_ptr<RiskWorkspace> make_workspace() const override;
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;

 private:
  struct Block {
    std::size_t query;
    double weight;
    ScoreLossPtr loss;
  };

  const LinearFeatures& features_;
  EuclideanGeometry geometry_;
  double bias_;
  double trade_off_ = 1;
  bool features_forgotten_ = false;
  std::vector<Block> blocks_;
};

}  // namespace dorm
