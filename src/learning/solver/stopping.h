// SPDX-License-Identifier: Apache-2.0
// When a solver stops, the best point it has seen, and the history: shared by all solvers.
#pragma once

#include "base/stopwatch.h"
#include "dorm/solver.h"
#include "learning/solver/cone.h"

namespace dorm {

class Stopping {
 public:
  /// Keeps the best primal point and the bounds in `state`; a resumed state brings its own.
  Stopping(const SolveOptions& options, const Observer& observer, SolverState& state, const Cone& cone);

  /// A point, as the w of `v` (cone.h), and its primal value; a dual value. Both keep the best.
  void offer(std::span<const double> v, double primal);
  void bound(double dual);

  /// Records the progress of the solver, reports to the observer and decides. True: stop, status is set.
  bool finished(std::uint64_t planes, bool resumable = true);

  /// Tells the observer that an oracle pass is over; `resumable`: going on from the state ends in the same bits. The
  /// highest dual of now so far is reported, but is no bound before it has been summed afresh.
  void tick(std::uint64_t planes, bool resumable = false, double dual_now = 0);

  /// No further oracle pass fits before the evaluation that must follow it (of `passes`): evaluate now.
  bool last_call(std::uint64_t evaluation_passes = 1) const;

  /// Ends the run: no iteration can improve the point any more, or the numbers cannot be trusted.
  void give_up(std::string_view reason = "no step improves the point any more") {
    if (!trouble_) report_.trouble = reason;
    trouble_ = true;
  }

  /// The solver's own rule is met, whatever the gap: the run has converged.
  void satisfy() { satisfied_ = true; }

  /// Whether a pass and so many more are beyond the limit.
  bool out_of_passes(std::uint64_t more = 0) const;
  bool out_of_time() const { return options_.seconds > 0 && seconds() >= options_.seconds; }
  double primal() const { return state_.best_primal; }
  double dual() const { return state_.best_dual; }
  double gap() const;
  bool converged() const { return !state_.best_w.empty() && gap() <= options_.tolerance; }
  double seconds() const;
  SolveReport& report() { return report_; }

 private:
  Progress progress(std::uint64_t planes) const;
  void check();

  const SolveOptions& options_;
  const Observer& observer_;
  SolverState& state_;
  const Cone& cone_;
  SolveReport report_;
  bool trouble_ = false, wanted_ = true, satisfied_ = false;
  double highest_told_ = 0;
  Stopwatch watch_;
};

}  // namespace dorm
