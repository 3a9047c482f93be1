// SPDX-License-Identifier: Apache-2.0
// The multiclass SVM of Crammer and Singer as a structured risk, one block per query:
//
//   H_q(w) = (1/l) sum_i s_{y_i} ( max_k [ (k != y_i) + g_ik ] - g_{i y_i} ),   g_ik = <w_k, (x_i, bias)>
//
// with a weight s_k for every class. The vectors w_k follow one another, each followed by the weight of its bias.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dorm/solver.h"
#include "model/features/linear_features.h"

namespace dorm {

class ClassRisk final : public StructuredRisk {
 public:
  /// `classes` are the labels that occur, rising, each with its weight. Borrows the features.
  ClassRisk(const LinearFeatures& features, std::vector<float> classes, std::vector<double> class_weights, double bias);

  /// C_q = trade_off * documents of the query * its weight, over their mean.
  void set_trade_off(double trade_off) { trade_off_ = trade_off; }

  /// From now on every feature is 0: what is left to learn is the biases.
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
    std::vector<std::uint32_t> own;  // class of each document
  };
  struct Workspace;
  double most_violated(const Block& block, Workspace& workspace) const;

  const LinearFeatures& features_;
  std::vector<float> classes_;
  std::vector<double> class_weights_;
  EuclideanGeometry geometry_;
  double bias_;
  double trade_off_ = 1;
  bool features_forgotten_ = false;
  std::vector<Block> blocks_;
};

}  // namespace dorm
