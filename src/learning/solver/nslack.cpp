// SPDX-License-Identifier: Apache-2.0
// The paper's column generation. Repeat: linearise every block at the present w; add the planes that are violated by
// more than epsilon to the working sets; solve the dual over all working sets to high precision.
#include <algorithm>
#include <atomic>
#include <limits>

#include "learning/solver/block_ascent.h"

namespace dorm {
namespace {

constexpr std::uint64_t kMaxSweeps = 20000;

// Epsilon such that unviolated constraints leave at most half the tolerated gap; 0 before P is known.
double violation_threshold(const SolveContext& context) {
  return 0.5 * context.options.tolerance * context.stopping.primal() / context.crew.total_weight();
}

// One batch separation at the fixed w. Returns P(w) and the number of planes added.
double separate(SolveContext& context, PlaneCache& cache, std::span<const double> w, std::size_t& added) {
  const double epsilon = violation_threshold(context);
  const std::size_t count = context.crew.blocks().size();
  ++context.state.pass;
  context.state.oracle_calls += count;
  std::atomic<std::size_t> violated{0};
  const double risk = context.crew.evaluate(w, (count + 7) / 8, [&](const BlockAnswer& answer) {
    if (answer.value <= cache.cached_value(answer.block, w) + epsilon) return;
    if (cache.insert(answer.block, answer.plane)) violated.fetch_add(1, std::memory_order_relaxed);
  });
  added = violated.load();
  return 0.5 * context.geometry.inner(w, w) + risk;
}

// Sweeps until the working sets' own gap is a hundredth of what is tolerated.
void solve_working_sets(SolveContext& context, BlockAscent& ascent) {
  const double target = std::max(1e-2 * context.options.tolerance, 1e-12) * context.stopping.primal();
  for (std::uint64_t number = 1; number <= kMaxSweeps && !context.stopping.out_of_time(); ++number) {
    const PassResult pass = ascent.cached_pass(number);
    if (!(pass.gap > target) || !(pass.gain > 0)) return;
  }
}

}  // namespace

void solve_nslack(SolveContext& context) {
  constexpr auto kForever = std::numeric_limits<std::uint64_t>::max();
  BlockAscent ascent(context, {context.options.planes_per_block, kForever});
  PlaneCache& cache = ascent.cache();
  const bool resumed = context.state.pass > 0;
  if (resumed) solve_working_sets(context, ascent);
  std::span<const double> w = context.start_weights;
  if (resumed || w.empty()) w = context.state.w;
  for (;;) {
    cache.refresh_weights();
    context.stopping.bound(cache.dual());
    std::size_t added = 0;
    context.stopping.offer(w, separate(context, cache, w, added));
    context.state.stalled = added > 0 ? 0 : context.state.stalled + 1;
    if (context.state.stalled >= 3) context.stopping.give_up();
    if (context.stopping.finished(cache.planes())) break;
    solve_working_sets(context, ascent);
    w = context.state.w;
  }
  SolveReport& report = context.stopping.report();
  report.planes = cache.planes();
  report.support_vectors = cache.support_vectors();
  report.qp_seconds = ascent.seconds();
}

}  // namespace dorm
