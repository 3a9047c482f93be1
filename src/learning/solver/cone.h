// SPDX-License-Identifier: Apache-2.0
// The weights that sign constraints allow. Their multipliers have a closed form in the dual: with v = sum alpha
// direction, w is v with 0 in the place of numbers of the wrong sign, and D = sum alpha offset - 1/2 |w|^2. Solvers
// combine planes to v, which is what a SolverState holds, and read it through the cone. Without constraints w is v.
#pragma once

#include <span>
#include <vector>

#include "dorm/learning/geometry.h"

namespace dorm {

class Cone {
 public:
  /// Borrows the geometry.
  explicit Cone(const Geometry& geometry);

  /// Whether all weights are free.
  bool whole() const { return low_.empty(); }

  /// w: `v` itself where all are free, else in `memory`.
  std::span<const double> nearest(std::span<const double> v, std::vector<double>& memory) const;
  void project(std::vector<double>& v) const;

  double square(std::span<const double> v) const;                                      // |w|^2
  double product(std::span<const double> v, std::span<const double> direction) const;  // <w, direction>
  double product(std::span<const double> v, const Plane& plane) const;

  /// Whether weight j may move from w_j by a little of `step`.
  bool admits(std::size_t j, double w, double step) const {
    return whole() || ((w > low_[j] || step > 0) && (w < high_[j] || step < 0));
  }

 private:
  double at(std::size_t j, double v) const;

  const Geometry& geometry_;
  std::vector<double> low_, high_;  // 0 or infinite; empty: all are free
};

}  // namespace dorm
