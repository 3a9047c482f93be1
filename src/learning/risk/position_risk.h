// SPDX-License-Identifier: Apache-2.0
// Learning lists of n documents in which every position counts on its own: gains G[document, position], and a score of
// each document at each position,
//
//   s_ij = c_j <w, x_i> + <v_j, x_i>        (w shared, v_j of position j; or w alone)
//   H_q  = max over lists of [1 - G(list) + s(list)] - s(reference),   G scaled so that the best list has 1 and what is
//                                                                      worth nothing (gain_floor.h) has 0.
//
// Slates are solutions of the assignment problem, or of the integer program with topic budgets.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dorm/learning/assignment.h"
#include "dorm/oracle.h"
#include "learning/risk/referenced_risk.h"
#include "model/features/linear_features.h"

namespace dorm {

struct PositionProblem {
  std::size_t positions = 0;      // n; shorter queries use the first of them
  std::span<const double> gains;  // documents x positions, in document order
  std::vector<double> decay;      // c, by position
  bool per_position = true;       // v_j beside w
  const TopicTable* topics = nullptr;
  TopicOptions topic_options = {};  // for each list
};

/// References: `given` lists that gain most; `best` the highest-scoring of those (up to 1e-6 of the gain); `predicted`
/// the highest-scoring of all. `average` is defined for sorted rankings only and refused.
class PositionRisk final : public ReferencedLists {
 public:
  /// Queries of weight 0 and those in which all lists gain the same are left out. Throws Error(bad_input) when none
  /// remains or limits allow no list. Gains are copied, features and topics borrowed. The first references are the
  /// lists that gain most.
  PositionRisk(const LinearFeatures& features, const PositionProblem& problem, std::size_t threads);

  std::size_t num_blocks() const override { return blocks_.size(); }
  const Geometry& geometry() const override { return geometry_; }
  double block_weight(std::size_t block) const override { return trade_off() * blocks_[block].weight; }
  double linearize_cost(std::size_t block) const override;
  std::unique_ptr<RiskWorkspace> make_workspace() const override;
  /// The value is an upper bound of H_q where the list could not be proven the best.
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;

  /// The time for each list from now on.
  void set_topic_options(const TopicOptions& options) { problem_.topic_options = options; }

  std::size_t longest_query() const override { return longest_; }

  /// Lists asked for so far, those not proven the best, and their largest gap.
  std::size_t lists() const { return lists_; }
  std::size_t unproven() const { return unproven_; }
  double largest_gap() const { return largest_gap_; }

 private:
  using List = std::vector<std::uint32_t>;
  struct Block {
    std::size_t query, positions;
    double weight;
    std::vector<double> gain;  // documents x positions
    List reference;
  };
  struct Workspace;

  bool choose_reference(std::size_t block, Bound bound, std::span<const double> w, RiskWorkspace& workspace) override;
  double value(std::size_t block, std::span<const double> w, RiskWorkspace& workspace) const override;

  std::size_t parts() const { return problem_.per_position ? 1 + problem_.positions : 1; }
  void add_block(std::size_t query);
  TopicList list_for(const Block& block, std::span<const double> values) const;
  void score(const Block& block, std::span<const double> w, Workspace& workspace) const;
  /// The most violated list; the bound of its H is returned.
  double separate(const Block& block, Workspace& workspace, List& list) const;
  void pull_back(const Block& block, const List& list, Plane& out, Workspace& workspace) const;

  const LinearFeatures& features_;
  PositionProblem problem_;
  EuclideanGeometry geometry_;
  std::size_t longest_ = 0;
  std::vector<Block> blocks_;
  mutable std::atomic<std::size_t> lists_ = 0, unproven_ = 0;
  mutable std::atomic<double> largest_gap_ = 0;
};

}  // namespace dorm
