// SPDX-License-Identifier: Apache-2.0
// One candidate: a bound at one C, from one start, with its certificate and its health.
#pragma once

#include <string>
#include <vector>

#include "dorm/train.h"
#include "learning/train/rounds.h"
#include "learning/train/training_set.h"

namespace dorm {

struct FitOptions {
  Bound bound = Bound::best;
  std::size_t rounds = 0;         // 0: as many as the bound needs
  SolveOptions solve;             // `seconds` is for all rounds together
  bool keep_first_round = false;  // fill Fitted::first_round
};

struct Fitted {
  std::vector<double> w;
  double primal = 0, dual = 0, gap = 0;  // in the units of the risk
  double zero_risk = 0;                  // P(0)
  double health = 0;                     // 1 - P(w) / P(0)
  bool zero_is_optimal = false;          // P(0) - D is within the tolerance
  std::string status;
  std::size_t rounds = 0;
  SolveReport report;
  SolverState first_round;
};

/// C_q of a query of average weight, for the user's C: C s^2 / m, or the paper's C itself.
double trade_off(double C, bool paper_C, const TrainingSet& set, const RankingRisk& risk);

/// The limits that options.one_per puts on every query of the data; none when it is empty.
std::vector<GroupLimits> limits_of(const Dataset& data, const TrainOptions& options);

Fitted fit_bound(RankingRisk& risk, const FitOptions& options, const std::vector<double>& start,
                 const RoundsObserver& observer = {}, RoundsState resume = {}, SolverState warm = {});

/// converged, pass_limit, time_limit, interrupted, numerical_trouble
std::string status_name(SolveStatus status);

}  // namespace dorm
