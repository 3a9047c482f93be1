// SPDX-License-Identifier: Apache-2.0
// Block-coordinate Frank-Wolfe: per block only the mixture w_q = sum alpha direction is kept. A step mixes in the
// newest plane with an exact line search; blocks are drawn in proportion to their last known gaps; the weighted average
// of the iterates is a second candidate for the answer.
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "base/stopwatch.h"
#include "base/vector/vector_ops.h"
#include "learning/solver/context.h"

namespace dorm {
namespace {

constexpr std::uint64_t kFullPassEvery = 5;  // passes in given order, so that no gap stays out of date

class FrankWolfe {
 public:
  explicit FrankWolfe(SolveContext& context)
      : context_(context),
        state_(context.state),
        gaps_(context.risk.num_blocks(), INFINITY),
        planes_(batch_size(context, context.workers.blocks().size())),
        average_(state_.w) {
    state_.aggregates.resize(context.risk.num_blocks());
    for (const std::size_t block : context.workers.blocks())
      state_.aggregates[block].direction.resize(state_.dimension, 0.0);
  }

  void pass() {
    ++state_.pass;
    state_.oracle_calls += context_.workers.blocks().size();
    const Stopwatch watch;
    const std::vector<std::size_t> order = draw();
    const BlockVisitor keep = [this](const BlockResponse& answer) { planes_[answer.index] = answer.plane; };
    context_.workers.run_batches(order.size(), planes_.size(), [&](std::size_t first, std::size_t last) {
      const std::span<const std::size_t> batch = std::span(order).subspan(first, last - first);
      context_.workers.linearize(batch, state_.w, keep);
      for (std::size_t i = 0; i < batch.size(); ++i) step(batch[i], planes_[i]);
      blend_average();
    });
    seconds_ += watch.seconds();
  }

  /// P at w and at the average, which become candidates; the gaps of all blocks at w.
  void evaluate() {
    for (const std::span<const double> w : {std::span<const double>(state_.w), std::span<const double>(average_)}) {
      const bool current = w.data() == state_.w.data();
      if (!current && context_.stopping.out_of_passes()) return;
      const double risk =
          context_.workers.evaluate(w, (context_.workers.blocks().size() + 7) / 8, [&](const BlockResponse& answer) {
            if (current)
              gaps_[answer.block] =
                  context_.risk.block_weight(answer.block) * answer.value - mixture_value(answer.block);
          });
      ++state_.pass;
      state_.oracle_calls += context_.workers.blocks().size();
      context_.stopping.offer(w, 0.5 * context_.geometry.inner(w, w) + risk);
    }
  }

  /// P at the start weights, which only become a candidate.
  void offer_start() {
    const double risk = context_.workers.evaluate(context_.start_weights, context_.workers.blocks().size());
    ++state_.pass;
    state_.oracle_calls += context_.workers.blocks().size();
    context_.stopping.offer(context_.start_weights,
                            0.5 * context_.geometry.inner(context_.start_weights, context_.start_weights) + risk);
  }

  /// The dual, with w summed afresh from the mixtures.
  double dual() {
    std::fill(state_.w.begin(), state_.w.end(), 0.0);
    double sum = 0;
    for (const std::size_t block : context_.workers.blocks()) {
      sum += state_.aggregates[block].offset;
      axpy(1.0, state_.aggregates[block].direction, state_.w);
    }
    return sum - 0.5 * context_.geometry.inner(state_.w, state_.w);
  }

  double estimated_gap() const {
    double sum = 0;
    for (const std::size_t block : context_.workers.blocks()) sum += std::max(0.0, gaps_[block]);
    return sum;
  }

  double seconds() const { return seconds_; }

 private:
  double mixture_value(std::size_t block) const {
    const AggregatePlane& mixture = state_.aggregates[block];
    return mixture.offset - context_.geometry.inner(state_.w, mixture.direction);
  }

  // m blocks with replacement, in proportion to their gaps; every so often all of them in random order.
  std::vector<std::size_t> draw() const {
    const double total = estimated_gap();
    std::vector<std::size_t> order = pass_order(context_, state_.pass);
    if (state_.pass % kFullPassEvery == 1 || !std::isfinite(total) || !(total > 0)) return order;
    std::vector<double> cumulative(order.size());
    double sum = 0;
    for (std::size_t k = 0; k < order.size(); ++k) cumulative[k] = sum += std::max(0.0, gaps_[order[k]]);
    Rng rng(Rng(context_.options.seed + 1).next() ^ Rng(state_.pass).next());
    std::vector<std::size_t> drawn(order.size());
    for (std::size_t& block : drawn) {
      const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), rng.uniform() * sum);
      block = order[std::min<std::size_t>(order.size() - 1, static_cast<std::size_t>(at - cumulative.begin()))];
    }
    return drawn;
  }

  // From the mixture towards C_q times the plane, as far as the dual rises.
  void step(std::size_t block, const Plane& plane) {
    AggregatePlane& mixture = state_.aggregates[block];
    const double weight = context_.risk.block_weight(block), here = mixture_value(block);
    const double slope = weight * (plane.offset - context_.geometry.dot(state_.w, plane)) - here;
    gaps_[block] = std::max(0.0, slope);
    const double target = std::max(slope, -here);  // towards the plane, or towards the zero plane
    if (!(target > 0)) return;
    const double towards = slope >= -here ? weight : 0.0;
    const double curvature = context_.geometry.inner(mixture.direction, mixture.direction) -
                             2 * towards * context_.geometry.dot(mixture.direction, plane) +
                             towards * towards * context_.geometry.inner(plane, plane);
    const double gamma = target < curvature ? target / curvature : 1;
    axpy(-gamma, mixture.direction, state_.w);
    for (double& x : mixture.direction) x *= 1 - gamma;
    mixture.offset = (1 - gamma) * mixture.offset + gamma * towards * plane.offset;
    if (towards == 0) return;
    context_.geometry.add(gamma * towards, plane, state_.w);
    context_.geometry.add(gamma * towards, plane, mixture.direction);
  }

  void blend_average() {
    const double share = 2.0 / (static_cast<double>(steps_++) + 2.0);
    for (std::size_t k = 0; k < average_.size(); ++k) average_[k] += share * (state_.w[k] - average_[k]);
  }

  SolveContext& context_;
  SolverState& state_;
  std::vector<double> gaps_;
  std::vector<Plane> planes_;
  std::vector<double> average_;
  std::uint64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace

void solve_bcfw(SolveContext& context) {
  FrankWolfe problem(context);
  Stopping& stopping = context.stopping;
  if (context.state.pass == 0 && !context.start_weights.empty()) problem.offer_start();
  for (;;) {
    while (!stopping.last_call(2)) {
      problem.pass();
      stopping.tick(context.workers.blocks().size());
      if (evaluation_due(context.state.pass)) break;
    }
    stopping.bound(problem.dual());
    problem.evaluate();
    if (stopping.finished(context.workers.blocks().size())) break;
  }
  SolveReport& report = stopping.report();
  report.planes = report.support_vectors = context.workers.blocks().size();
  report.qp_seconds = std::max(0.0, problem.seconds() - context.workers.seconds());
}

}  // namespace dorm
