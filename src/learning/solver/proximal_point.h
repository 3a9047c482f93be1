// SPDX-License-Identifier: Apache-2.0
// An accelerated proximal-point loop around block steps, for problems whose blocks are coupled so strongly that sweeps
// crawl (a large C, few features).
//
// Block steps then solve P(w) + kappa / 2 |w - y|^2 instead of P: with v = sum alpha direction its minimiser over the
// planes at hand is w = (v + kappa y) / (1 + kappa), and curvatures are divided by 1 + kappa. After a few sweeps the
// centre y moves to w and a little beyond, in the direction of the last move (Nesterov); where w turns against that
// direction, or D has fallen, it moves to w only. The certificate stays that of P: alpha is feasible, D = sum alpha
// offset - 1/2 |v|^2, and P(w) - D is the sum of the blocks' gaps at w plus 1/2 |w - v|^2. Under sign constraints
// (cone.h) the state's w is read through the cone, and centres lie where w does.
#pragma once

#include "dorm/solver.h"
#include "learning/solver/cone.h"

namespace dorm {

/// v = sum alpha direction.
std::vector<double> dual_weights(const SolverState& state);

/// Begins the loop with the centre at the present w, which does not move.
void begin_proximal(SolverState& state, const Cone& cone, double kappa);

/// Moves the centre, and w with it. `dual_fell`: D is lower than when the centre last moved.
void move_centre(SolverState& state, const Geometry& geometry, const Cone& cone, bool dual_fell);

/// Ends the loop: w is v again.
void end_proximal(SolverState& state);

/// What P(w) - D is more than the gaps of the blocks.
double proximal_gap(const SolverState& state, const Geometry& geometry, const Cone& cone);

}  // namespace dorm
