// SPDX-License-Identifier: Apache-2.0
#include "learning/train/fit.h"

#include "dorm/one_per.h"

namespace dorm {
namespace {

constexpr std::size_t kLongList = 100;

std::size_t rounds_of(const FitOptions& options, const RankingRisk& risk) {
  if (options.bound == Bound::given || options.bound == Bound::average) return 1;  // convex: one round solves it
  if (options.rounds > 0) return options.rounds;
  return options.bound == Bound::predicted && risk.longest_query() > kLongList ? 8 : 4;
}

// More rounds of `best` were measured to help where the first explains most of the risk, and to do harm elsewhere.
double enough_health_of(const FitOptions& options) {
  return options.bound == Bound::best && options.rounds == 0 ? kConfident : 0;
}

}  // namespace

double trade_off(double C, bool paper_C, const TrainingSet& set, const RankingRisk& risk) {
  return paper_C ? C : C * set.squared_scale() / static_cast<double>(risk.num_blocks());
}

std::vector<GroupLimits> limits_of(const Dataset& data, const TrainOptions& options) {
  if (options.one_per.empty()) return {};
  return group_limits(data, parse_one_per(options.one_per));
}

Fitted fit_bound(RankingRisk& risk, const FitOptions& options, const std::vector<double>& start,
                 const RoundsObserver& observer, RoundsState resume, SolverState warm) {
  const RoundsOptions rounds{options.bound, rounds_of(options, risk), options.solve, options.keep_first_round,
                             enough_health_of(options)};
  RoundsResult result = run_rounds(risk, rounds, start, observer, std::move(resume), std::move(warm));
  Fitted fitted;
  fitted.w = std::move(result.w);
  fitted.primal = result.report.primal;
  fitted.dual = result.report.dual;
  fitted.gap = result.report.gap;
  fitted.zero_risk = risk.loss(std::vector<double>(risk.dimension(), 0.0));
  fitted.health = 1 - fitted.primal / fitted.zero_risk;
  fitted.zero_is_optimal = fitted.zero_risk - fitted.dual <= options.solve.tolerance * fitted.zero_risk;
  fitted.status = status_name(result.report.status);
  fitted.rounds = result.objectives.size();
  fitted.report = std::move(result.report);
  fitted.first_round = std::move(result.first_round);
  return fitted;
}

std::string status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::pass_limit:
      return "pass_limit";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::interrupted:
      return "interrupted";
    case SolveStatus::numerical_trouble:
      break;
  }
  return "numerical_trouble";
}

}  // namespace dorm
