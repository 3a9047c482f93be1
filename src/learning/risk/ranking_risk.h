// SPDX-License-Identifier: Apache-2.0
// The learning problem itself: data, measure, decay, reference ranking and oracle, joined into what a solver sees.
//
//   H_q(w) = max_pi [Delta(pi) + f(pi)] - f(z0),   f(pi) = sum_i c[pi(i)] <w, x_i>
//
// Each query with something to learn is a block. The reference z0 is fixed between calls of set_reference, so the risk
// is convex while a solver looks at it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "dorm/ranking/list_problem.h"
#include "learning/risk/referenced_risk.h"
#include "model/features/linear_features.h"

namespace dorm {

class RankingRisk final : public ReferencedLists {
 public:
  /// Queries in which every ranking is equally good (one label, nothing relevant, weight 0) are left out: none may
  /// remain, see require_lists(). Borrows the features. There are no references until set_reference is called. The
  /// measure is asked by several threads. `groups`: none, or the limits of every query of the data; lists, references,
  /// losses and the measure's ideal are then within them. `given_labels`: none, or by document of the data what the
  /// reference `given` sorts by in place of the labels.
  RankingRisk(const Representation& features, const FactoredMeasure& measure, const Decay& decay, std::size_t threads,
              OracleKind oracle = OracleKind::automatic, std::vector<GroupLimits> groups = {},
              std::vector<float> given_labels = {});

  std::size_t num_blocks() const override { return blocks_.size(); }
  const Geometry& geometry() const override { return features_; }
  double block_weight(std::size_t block) const override { return trade_off() * blocks_[block].weight; }
  double linearize_cost(std::size_t block) const override { return blocks_[block].cost; }
  std::unique_ptr<RiskWorkspace> make_workspace() const override;
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;

  std::size_t longest_query() const override { return longest_; }
  /// Of the queries of its blocks, as the data has it.
  double total_weight() const { return total_weight_; }

  // For a device that linearises its blocks elsewhere.
  const ListProblem& list(std::size_t block) const { return lists_[block]; }
  const Representation& features() const { return features_; }
  std::size_t query(std::size_t block) const { return blocks_[block].query; }
  double list_weight(std::size_t block) const { return blocks_[block].weight; }  // 1 on average
  OracleKind oracle() const { return oracle_; }
  /// set_reference() of one block at these scores of its documents: whether it changed.
  bool refer(std::size_t block, Bound bound, std::span<const double> scores, ListWorkspace& workspace);

 private:
  struct Block {
    std::size_t query;
    double weight;
    double cost;
  };
  struct Workspace;

  bool choose_reference(std::size_t block, Bound bound, std::span<const double> w, RiskWorkspace& workspace) override;
  double value(std::size_t block, std::span<const double> w, RiskWorkspace& workspace) const override;

  /// Leaves the scores and the plane of the most violated ranking in the workspace.
  void linearize_scores(std::size_t block, std::span<const double> w, Workspace& workspace) const;

  const Representation& features_;
  OracleTables tables_;
  OracleKind oracle_;
  std::vector<float> given_labels_;
  std::size_t longest_ = 0;
  double total_weight_ = 0;
  std::vector<Block> blocks_;
  std::vector<ListProblem> lists_;  // by block
};

/// Throws Error(bad_input) when none of the queries has a list to learn the measure from.
void require_lists(std::size_t lists, std::size_t queries, const std::string& measure);

}  // namespace dorm
