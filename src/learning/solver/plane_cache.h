// SPDX-License-Identifier: Apache-2.0
// The planes of every block with their Gram matrices, and the exact dual step of one block.
//
// Calls for different blocks may run in parallel, except apply(), which moves the common w.
#pragma once

#include "dorm/solver.h"
#include "learning/solver/cone.h"

namespace dorm {

/// A better dual point of one block, found at some w that may be out of date when it is applied.
struct Proposal {
  std::vector<double> alpha;      // the better weights
  std::vector<double> h;          // scratch
  std::vector<double> change;     // alpha minus the weights of before; scratch of apply()
  std::vector<double> direction;  // sum change direction; empty where the planes themselves are shorter
  double offset = 0;              // sum change offset
  double curvature = 0;           // |sum change direction|^2
  double gap = 0;                 // of the block before the step: C max(0, max h) - <alpha, h>
  double cost = 0;                // multiply-adds spent
  bool moves = false;
};

/// Planes with weight are always kept. The others go when they have been idle for more than `idle_passes` passes, and
/// the longest idle first when the block is full.
struct PlaneLimits {
  std::size_t planes_per_block = 50;
  std::uint64_t idle_passes = 1;
};

class PlaneCache {
 public:
  /// Works on state.blocks and state.w (the v of cone.h), which hold the truth; Gram matrices are rebuilt from the
  /// planes.
  PlaneCache(const StructuredRisk& risk, const Cone& cone, SolverState& state, const PlaneLimits& limits);

  /// A hint: these blocks are visited next. Looks at those `distance` and more from the first, which nobody may
  /// change meanwhile.
  void fetch(std::span<const std::size_t> blocks, std::size_t distance) const;

  /// False when the block has this plane already, or it is not finite.
  bool insert(std::size_t block, const Plane& plane);

  /// max(0, max over the cached planes of offset - <w, direction>): the slack of the block's constraints.
  double cached_value(std::size_t block, std::span<const double> w) const;

  /// Maximises the dual (of the proximal problem, where there is a centre) over the cached planes of the block, the
  /// others fixed at w, up to a thousandth of the block's gap.
  void propose(std::size_t block, std::span<const double> w, Proposal& out);

  /// Moves towards the proposal as far as is best at the present w. Returns the rise of the dual, >= 0.
  double apply(std::size_t block, Proposal& proposal);

  /// w computed afresh from the planes: removes what rounding has added up.
  void refresh_weights();

  double dual() const;
  std::uint64_t planes() const;
  std::uint64_t support_vectors() const;
  std::uint64_t bytes() const;

  /// Drops planes without weight, longest inactive first, until at most `limit` bytes are held.
  void trim(std::uint64_t limit);

 private:
  struct Gram {
    std::vector<double> entries;
    std::size_t stride = 0;
  };
  void append_gram_row(std::size_t block);
  void describe_change(std::size_t block, Proposal& out) const;
  void erase(std::size_t block, std::size_t slot);

  const StructuredRisk& risk_;
  const Geometry& geometry_;
  const Cone& cone_;
  SolverState& state_;
  PlaneLimits limits_;
  std::vector<Gram> grams_;
};

}  // namespace dorm
