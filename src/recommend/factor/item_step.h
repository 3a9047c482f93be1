// SPDX-License-Identifier: Apache-2.0
// The half step in V: with the users fixed, one convex problem over all items,
//
//   P(W) = sum_u H_u(s0_u + W U_u) + lambda/2 |W|^2,   W = V - V0,
//
// by block dual ascent. W = 1/lambda sum_u (sum_k alpha_uk delta_uk) U_u': a plane is the delta over the user's own
// items, and within a user the Gram matrix is |U_u|^2 <delta, delta'>, so that no vector of the size of W is ever
// formed for a plane.
//
// Users go in batches that share one W. Each proposes new weights; the joint step W + theta dW takes the best
// theta. Proposals run in parallel over users, the sums over disjoint ranges of items: results do not depend on the
// number of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dorm/ranking/list_problem.h"
#include "recommend/factor/local_planes.h"
#include "recommend/factor/ranking_lists.h"

namespace dorm {

struct ItemStepResult {
  double before = 0, after = 0, dual = 0;  // of P, references fixed
  std::uint64_t passes = 0;
};

struct ItemStepSettings {
  FactorLayout layout;
  double lambda = 1, tolerance = 1e-3;
  std::uint64_t pass_limit = 50;
  std::uint64_t seed = 1;
};

/// Keeps planes and dual weights from one step to the next: they stay valid when U or the references change.
class ItemStep {
 public:
  ItemStep(RankingLists& lists, const ItemStepSettings& settings, ThreadPool& pool);

  /// Called after each pass with an estimate of the relative gap; false ends the step.
  using PassObserver = std::function<bool(double gap)>;

  /// Chooses references at the present scores and replaces the learnt coordinates of `item_factors` unless no better
  /// point was found. `centre` has V0 there.
  ItemStepResult solve(const FactorMatrix& user_factors, std::span<const double> offsets, const FactorMatrix& centre,
                       FactorMatrix& item_factors, const PassObserver& observer);

 private:
  struct Entry {
    std::uint32_t item;
    double change;
  };
  struct Proposal {
    std::vector<double> alpha;   // better weights of the user's planes
    std::vector<Entry> entries;  // change of W is sum of change * U_u over these items
    double slope = 0, gap = 0;
  };
  struct Scratch {
    ListWorkspace list;
    ScorePlane plane;
    std::vector<double> scores, local, h, move, change;
    std::vector<float> delta;
  };
  struct Shard {
    std::uint32_t begin, end;  // of items
    std::vector<std::uint32_t> touched;
    double squared_norm;
  };

  void prepare(const FactorMatrix& user_factors, std::span<const double> offsets, const FactorMatrix& centre,
               const FactorMatrix& item_factors);
  void make_shards();
  void rebuild_weights();
  std::span<const double> user_part(std::size_t l) const;
  void scores_at(std::size_t l, std::span<const double> w, std::span<double> scores) const;
  double evaluate(std::span<const double> w);
  double dual() const;
  double pass(std::uint64_t number);
  void propose(std::size_t l, Proposal& out, Scratch& scratch);
  void describe_move(std::size_t l, Proposal& out, Scratch& scratch) const;
  void accumulate(Shard& shard, std::span<const std::size_t> batch);
  void apply(std::span<const std::size_t> batch);

  RankingLists& lists_;
  ItemStepSettings settings_;
  ThreadPool& pool_;
  const FactorMatrix* user_factors_ = nullptr;
  std::size_t width_;
  std::vector<LocalPlanes<float>> planes_;
  std::vector<std::vector<double>> centre_scores_;  // s0 of each list
  std::vector<double> squared_norm_;                // |U_u|^2 over the coordinates items learn
  std::vector<double> w_, step_;                    // items x width_
  std::vector<std::uint32_t> stamp_;                // the batch that touched an item last
  std::uint32_t batch_number_ = 0;
  std::vector<Shard> shards_;
  std::vector<Proposal> proposals_;
  std::vector<Scratch> scratch_;
};

}  // namespace dorm
