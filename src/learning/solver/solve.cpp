// SPDX-License-Identifier: Apache-2.0
// The entry: checks of options and starts, dispatch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/validate.h"
#include "dorm/error.h"
#include "learning/solver/solver_table.h"

namespace dorm {
namespace {

[[noreturn]] void refuse_state(const std::string& why) { throw Error(ErrorCode::bad_input, "solver state: " + why); }

void check_blocks(const StructuredRisk& risk, const SolverState& state) {
  for (std::size_t block = 0; block < state.blocks.size(); ++block) {
    const BlockPlanes& held = state.blocks[block];
    for (const Plane& plane : held.planes)
      if (!risk.geometry().well_formed(plane))
        refuse_state(fmt::format("block {} holds a plane of another problem", block));
    const double sum = std::accumulate(held.alpha.begin(), held.alpha.end(), 0.0);
    if (sum > state.block_weights[block] * (1 + 1e-9))
      refuse_state(fmt::format("the dual weights of block {} add up to {}, more than {}", block, sum,
                               state.block_weights[block]));
  }
}

SolverState fresh_state(const StructuredRisk& risk, SolverKind kind) {
  SolverState state;
  state.solver = kind;
  state.dimension = risk.dimension();
  for (std::size_t block = 0; block < risk.num_blocks(); ++block)
    state.block_weights.push_back(risk.block_weight(block));
  state.w.assign(risk.dimension(), 0.0);
  return state;
}

void check_risk(const StructuredRisk& risk, std::span<const double> weights) {
  if (risk.dimension() == 0) throw Error(ErrorCode::bad_input, "the risk has dimension 0; expected at least 1");
  for (std::size_t block = 0; block < risk.num_blocks(); ++block)
    if (!(risk.block_weight(block) >= 0) || !std::isfinite(risk.block_weight(block)))
      throw Error(ErrorCode::bad_input, fmt::format("block {} has weight {}; expected a finite number >= 0", block,
                                                    risk.block_weight(block)));
  if (!weights.empty() && weights.size() != risk.dimension())
    throw Error(ErrorCode::bad_input, fmt::format("{} start weights; expected {}", weights.size(), risk.dimension()));
  if (!std::all_of(weights.begin(), weights.end(), [](double x) { return std::isfinite(x); }))
    throw Error(ErrorCode::bad_input, "a start weight is not finite");
}

// For a run in which no point had a finite value.
void offer_zero(const StructuredRisk& risk, OracleWorkers& workers, Stopping& stopping) {
  const std::vector<double> zero(risk.dimension(), 0.0);
  const double primal = workers.evaluate(zero, (workers.blocks().size() + 7) / 8);
  if (!std::isfinite(primal))
    throw Error(ErrorCode::bad_input,
                "the objective is not finite, not even for weights of 0: gains, weights of queries or C are too large");
  stopping.offer(zero, primal);
}

}  // namespace

void check_state(const StructuredRisk& risk, const SolveOptions& options, const SolverState& state) {
  const StateFamily family = solver_row(options.solver).family;
  if (family == StateFamily::none || family != solver_row(state.solver).family)
    refuse_state(
        fmt::format("made by {}, cannot be used by {}", solver_name(state.solver), solver_name(options.solver)));
  if (state.dimension != risk.dimension() || state.block_weights.size() != risk.num_blocks())
    refuse_state(fmt::format("made for {} blocks of dimension {}; expected {} of dimension {}",
                             state.block_weights.size(), state.dimension, risk.num_blocks(), risk.dimension()));
  for (std::size_t block = 0; block < risk.num_blocks(); ++block) {
    const double expected = risk.block_weight(block);
    if (std::abs(state.block_weights[block] - expected) > 1e-12 * expected)
      refuse_state(fmt::format("block {} has weight {}; expected {} (rescale the state first)", block,
                               state.block_weights[block], expected));
  }
  check_blocks(risk, state);
}

void SolveOptions::validate() const {
  require(tolerance >= 0 && tolerance < 1, "tolerance", tolerance, "a number in [0, 1)");
  require(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "a finite number, 0 for none");
  if (epsilon > 0 && solver != parse_solver("nslack"))
    throw Error(ErrorCode::bad_option, fmt::format("epsilon {} is a rule of the solver nslack, not of {}; expected 0",
                                                   epsilon, solver_name(solver)));
  require(max_passes >= 1, "max_passes", static_cast<double>(max_passes), "at least 1");
  require(seconds >= 0, "seconds", seconds, "at least 0 (0: no limit)");
  require(planes_per_block >= 2, "planes_per_block", static_cast<double>(planes_per_block), "at least 2");
}

SolveResult solve(const StructuredRisk& risk, const SolveOptions& options, const Observer& observer, SolveStart start,
                  const ComputeOptions& compute) {
  options.validate();
  check_risk(risk, start.weights);
  const SolverRow& solver = solver_row(options.solver);
  SolveResult result;
  if (start.state.empty()) {
    result.state = fresh_state(risk, options.solver);
  } else {
    check_state(risk, options, start.state);
    result.state = std::move(start.state);
    result.state.solver = options.solver;
  }
  OracleWorkers workers(risk, compute.threads);
  const Cone cone(risk.geometry());
  if (!cone.whole() && !solver.signs)
    throw Error(ErrorCode::unsupported,
                fmt::format("the solver {} does not learn weights of a given sign; expected one of {}",
                            solver_name(options.solver), solvers_of_signs()));
  Stopping stopping(options, observer, result.state, cone);
  SolveContext context{risk,    risk.geometry(), cone,         options,      compute.memory,
                       workers, stopping,        result.state, start.weights};
  if (!stopping.converged()) solver.run(context);  // a state that was saved when it had converged stays as it is

  if (result.state.best_w.empty()) offer_zero(risk, workers, stopping);
  SolveReport& report = stopping.report();
  report.primal = stopping.primal();
  report.dual = stopping.dual();
  report.gap = stopping.gap();
  report.passes = result.state.pass;
  report.oracle_calls = result.state.oracle_calls;
  report.oracle_seconds = workers.seconds();
  report.seconds = stopping.seconds();
  result.report = std::move(report);
  result.w = result.state.best_w;
  if (solver.family == StateFamily::none) result.state = {};
  return result;
}

}  // namespace dorm
