// SPDX-License-Identifier: Apache-2.0
// Column generation for blocks that are linearised all together at one w, by the processes that hold them, so that a
// pass costs far more than anything the driver does. Every pass is an evaluation, too. Between passes the planes at
// hand are swept until their own gap is a small share of what is left, no further: an exact solution of that problem is
// worth nothing before its planes are the right ones.
#include <algorithm>

#include "learning/solver/block_ascent.h"
#include "learning/solver/proximal_point.h"
#include "learning/solver/trial_point.h"

namespace dorm {
namespace {

constexpr std::uint64_t kMostSweeps = 400;
constexpr std::uint64_t kStalledPasses = 10;
constexpr double kShareOfGap = 0.02;            // of planes, over what is left: swept enough
constexpr std::uint64_t kShardIdlePasses = 15;  // for which planes are kept without weight

void sweep_planes(SolveContext& context, BlockAscent& ascent) {
  const double rest = kShareOfGap * std::max(0.0, context.stopping.primal() - ascent.cache().dual());
  const double enough = std::max(rest, 0.1 * context.options.tolerance * context.stopping.primal());
  for (std::uint64_t number = 1; number <= kMostSweeps && !context.stopping.out_of_time();) {
    const PassResult pass = ascent.cached_round(number);
    if (pass.whole && (!(pass.gap > enough) || !(pass.gain > 0))) return;
  }
}

}  // namespace

void solve_shards(SolveContext& context) {
  BlockAscent ascent(context, {context.options.planes_per_block, kShardIdlePasses});
  const bool resumed = context.state.pass > 0;
  if (resumed) sweep_planes(context, ascent);
  std::vector<double> next;
  std::span<const double> w = context.start_weights;
  if (resumed) {
    next = trial_point(context.state, context.cone);
    w = next;
  } else if (w.empty()) {
    w = context.state.w;
  }
  for (;;) {
    ascent.cache().refresh_weights();
    const double before = context.state.best_dual, lowest = context.stopping.primal();
    context.stopping.bound(ascent.cache().dual());
    PassResult found;
    context.stopping.offer(w, ascent.evaluate(w, found));
    // Once all planes are known, the best point still approaches their minimiser, a share of the way in each pass.
    const bool moves = context.state.best_dual > before || found.new_planes > 0 || context.stopping.primal() < lowest;
    context.state.stalled = moves ? 0 : context.state.stalled + 1;
    if (context.state.stalled > 0) end_proximal(context.state);
    if (context.state.stalled >= kStalledPasses) context.stopping.give_up();
    if (context.stopping.finished(ascent.cache().planes())) break;
    sweep_planes(context, ascent);
    next = trial_point(context.state, context.cone);
    w = next;
  }
  SolveReport& report = context.stopping.report();
  report.planes = ascent.cache().planes();
  report.support_vectors = ascent.cache().support_vectors();
  report.qp_seconds = ascent.seconds();
}

}  // namespace dorm
