// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/stopping.h"

#include <algorithm>
#include <cmath>

namespace dorm {
namespace {

// Planes are kept in 32 bits: near the optimum the dual may pass the primal by about that.
constexpr double kRounding = 1e-6;

}  // namespace

bool contradict(double primal, double dual) { return dual - primal > kRounding * std::abs(primal); }

double relative_gap(double primal, double dual) {
  if (contradict(primal, dual)) return 1;
  const double difference = std::max(0.0, primal - dual);
  return difference == 0 ? 0 : difference / primal;
}

Stopping::Stopping(const SolveOptions& options, const Observer& observer, SolverState& state, const Cone& cone)
    : options_(options), observer_(observer), state_(state), cone_(cone) {}

void Stopping::offer(std::span<const double> v, double primal) {
  if (!std::isfinite(primal)) return give_up("a value of the objective is not finite");
  if (!state_.best_w.empty() && primal >= state_.best_primal) return;
  state_.best_w.assign(v.begin(), v.end());
  cone_.project(state_.best_w);
  state_.best_primal = primal;
  check();
}

void Stopping::bound(double dual) {
  if (!std::isfinite(dual)) return give_up("a lower bound is not finite");
  state_.best_dual = std::max(state_.best_dual, dual);
  check();
}

void Stopping::check() {
  if (!state_.best_w.empty() && contradict(primal(), dual()))
    give_up(
        "the lower bound is above the objective: numbers are too small or too large for the cutting planes, which are "
        "kept in 32 bits; scale the features");
}

double Stopping::gap() const { return relative_gap(primal(), dual()); }

double Stopping::seconds() const { return watch_.seconds(); }

bool Stopping::out_of_passes(std::uint64_t more) const { return state_.pass + 1 + more > options_.max_passes; }

bool Stopping::last_call(std::uint64_t evaluation_passes) const {
  return trouble_ || !wanted_ || out_of_passes(evaluation_passes) || out_of_time();
}

Progress Stopping::progress(std::uint64_t planes) const {
  Progress now;
  now.pass = state_.pass;
  now.primal = primal();
  now.dual = dual();
  now.gap = state_.best_w.empty() ? 1.0 : gap();
  now.seconds = seconds();
  now.oracle_calls = state_.oracle_calls;
  now.planes = planes;
  return now;
}

void Stopping::tick(std::uint64_t planes, bool resumable, double dual_now) {
  if (!observer_) return;
  Progress now = progress(planes);
  highest_told_ = std::max(highest_told_, dual_now);
  now.dual = std::max(now.dual, highest_told_);
  if (!state_.best_w.empty()) now.gap = relative_gap(now.primal, now.dual);
  if (resumable) now.state = &state_;
  now.best_w = state_.best_w;
  wanted_ = observer_(now) && wanted_;
}

bool Stopping::finished(std::uint64_t planes, bool resumable) {
  Progress now = progress(planes);
  report_.history.push_back(now);
  now.evaluated = true;
  if (resumable) now.state = &state_;
  now.best_w = state_.best_w;
  if (observer_) wanted_ = observer_(now) && wanted_;
  if (converged() || satisfied_)
    report_.status = SolveStatus::converged;
  else if (trouble_)
    report_.status = SolveStatus::numerical_trouble;
  else if (!wanted_)
    report_.status = SolveStatus::interrupted;
  else if (options_.seconds > 0 && now.seconds >= options_.seconds)
    report_.status = SolveStatus::time_limit;
  else if (out_of_passes())
    report_.status = SolveStatus::pass_limit;
  else
    return false;
  return true;
}

}  // namespace dorm
