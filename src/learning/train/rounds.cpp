// SPDX-License-Identifier: Apache-2.0
#include "learning/train/rounds.h"

#include <algorithm>

#include "base/stopwatch.h"

namespace dorm {
namespace {

// Rounds stop when the objective falls by less than this share.
constexpr double kSmallestFall = 1e-3;
// Stands for "none" where 0 would mean "no limit".
constexpr double kNoTime = 1e-9;

double objective(const RankingRisk& risk, std::span<const double> w) {
  return 0.5 * risk.geometry().inner(w, w) + risk.loss(w);
}

double health(const RankingRisk& risk, double primal) {
  return 1 - primal / risk.loss(std::vector<double>(risk.dimension(), 0.0));
}

bool stopped_early(SolveStatus status) {
  return status == SolveStatus::interrupted || status == SolveStatus::time_limit;
}

double seconds_left(double limit, const Stopwatch& watch) { return std::max(kNoTime, limit - watch.seconds()); }

// The solver stopped above the point it started from: that point is the better answer, with the same dual bound.
void keep_reference(SolveResult& solved, const std::vector<double>& w, double primal) {
  solved.w = w;
  solved.report.primal = primal;
  solved.report.gap = (primal - solved.report.dual) / primal;
}

}  // namespace

RoundsResult run_rounds(RankingRisk& risk, const RoundsOptions& options, const std::vector<double>& start,
                        const RoundsObserver& observer, RoundsState state, SolverState warm) {
  RoundsResult result;
  const Stopwatch watch;
  bool wanted = true;
  if (state.round == 0) {
    state.round = 1;
    state.reference_w = start;
    state.solver = std::move(warm);
  }
  risk.set_reference(options.bound, state.reference_w);
  for (;; ++state.round) {
    const double before = objective(risk, state.reference_w);
    const Observer relay = [&](const Progress& progress) {
      wanted = (!observer || observer(state, progress)) && wanted;  // the last report, too, is for the checkpoint
      return wanted;
    };
    SolveOptions solve_options = options.solve;
    if (options.solve.seconds > 0) solve_options.seconds = seconds_left(options.solve.seconds, watch);
    SolveResult solved = solve(risk, solve_options, relay, {state.reference_w, std::move(state.solver)});
    if (state.round > 1 && solved.report.primal > before) keep_reference(solved, state.reference_w, before);
    if (state.round == 1 && options.keep_first_round) result.first_round = std::move(solved.state);
    result.w = std::move(solved.w);
    result.report = std::move(solved.report);
    state.objectives.push_back(result.report.primal);
    const bool settled = state.round > 1 && before - result.report.primal < kSmallestFall * before;
    if (settled || state.round >= options.max_rounds || stopped_early(result.report.status)) break;
    if (state.round == 1 && health(risk, result.report.primal) < options.enough_health) break;
    // Converged in the very moment it was told to stop or ran out of time: the rounds are not over.
    if (!wanted) result.report.status = SolveStatus::interrupted;
    if (options.solve.seconds > 0 && seconds_left(options.solve.seconds, watch) <= kNoTime)
      result.report.status = SolveStatus::time_limit;
    if (stopped_early(result.report.status)) break;
    state.reference_w = result.w;
    state.solver = {};
    if (risk.set_reference(options.bound, state.reference_w) == 0) break;
  }
  result.objectives = std::move(state.objectives);
  return result;
}

}  // namespace dorm
