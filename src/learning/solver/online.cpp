// SPDX-License-Identifier: Apache-2.0
// For streams and very large data: keeps w and no planes.
//
// The first pass is passive-aggressive: each plane gets the weight tau in [0, C_q] that maximises the dual. Later
// passes are subgradient steps of size 1/t, w <- (1 - 1/t) w + (1/t) m C_q direction, whose sum over whole passes is a
// dual feasible point: the bound comes for free, and no projection is needed.
#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "learning/solver/context.h"

namespace dorm {
namespace {

class Online {
 public:
  explicit Online(SolveContext& context)
      : context_(context),
        state_(context.state),
        planes_(batch_size(context, context.workers.blocks().size())),
        average_(state_.w) {}

  void pass() {
    const Stopwatch watch;
    const bool first_pass = passes_++ == 0;
    ++state_.pass;
    state_.oracle_calls += context_.workers.blocks().size();
    const std::vector<std::size_t> order = pass_order(context_, state_.pass);
    std::fill(average_.begin(), average_.end(), 0.0);
    const BlockVisitor keep = [this](const BlockResponse& answer) { planes_[answer.index] = answer.plane; };
    context_.workers.run_batches(order.size(), planes_.size(), [&](std::size_t first, std::size_t last) {
      const std::span<const std::size_t> batch = std::span(order).subspan(first, last - first);
      context_.workers.linearize(batch, state_.w, keep);
      if (first_pass)
        passive_aggressive(batch);
      else
        subgradient(batch);
      const double share = static_cast<double>(batch.size()) / static_cast<double>(order.size());
      for (std::size_t k = 0; k < average_.size(); ++k) average_[k] += share * state_.w[k];
    });
    seconds_ += watch.seconds();
  }

  /// The dual at the best multiple of the present point that is still feasible.
  double dual() const {
    const double square = context_.geometry.inner(state_.w, state_.w);
    const double scale = offset_ < square ? std::max(0.0, offset_ / square) : 1.0;
    return scale * (offset_ - 0.5 * scale * square);
  }

  void evaluate(std::span<const double> w) {
    const double risk = context_.workers.evaluate(w, (context_.workers.blocks().size() + 7) / 8);
    ++state_.pass;
    state_.oracle_calls += context_.workers.blocks().size();
    context_.stopping.offer(w, 0.5 * context_.geometry.inner(w, w) + risk);
  }

  std::span<const double> average() const { return average_; }
  double seconds() const { return seconds_; }

 private:
  void passive_aggressive(std::span<const std::size_t> batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Plane& plane = planes_[i];
      const double slope = plane.offset - context_.geometry.dot(state_.w, plane);
      if (!(slope > 0)) continue;
      const double square = context_.geometry.inner(plane, plane), limit = context_.risk.block_weight(batch[i]);
      const double tau = slope < limit * square ? slope / square : limit;
      context_.geometry.add(tau, plane, state_.w);
      offset_ += tau * plane.offset;
    }
  }

  // A batch is one step of as many units of time; a pass is m units, and the first counted as one pass.
  void subgradient(std::span<const std::size_t> batch) {
    time_ += static_cast<double>(batch.size()) / static_cast<double>(context_.workers.blocks().size());
    const double shrink =
        1 - static_cast<double>(batch.size()) / (time_ * static_cast<double>(context_.workers.blocks().size()));
    for (double& x : state_.w) x *= shrink;
    offset_ *= shrink;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double weight = context_.risk.block_weight(batch[i]) / time_;
      context_.geometry.add(weight, planes_[i], state_.w);
      offset_ += weight * planes_[i].offset;
    }
  }

  SolveContext& context_;
  SolverState& state_;
  std::vector<Plane> planes_;
  std::vector<double> average_;  // of the iterates of the last pass
  double offset_ = 0;            // sum alpha offset
  double time_ = 1;              // passes behind us
  std::uint64_t passes_ = 0;
  double seconds_ = 0;
};

}  // namespace

void solve_online(SolveContext& context) {
  Online problem(context);
  Stopping& stopping = context.stopping;
  if (!context.start_weights.empty()) problem.evaluate(context.start_weights);
  for (;;) {
    while (!stopping.last_call()) {
      problem.pass();
      stopping.bound(problem.dual());
      stopping.tick(0);
      if (evaluation_due(context.state.pass)) break;
    }
    problem.evaluate(context.state.w);
    if (!stopping.last_call()) problem.evaluate(problem.average());
    if (stopping.finished(0, false)) break;
  }
  stopping.report().qp_seconds = std::max(0.0, problem.seconds() - context.workers.seconds());
}

}  // namespace dorm
