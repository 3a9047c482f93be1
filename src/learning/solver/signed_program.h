// SPDX-License-Identifier: Apache-2.0
// The quadratic program over aggregate planes under sign constraints (cone.h): with v = sum alpha direction,
//
//     maximise  <b, alpha> - 1/2 |w(v)|^2   over  alpha >= 0,  sum alpha <= C.
//
// Where the signs of v do not change it is the program without constraints, in the coordinates that w keeps: that one
// is solved, a step towards its solution is as long as is best, and so on (Newton's method for a function that is
// quadratic in parts).
#pragma once

#include <span>
#include <vector>

#include "dorm/learning/solver_state.h"
#include "learning/solver/cone.h"
#include "learning/solver/simplex_qp.h"

namespace dorm {

struct SignedProgram {
  std::span<const AggregatePlane> planes;
  GramView gram;  // in all coordinates
  std::span<const double> offsets;
  const Cone& cone;
  double total;

  /// Improves the feasible point `alpha` until its duality gap is within the tolerance.
  void improve(std::vector<double>& alpha, double tolerance) const;

 private:
  std::vector<double> kept_gram(std::span<const double> v) const;
  double best_step(std::span<const double> v, std::span<const double> change, double rise) const;
};

}  // namespace dorm
