// SPDX-License-Identifier: Apache-2.0
// The outer rounds of a bound: fix the reference ranking by the current weights, solve the convex problem, repeat.
// Bounds with a fixed reference (given, average) need one round; best and predicted are concave-convex procedures,
// whose objective never rises from round to round.
#pragma once

#include <functional>
#include <vector>

#include "dorm/solver.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {

struct RoundsOptions {
  Bound bound = Bound::best;
  std::size_t max_rounds = 1;
  SolveOptions solve;             // `seconds` is for all rounds together
  bool keep_first_round = false;  // fill RoundsResult::first_round
  double enough_health = 0;       // go on after the first round only if 1 - P(w) / P(0) has reached this
};

/// Where the rounds stand; what a checkpoint holds of them.
struct RoundsState {
  std::size_t round = 0;            // rounds begun
  std::vector<double> reference_w;  // whose scores fix the references of this round
  std::vector<double> objectives;   // of the finished rounds
  SolverState solver;               // of the round begun
};

struct RoundsResult {
  std::vector<double> w;
  SolveReport report;              // of the last round
  std::vector<double> objectives;  // P at the end of each round
  SolverState first_round;         // of the solver, to start the same round at another C; empty unless kept
};

/// Told of every progress report; false stops the training.
using RoundsObserver = std::function<bool(const RoundsState&, const Progress&)>;

/// Runs the rounds from the weights `start`, or from where `resume` stands if it has begun a round. `warm` may hold the
/// solver state of the same first round at another C, already rescaled.
RoundsResult run_rounds(RankingRisk& risk, const RoundsOptions& options, const std::vector<double>& start,
                        const RoundsObserver& observer = {}, RoundsState resume = {}, SolverState warm = {});

}  // namespace dorm
