// SPDX-License-Identifier: Apache-2.0
#include "learning/train/rounds.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "dorm/train.h"

namespace dorm {
namespace {

// Rounds stop when the objective falls by less than this share.
constexpr double kSmallestFall = 1e-3;
constexpr std::size_t kLongList = 100;

bool stopped_early(SolveStatus status) {
  return status == SolveStatus::interrupted || status == SolveStatus::time_limit;
}

class Rounds {
 public:
  Rounds(ReferencedRisk& risk, const RoundsOptions& options, const RoundsObserver& observer, RoundsState state)
      : risk_(risk), options_(options), observer_(observer), state_(std::move(state)), limit_(options.solve.seconds) {}

  Fitted run() {
    risk_.set_reference(options_.bound, state_.reference_w);
    fitted_.zero_risk = risk_.loss(std::vector<double>(risk_.dimension(), 0.0));  // the same for every reference
    do solve_round();
    while (next_round());
    fitted_.objectives = std::move(state_.objectives);
    return std::move(fitted_);
  }

 private:
  void solve_round() {
    if (state_.round > 1)
      before_ = 0.5 * risk_.geometry().inner(state_.reference_w, state_.reference_w) + risk_.loss(state_.reference_w);
    const Observer relay = [&](const Progress& progress) {
      wanted_ = (!observer_ || observer_(state_, progress)) && wanted_;  // the last report, too, is for the checkpoint
      return wanted_;
    };
    SolveOptions solve_options = options_.solve;
    solve_options.seconds = limit_.left();
    SolveResult solved =
        solve(risk_, solve_options, relay, {state_.reference_w, std::move(state_.solver)}, options_.compute);
    if (state_.round > 1 && solved.report.primal > before_) keep_reference(solved);
    if (state_.round == 1 && options_.keep_first_round) fitted_.first_round = std::move(solved.state);
    fitted_.w = std::move(solved.w);
    fitted_.report = std::move(solved.report);
    state_.objectives.push_back(fitted_.report.primal);
  }

  // The solver stopped above the point it started from: that point is the better answer, with the same dual bound.
  void keep_reference(SolveResult& solved) const {
    solved.w = state_.reference_w;
    solved.report.primal = before_;
    solved.report.gap = relative_gap(before_, solved.report.dual);
  }

  /// Fixes the references of the next round by the weights of this one; false when there is to be none.
  bool next_round() {
    if (settled() || stopped_early(fitted_.report.status)) return false;
    // Converged when it was stopped or ran out of time: the rounds are not over.
    if (!wanted_) fitted_.report.status = SolveStatus::interrupted;
    if (limit_.over()) fitted_.report.status = SolveStatus::time_limit;
    if (stopped_early(fitted_.report.status)) return false;
    state_.reference_w = fitted_.w;
    state_.solver = {};
    ++state_.round;
    return risk_.set_reference(options_.bound, state_.reference_w) > 0;
  }

  /// Whether the bound asks for no further round.
  bool settled() const {
    if (state_.round >= most_rounds()) return true;
    if (state_.round > 1) return before_ - fitted_.report.primal < kSmallestFall * before_;
    // More rounds of `best` were measured to help where the first explains most of the risk, and to do harm elsewhere.
    if (options_.bound != Bound::best || options_.rounds > 0) return false;
    return fitted_.explained_risk() < kConfident;
  }

  std::size_t most_rounds() const {
    if (!depends_on_scores(options_.bound)) return 1;  // convex: one round solves it
    if (options_.rounds > 0) return options_.rounds;
    return options_.bound == Bound::predicted && risk_.longest_query() > kLongList ? 8 : 4;
  }

  ReferencedRisk& risk_;
  const RoundsOptions& options_;
  const RoundsObserver& observer_;
  RoundsState state_;
  const TimeLimit limit_;
  Fitted fitted_;
  double before_ = 0;   // from the second round on: the objective of the weights that fix its references
  bool wanted_ = true;  // the observer has not asked to stop
};

}  // namespace

bool Fitted::unfinished() const { return !early_stopped && stopped_early(report.status); }

std::string_view Fitted::status() const { return early_stopped ? "early_stopped" : name_of(report.status); }

Fitted run_rounds(ReferencedRisk& risk, const RoundsOptions& options, const std::vector<double>& start,
                  const RoundsObserver& observer, RoundsState state, SolverState warm) {
  if (state.round == 0) {
    state.round = 1;
    state.reference_w = start;
    state.solver = std::move(warm);
  }
  return Rounds(risk, options, observer, std::move(state)).run();
}

}  // namespace dorm
