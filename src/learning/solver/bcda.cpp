// SPDX-License-Identifier: Apache-2.0
// Block-coordinate dual ascent with cached planes, the default solver.
//
// An oracle pass costs the same however good the cached planes are, so between two of them the cached planes are swept
// for as long as a sweep raises the dual faster, per multiply-add, than the whole iteration did: the counted cost
// replaces the clock, and runs repeat exactly.
#include <cmath>

#include "learning/solver/block_ascent.h"
#include "learning/solver/proximal_point.h"

namespace dorm {
namespace {

constexpr std::uint64_t kMaxCachedPasses = 100;

// A plane that has lost its weight comes back from the oracle if it is needed: keeping it longer costs more in every
// sweep than it saves (measured: 1 beats 2, 3, 5, 10 and 20 at every C, in passes too).
constexpr std::uint64_t kIdlePasses = 1;

// Evaluations in a row that brought nothing, after which the run ends. The first of them ends the proximal-point loop,
// whose dual point may lie a little below the best one: plain sweeps, which always rise, need some to pass it.
constexpr std::uint64_t kStalled = 10;

// While the centre of the proximal-point loop is on its way, gains say little: the cached planes are then swept until
// their own gap is this share of what the oracle pass met, for at most this number of sweeps.
constexpr double kSettled = 0.1;
constexpr std::uint64_t kSettling = 26;

// Cached passes after an oracle pass that rose by `iteration.gain` at `iteration.cost`. False: time ran out before
// they were done.
bool cached_passes(SolveContext& context, BlockAscent& ascent, PassResult iteration) {
  for (std::uint64_t number = 1; number <= kMaxCachedPasses;) {
    if (context.stopping.out_of_time()) return false;
    const PassResult pass = ascent.cached_round(number);
    iteration.gain += pass.gain;
    iteration.cost += pass.cost;
    const bool worth = pass.gain * iteration.cost >= iteration.gain * pass.cost;
    const bool settling =
        context.state.kappa > 0 && number <= kSettling && iteration.gap > 0 && pass.gap > kSettled * iteration.gap;
    if (!(pass.gain > 0) || !(worth || settling)) break;
  }
  return true;
}

// An evaluation costs a pass and makes no step, so there is one when it may well be the last (see seems_converged), and
// else after passes 1, 6, 16, 36, 76, ... only, unless more are asked for.
bool look_due(const SolveContext& context) {
  const std::uint64_t pass = context.state.pass;
  if (context.options.evaluate_often) return evaluation_due(pass);
  std::uint64_t due = 1;
  while (due < pass) due = 2 * due + 4;
  return due == pass;
}

// The gaps met during an oracle pass add up to about P - D, before the sweeps that follow it.
bool seems_converged(const PassResult& pass, double dual, double tolerance) {
  return !(pass.gap > 3 * tolerance * (dual + pass.gap));
}

// Evaluates P at w and the dual, and counts evaluations in a row that brought nothing.
bool evaluate_and_decide(SolveContext& context, BlockAscent& ascent, PassResult& result) {
  ascent.cache().refresh_weights();
  const double before = context.state.best_dual;
  context.stopping.bound(ascent.cache().dual());
  context.stopping.offer(context.state.w, ascent.evaluate(context.state.w, result));
  const bool rose = context.state.best_dual > before + 1e-15 * std::abs(before);
  context.state.stalled = rose || result.new_planes > 0 ? 0 : context.state.stalled + 1;
  if (context.state.stalled > 0) end_proximal(context.state);
  if (context.state.stalled >= kStalled) context.stopping.give_up();
  return context.stopping.finished(ascent.cache().planes());
}

}  // namespace

void solve_bcda(SolveContext& context) {
  BlockAscent ascent(context, {context.options.planes_per_block, kIdlePasses});
  PassResult last;
  if (context.state.pass == 0 && !context.start_weights.empty())
    context.stopping.offer(context.start_weights, ascent.evaluate(context.start_weights, last));
  else
    for (const std::size_t block : context.workers.blocks()) last.cost += context.risk.linearize_cost(block);
  bool& between = context.state.between;
  do {
    if (!between) cached_passes(context, ascent, last);
    while (!context.stopping.last_call()) {
      last = ascent.oracle_pass();
      const bool swept = cached_passes(context, ascent, last);
      const double dual = ascent.cache().dual();
      between =
          !look_due(context) && std::isfinite(last.gap) && !seems_converged(last, dual, context.options.tolerance);
      context.stopping.tick(ascent.cache().planes(), between && swept, dual);
      if (!between) break;
    }
    between = false;
    last = {};
  } while (!evaluate_and_decide(context, ascent, last));
  SolveReport& report = context.stopping.report();
  report.planes = ascent.cache().planes();
  report.support_vectors = ascent.cache().support_vectors();
  report.qp_seconds = ascent.seconds();
}

}  // namespace dorm
