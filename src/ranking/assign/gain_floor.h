// SPDX-License-Identifier: Apache-2.0
// Where the scale of gains by position begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dorm/learning/assignment.h"

namespace dorm {

/// What a list gains that is worth nothing: 0, or what the worst list of `positions` documents gains where that is
/// negative. Gains are documents x positions, and positions are not more than documents.
inline double gain_floor(std::span<const double> gain, std::size_t positions) {
  if (std::none_of(gain.begin(), gain.end(), [](double x) { return x < 0; })) return 0;
  return std::min(0.0, assign(gain, gain.size() / positions, positions, Sense::minimize).value);
}

}  // namespace dorm
