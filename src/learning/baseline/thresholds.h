// SPDX-License-Identifier: Apache-2.0
// The step of a ranking perceptron (PRank, Crammer and Singer 2001), shared by those over documents and over ratings.
#pragma once

#include <span>

namespace dorm {

/// thresholds[r] separates the grades up to grades[r] from those above. Those that the score is on the wrong side of
/// move by one; the sum of their sides says how far the score should move: up when above 0.
inline double move_thresholds(double score, float grade, std::span<const float> grades, std::span<double> thresholds) {
  double moves = 0;
  for (std::size_t r = 0; r < thresholds.size(); ++r) {
    const double side = grade > grades[r] ? 1.0 : -1.0;
    if (side * (score - thresholds[r]) > 0) continue;
    moves += side;
    thresholds[r] -= side;
  }
  return moves;
}

}  // namespace dorm
