// SPDX-License-Identifier: Apache-2.0
// What every solver is given, and the solvers themselves. Each runs until stopping.finished() and leaves its answer in
// stopping and state.
#pragma once

#include "learning/solver/cone.h"
#include "learning/solver/oracle_workers.h"
#include "learning/solver/stopping.h"

namespace dorm {

struct SolveContext {
  const StructuredRisk& risk;
  const Geometry& geometry;  // of the risk
  const Cone& cone;          // of its weights
  const SolveOptions& options;
  std::uint64_t plane_bytes;  // most for cached planes; 0: no limit
  OracleWorkers& workers;
  Stopping& stopping;
  SolverState& state;
  std::span<const double> start_weights;  // empty: none
};

void solve_bcda(SolveContext& context);
void solve_nslack(SolveContext& context);
void solve_oneslack(SolveContext& context);
void solve_bcfw(SolveContext& context);
void solve_online(SolveContext& context);
void solve_frank_wolfe(SolveContext& context);
void solve_shards(SolveContext& context);
void solve_lbfgs(SolveContext& context);

/// Blocks that share one w in a pass over `blocks`: from the options, or a fixed function of their number, so that the
/// result never depends on the threads.
std::size_t batch_size(const SolveContext& context, std::size_t blocks);

/// The blocks, all of them or those given, in the order of one pass: a function of the seed and the number of the pass.
std::vector<std::size_t> pass_order(const SolveContext& context, std::uint64_t pass, std::vector<std::size_t> blocks);
std::vector<std::size_t> pass_order(const SolveContext& context, std::uint64_t pass);

/// Evaluations come after passes 1, 2, 3, 4, 6, 9, 13, ...: half as many passes again each time.
bool evaluation_due(std::uint64_t pass);

}  // namespace dorm
