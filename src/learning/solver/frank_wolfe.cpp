// SPDX-License-Identifier: Apache-2.0
// Frank-Wolfe over all blocks at once: the answer so far is one mixture of planes (offset b, direction w). A pass
// linearises every block at w, sums the planes weighted by C_q to (s, d), and moves the mixture towards that sum as far
// as the dual b - 1/2 |w|^2 rises. One sum of vectors per pass, no quadratic program, no planes kept; many passes.
#include <algorithm>

#include "base/stopwatch.h"
#include "base/vector/ordered_sum.h"
#include "learning/solver/context.h"

namespace dorm {
namespace {

constexpr std::size_t kParts = 32;  // partial sums, whatever the number of threads

class Mixture {
 public:
  explicit Mixture(SolveContext& context) : context_(context), w_(context.state.w) {}

  double dual() const { return offset_ - 0.5 * context_.geometry.inner(w_, w_); }

  /// P at a point; the summed plane there is where step() goes.
  double linearize(std::span<const double> at) {
    const std::size_t parts = std::clamp<std::size_t>(context_.workers.blocks().size(), 1, kParts);
    PartialSums sums(parts, w_.size() + 1);  // of directions, offsets behind them
    const double risk = context_.workers.evaluate(at, parts, [&](const BlockResponse& answer) {
      const double weight = context_.risk.block_weight(answer.block);
      std::vector<double>& sum = sums[answer.piece];
      sum.back() += weight * answer.plane.offset;
      context_.geometry.add(weight, answer.plane, std::span(sum).first(w_.size()));
    });
    target_ = sums.total();
    target_offset_ = target_.back();
    target_.pop_back();
    ++context_.state.pass;
    context_.state.oracle_calls += context_.workers.blocks().size();
    return 0.5 * context_.geometry.inner(at, at) + risk;
  }

  void step() {
    const Stopwatch watch;
    axpy(-1.0, std::span<const double>(w_), target_);  // the way to go
    const double slope = target_offset_ - offset_ - context_.geometry.inner(w_, target_);
    const double curvature = context_.geometry.inner(target_, target_);
    const double share = slope <= 0 ? 0 : slope < curvature ? slope / curvature : 1;
    axpy(share, std::span<const double>(target_), w_);
    offset_ += share * (target_offset_ - offset_);
    seconds_ += watch.seconds();
  }

  double seconds() const { return seconds_; }

 private:
  SolveContext& context_;
  std::vector<double>& w_;
  std::vector<double> target_;
  double offset_ = 0, target_offset_ = 0, seconds_ = 0;
};

}  // namespace

void solve_frank_wolfe(SolveContext& context) {
  Mixture mixture(context);
  std::span<const double> at = context.start_weights.empty() ? context.state.w : context.start_weights;
  for (;;) {
    context.stopping.offer(at, mixture.linearize(at));
    context.stopping.bound(mixture.dual());
    if (context.stopping.finished(1, false)) break;
    mixture.step();
    at = context.state.w;
  }
  context.stopping.report().planes = context.stopping.report().support_vectors = 1;
  context.stopping.report().qp_seconds = mixture.seconds();
}

}  // namespace dorm
