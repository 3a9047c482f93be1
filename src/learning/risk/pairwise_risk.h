// SPDX-License-Identifier: Apache-2.0
// RankSVM with the mean hinge over the pairs of each query, as a structured risk, so that every solver can train it.
#pragma once

#include <vector>

#include "dorm/measure.h"
#include "dorm/solver.h"
#include "learning/risk/pairwise_hinge.h"
#include "model/features/linear_features.h"

namespace dorm {

class PairwiseRisk final : public StructuredRisk {
 public:
  /// Every query with two different labels and a weight above 0 is a block. With a measure, pairs weigh the difference
  /// of its gains b, and queries without such a pair are left out. Borrows the features.
  explicit PairwiseRisk(const Representation& features, const FactoredMeasure* gains = nullptr);

  /// C_q = trade_off * weight of the query (1 on average).
  void set_trade_off(double trade_off) { trade_off_ = trade_off; }

  /// Of the queries of its blocks, as the data has it.
  double total_weight() const { return total_weight_; }

  std::size_t num_blocks() const override { return blocks_.size(); }
  const Geometry& geometry() const override { return features_; }
  double block_weight(std::size_t block) const override { return trade_off_ * blocks_[block].weight; }
  std::unique_ptr<RiskWorkspace> make_workspace() const override;
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;

 private:
  struct Block {
    std::size_t query;
    double weight;
    PairwiseQuery pairs;
  };

  const Representation& features_;
  double trade_off_ = 1, total_weight_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace dorm
