// SPDX-License-Identifier: Apache-2.0
// One-slack cutting planes: one plane over all blocks per pass, and one quadratic program over the planes so far. Needs
// one reduction per pass and next to no memory, and many passes.
#include "learning/solver/aggregate_planes.h"

namespace dorm {

void solve_oneslack(SolveContext& context) {
  AggregatePlanes planes(context);
  Stopping& stopping = context.stopping;
  for (;;) {
    std::span<const double> w = context.state.w;
    if (!context.state.aggregates.empty()) {
      const double before = stopping.dual();
      planes.optimise();
      context.state.stalled = stopping.dual() > before ? 0 : context.state.stalled + 1;
      if (context.state.stalled >= 20) stopping.give_up();
    } else if (!context.start_weights.empty()) {
      w = context.start_weights;
    }
    stopping.offer(w, planes.separate(w));
    if (stopping.finished(context.state.aggregates.size())) break;
  }
  planes.describe(stopping.report());
}

}  // namespace dorm
