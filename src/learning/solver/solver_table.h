// SPDX-License-Identifier: Apache-2.0
// The table of solvers: what a new one adds its row to.
#pragma once

#include <string>

#include "dorm/base/catalog.h"
#include "learning/solver/context.h"

namespace dorm {

/// What a solver keeps in a SolverState. Solvers that keep the same read each other's states.
enum class StateFamily {
  none,        // cannot be resumed
  planes,      // blocks: planes of each block with their weights
  aggregates,  // aggregates: planes over all blocks with their weights
  mixtures,    // aggregates: one weighted sum of planes per block
};

struct SolverRow {
  CatalogEntry entry;
  StateFamily family;
  bool signs;  // learns under sign constraints
  void (*run)(SolveContext& context);
};

std::size_t num_solvers();
const SolverRow& solver_row(SolverKind kind);
/// The names of those that learn under sign constraints.
std::string solvers_of_signs();

/// A state to go on from must belong to this solver, this risk and these block weights; else throws Error(bad_input).
void check_state(const StructuredRisk& risk, const SolveOptions& options, const SolverState& state);

}  // namespace dorm
