// SPDX-License-Identifier: Apache-2.0
// The bound of the Hamming loss of matchings as a structured risk: one block per pair of graphs.
#pragma once

#include <memory>

#include "learning/matching/pair_features.h"

namespace dorm {

class MatchRisk final : public StructuredRisk {
 public:
  /// Pairs with a truth that a prediction could have. Borrows nothing.
  MatchRisk(const MatchModel& model, const GraphSet& set, std::span<const GraphPair> pairs);

  const Geometry& geometry() const override { return geometry_; }
  std::size_t num_blocks() const override { return blocks_.size(); }
  double block_weight(std::size_t) const override { return trade_off_ / static_cast<double>(blocks_.size()); }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;
  double linearize_cost(std::size_t block) const override;

  void set_trade_off(double C) { trade_off_ = C; }

  /// The most that loss + score, in nodes, is known to reach at w, and what bounds it there: first by the multipliers
  /// that separation uses, which are then tightened by `steps` and used from now on.
  struct Separation {
    double before = 0, after = 0, found = 0;  // in mean loss
  };
  Separation tighten(std::size_t block, std::span<const double> w, std::size_t steps);

  /// By block; those of no block at all: none anywhere.
  std::vector<Multipliers> multipliers() const;
  void set_multipliers(std::vector<Multipliers> multipliers);

  /// 1/2 |w|^2 + C (mean of H).
  double objective(std::span<const double> w) const;

 private:
  struct Block {
    PairFeatures features;
    Match truth;
    std::vector<double> of_truth;  // features
    double nodes;                  // what losses are divided by
    double base;                   // the loss of matching nothing, in nodes
    Multipliers multipliers;
  };

  PairScores loss_augmented(const Block& block, std::span<const double> w) const;
  /// What matching i with j adds to the loss, in nodes.
  double cell_loss(const Block& block, std::size_t i, std::size_t j) const;

  EuclideanGeometry geometry_;
  bool partial_;
  double trade_off_ = 1;
  std::vector<Block> blocks_;
};

}  // namespace dorm
