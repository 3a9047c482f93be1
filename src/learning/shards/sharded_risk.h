// SPDX-License-Identifier: Apache-2.0
// The learning problem over shards as a solver sees it: a block is a shard, its H the weighted mean over the lists of
// the shard. With one shard that is one slack for all queries, with a shard per query one for each.
#pragma once

#include <string>
#include <vector>

#include "learning/risk/referenced_risk.h"
#include "learning/shards/shard_client.h"

namespace dorm {

/// Blocks that are shards, and how they are linearised.
class ShardBlocks {
 public:
  /// `weights`: of the lists of each shard, summed. They become one per list on average.
  ShardBlocks(const ShardClient& workers, std::vector<double> weights, double lists, std::vector<std::int8_t> signs);

  std::size_t size() const { return weights_.size(); }
  double weight(std::size_t block) const { return weights_[block]; }
  const Geometry& geometry() const { return geometry_; }

  /// As StructuredRisk::linearize_all(); the request lacks w only.
  void linearize_all(ShardRequest request, const BlockBatch& batch, BlockWorkers& workers,
                     const BlockVisitor& visit) const;
  double linearize(ShardRequest request, std::size_t block, std::span<const double> w, Plane& out) const;
  const ShardClient& workers() const { return workers_; }

 private:
  const ShardClient& workers_;
  std::vector<double> weights_;
  EuclideanGeometry geometry_;
};

class ShardedRisk final : public ReferencedRisk {
 public:
  /// Asks the shards to prepare themselves. `signs`: of the weights. Borrows the workers.
  ShardedRisk(const ShardClient& workers, const std::string& setup, std::vector<std::int8_t> signs = {});

  const Geometry& geometry() const override { return blocks_.geometry(); }
  std::size_t num_blocks() const override { return blocks_.size(); }
  double block_weight(std::size_t block) const override { return trade_off() * blocks_.weight(block); }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;
  void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const override;

  std::size_t set_reference(Bound bound, std::span<const double> w) override;
  double loss(std::span<const double> w) const override;
  std::size_t num_lists() const override { return lists_; }
  std::size_t longest_query() const override { return longest_; }

  /// The sum of squared norms of the rows, centred within their queries.
  double centred_squares() const { return squares_; }

 private:
  struct Prepared {
    std::vector<double> weights;
    std::size_t lists = 0, longest = 0;
    double squares = 0;
  };
  static Prepared prepare(const ShardClient& workers, const std::string& setup);
  ShardedRisk(const ShardClient& workers, const std::string& setup, Prepared prepared, std::vector<std::int8_t> signs);
  ShardRequest about(Topic topic) const;

  std::string setup_;
  std::size_t lists_, longest_;
  double squares_;
  ShardBlocks blocks_;
  Bound bound_ = Bound::given;
  std::vector<double> reference_;  // empty where the bound does not depend on scores
};

/// The pairwise hinge over shards; see PairwiseRisk.
class ShardedPairs final : public StructuredRisk {
 public:
  /// `request` says set-up, gains and step.
  ShardedPairs(const ShardClient& workers, ShardRequest request, std::vector<std::int8_t> signs = {});

  void set_trade_off(double trade_off) { trade_off_ = trade_off; }
  std::size_t num_lists() const { return lists_; }

  const Geometry& geometry() const override { return blocks_.geometry(); }
  std::size_t num_blocks() const override { return blocks_.size(); }
  double block_weight(std::size_t block) const override { return trade_off_ * blocks_.weight(block); }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;
  void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const override;

 private:
  ShardedPairs(const ShardClient& workers, ShardRequest request, const std::vector<ShardResponse>& responses,
               std::vector<std::int8_t> signs);

  ShardRequest question_;
  std::size_t lists_;
  ShardBlocks blocks_;
  double trade_off_ = 1;
};

}  // namespace dorm
