// SPDX-License-Identifier: Apache-2.0
// The inner loop of a shortest-path search over implicit costs: one document against all positions.
#pragma once

#include <cstddef>

#include "base/vector/cpu.h"

namespace dorm::oracle {

/// The state of one search, by position; every array has a whole vector of room past the end, where
/// `blocked` is infinite.
struct PathSearch {
  std::size_t positions;
  const double *a, *c, *price;
  double* distance;       // shortest path so far; -infinity once settled
  double* parent;         // the document before this position on it
  const double* blocked;  // 0 while open, infinity once settled
};

/// Lengthens the paths by document `name` = (g, b), whose own path and wish sum to `base`, and returns the nearest open
/// position, the first among equals.
std::size_t relax(const PathSearch& search, double name, double g, double b, double base, SimdLevel level);

}  // namespace dorm::oracle
