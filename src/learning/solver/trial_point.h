// SPDX-License-Identifier: Apache-2.0
// Where planes are to be taken next.
#pragma once

#include <vector>

#include "dorm/solver.h"
#include "learning/solver/cone.h"

namespace dorm {

/// The minimiser of the planes at hand, that of state.w, is far from where they are exact, and jumps about. Between it
/// and the best point so far the next planes are worth about twice as much (docs/benchmarks-archive.md).
inline std::vector<double> trial_point(const SolverState& state, const Cone& cone) {
  constexpr double kStep = 0.4;
  std::vector<double> w = state.best_w, memory;
  const std::span<const double> minimiser = cone.nearest(state.w, memory);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += kStep * (minimiser[j] - w[j]);
  return w;
}

}  // namespace dorm
