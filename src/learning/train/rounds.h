// SPDX-License-Identifier: Apache-2.0
// The outer rounds of a bound: fix the reference ranking by the current weights, solve the convex problem, repeat.
// Bounds with a fixed reference (given, average) need one round; best and predicted are concave-convex procedures,
// whose objective never rises from round to round.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "dorm/solver.h"
#include "learning/risk/referenced_risk.h"
#include "learning/solver/status.h"

namespace dorm {

struct RoundsOptions {
  Bound bound = Bound::best;
  std::size_t rounds = 0;                   // most rounds; 0: as many as the bound needs
  SolveOptions solve = {};                  // `seconds` is for all rounds together
  ComputeOptions compute = {.threads = 1};  // `memory` is for cached planes
  bool keep_first_round = false;            // fill Fitted::first_round
};

/// The progress of the rounds, as a checkpoint holds it.
struct RoundsState {
  std::size_t round = 0;            // rounds begun
  std::vector<double> reference_w;  // whose scores fix the references of this round
  std::vector<double> objectives;   // of the finished rounds
  SolverState solver;               // of the round begun
};

/// What the rounds found, in the units of the risk.
struct Fitted {
  std::vector<double> w;
  SolveReport report;              // of the last round
  std::vector<double> objectives;  // P at the end of each round
  double zero_risk = 0;            // P(0)
  bool early_stopped = false;      // w and the objective are those of the best validation, not of the last evaluation
  SolverState first_round;         // of the solver, to start the same round at another C; empty unless kept

  double explained_risk() const { return 1 - report.primal / zero_risk; }
  /// P(0) - D is within the tolerance.
  bool zero_is_optimal(double tolerance) const { return zero_risk - report.dual <= tolerance * zero_risk; }
  /// Stopped from outside before the rounds were over.
  bool unfinished() const;
  std::string_view status() const;  // the name of report.status, or early_stopped
};

/// Told of every progress report; false stops the training.
using RoundsObserver = std::function<bool(const RoundsState&, const Progress&)>;

/// Runs the rounds from the weights `start`, or from `resume` if it has begun a round. `warm` may hold the
/// solver state of the same first round at another C, already rescaled.
Fitted run_rounds(ReferencedRisk& risk, const RoundsOptions& options, const std::vector<double>& start,
                  const RoundsObserver& observer = {}, RoundsState resume = {}, SolverState warm = {});

}  // namespace dorm
