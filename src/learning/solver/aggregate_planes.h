// SPDX-License-Identifier: Apache-2.0
// Planes over all blocks, one per pass: the mean of the planes of the blocks weighted by C_q, and the quadratic program
// over those at hand, sum alpha <= sum C_q. Works on state.aggregates, state.aggregate_alpha and state.w.
#pragma once

#include <span>
#include <vector>

#include "learning/solver/context.h"

namespace dorm {

class AggregatePlanes {
 public:
  /// Takes up what the state holds.
  explicit AggregatePlanes(SolveContext& context);

  /// Adds the plane at w; returns P(w).
  double separate(std::span<const double> w);
  /// The last one added, if P was finite there.
  const AggregatePlane& newest() const { return state_.aggregates.back(); }

  /// Solves the dual over the planes at hand, to a tenth of the gap that is left, so that the program never hides the
  /// rest; sets w, and bounds the optimum by what it finds.
  void optimise();

  /// What a report says of planes.
  void describe(SolveReport& report) const;

 private:
  double dual() const;
  double tolerance() const;
  void append(AggregatePlane plane);
  void append_gram_row(std::size_t last);
  void make_room();
  void merge_lightest();

  SolveContext& context_;
  SolverState& state_;
  std::vector<double> gram_;
  double seconds_ = 0;  // of programs
};

}  // namespace dorm
