// SPDX-License-Identifier: Apache-2.0
// The paper's column generation. Repeat: linearise every block at the present w; add the planes that are violated by
// more than epsilon to the working sets; solve the dual over all working sets to high precision.
//
// With an epsilon of the caller's it is the algorithm as the paper prints it: from w = 0, block after block, the dual
// over all working sets after each plane, until a pass over the blocks has found no constraint that is violated by
// more than epsilon.
#include <algorithm>
#include <atomic>
#include <limits>

#include "learning/solver/block_ascent.h"

namespace dorm {
namespace {

constexpr std::uint64_t kMaxSweeps = 20000;
constexpr auto kForever = std::numeric_limits<std::uint64_t>::max();

// Epsilon such that unviolated constraints leave at most half the tolerated gap; 0 before P is known.
double violation_threshold(const SolveContext& context) {
  return 0.5 * context.options.tolerance * context.stopping.primal() / context.workers.total_weight();
}

// One batch separation at the fixed w of `v`. Returns P(w) and the number of planes added.
double separate(SolveContext& context, PlaneCache& cache, std::span<const double> v, std::size_t& added) {
  std::vector<double> memory;
  const std::span<const double> w = context.cone.nearest(v, memory);
  const double epsilon = violation_threshold(context);
  const std::size_t count = context.workers.blocks().size();
  ++context.state.pass;
  context.state.oracle_calls += count;
  std::atomic<std::size_t> violated{0};
  const double risk = context.workers.evaluate(w, (count + 7) / 8, [&](const BlockResponse& answer) {
    if (answer.value <= cache.cached_value(answer.block, w) + epsilon) return;
    if (cache.insert(answer.block, answer.plane)) violated.fetch_add(1, std::memory_order_relaxed);
  });
  added = violated.load();
  return 0.5 * context.cone.square(w) + risk;
}

// Sweeps until the working sets' own gap is within the target.
void solve_working_sets(SolveContext& context, BlockAscent& ascent, double target) {
  for (std::uint64_t number = 1; number <= kMaxSweeps && !context.stopping.out_of_time();) {
    const PassResult pass = ascent.cached_round(number);
    if (pass.whole && (!(pass.gap > target) || !(pass.gain > 0))) return;
  }
}

// A hundredth of the gap that is tolerated.
double tolerated_rest(const SolveContext& context) {
  return std::max(1e-2 * context.options.tolerance, 1e-12) * context.stopping.primal();
}

void report_planes(SolveContext& context, BlockAscent& ascent) {
  SolveReport& report = context.stopping.report();
  report.planes = ascent.cache().planes();
  report.support_vectors = ascent.cache().support_vectors();
  report.qp_seconds = ascent.seconds();
}

// One pass of the printed algorithm. `risk` is that of the present w if no plane was added; false: time ran out.
bool visit_in_order(SolveContext& context, BlockAscent& ascent, double& risk, std::size_t& added) {
  const double epsilon = context.options.epsilon, rest = 1e-2 * epsilon * context.workers.total_weight();
  const std::span<const std::size_t> blocks = context.workers.blocks();
  PlaneCache& cache = ascent.cache();
  std::vector<double> memory;
  risk = 0;
  added = 0;
  ++context.state.pass;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (context.stopping.out_of_time()) return false;
    bool grown = false;
    ++context.state.oracle_calls;
    const std::span<const double> w = context.cone.nearest(context.state.w, memory);
    context.workers.linearize(blocks.subspan(i, 1), w, [&](const BlockResponse& answer) {
      risk += context.risk.block_weight(answer.block) * answer.value;
      grown = answer.value > cache.cached_value(answer.block, w) + epsilon && cache.insert(answer.block, answer.plane);
    });
    if (!grown) continue;
    ++added;
    solve_working_sets(context, ascent, rest);
  }
  return true;
}

// Working sets only grow. A limit ends it with an evaluation of the w at hand.
void solve_as_printed(SolveContext& context) {
  BlockAscent ascent(context, {std::numeric_limits<std::size_t>::max(), kForever});
  PlaneCache& cache = ascent.cache();
  const std::vector<double>& w = context.state.w;
  double risk = 0;
  bool unchanged = false;
  do {
    cache.refresh_weights();
    context.stopping.bound(cache.dual());
    std::size_t added = 0;
    const bool whole = visit_in_order(context, ascent, risk, added);
    unchanged = whole && added == 0;
    if (!unchanged) context.stopping.tick(cache.planes(), whole);
  } while (!unchanged && !context.stopping.last_call());
  if (unchanged) {
    context.stopping.satisfy();
  } else {
    const std::size_t count = context.workers.blocks().size();
    ++context.state.pass;
    context.state.oracle_calls += count;
    cache.refresh_weights();
    context.stopping.bound(cache.dual());
    risk = context.workers.evaluate(w, (count + 7) / 8);
  }
  context.stopping.offer(w, 0.5 * context.cone.square(w) + risk);
  context.stopping.finished(cache.planes());
  report_planes(context, ascent);
}

}  // namespace

void solve_nslack(SolveContext& context) {
  if (context.options.epsilon > 0) return solve_as_printed(context);
  BlockAscent ascent(context, {context.options.planes_per_block, kForever});
  PlaneCache& cache = ascent.cache();
  const bool resumed = context.state.pass > 0;
  if (resumed) solve_working_sets(context, ascent, tolerated_rest(context));
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
    solve_working_sets(context, ascent, tolerated_rest(context));
    w = context.state.w;
  }
  report_planes(context, ascent);
}

}  // namespace dorm
