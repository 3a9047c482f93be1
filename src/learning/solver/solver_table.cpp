// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/solver_table.h"

#include <array>
#include <string>

namespace dorm {
namespace {

// The first is the default. State files hold the number of the row: new ones go to the end.
constexpr std::array kSolvers = std::to_array<SolverRow>({
    {{"bcda", "bcda", "dual ascent block by block, with cached planes"}, StateFamily::planes, true, solve_bcda},
    {{"nslack", "nslack", "the paper's column generation: all planes found"}, StateFamily::planes, true, solve_nslack},
    {{"oneslack", "oneslack", "one plane over all queries per pass: few features, large C"},
     StateFamily::aggregates,
     true,
     solve_oneslack},
    {{"bcfw", "bcfw", "block-coordinate Frank-Wolfe: one vector per query"}, StateFamily::mixtures, false, solve_bcfw},
    {{"online", "online", "one look at very large data: keeps no planes"}, StateFamily::none, false, solve_online},
    {{"fw", "fw", "Frank-Wolfe over all queries: keeps one vector, many passes"},
     StateFamily::none,
     false,
     solve_frank_wolfe},
    {{"shards", "shards", "planes of groups of queries, all at one w: what machines can share"},
     StateFamily::planes,
     true,
     solve_shards},
    {{"lbfgs", "lbfgs", "steps on the objective itself: very many queries, all at one w"},
     StateFamily::aggregates,
     true,
     solve_lbfgs},
});

constexpr auto kEntries = [] {
  std::array<CatalogEntry, kSolvers.size()> entries;
  for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = kSolvers[k].entry;
  return entries;
}();

}  // namespace

std::size_t num_solvers() { return kSolvers.size(); }

const SolverRow& solver_row(SolverKind kind) { return kSolvers[static_cast<std::size_t>(kind)]; }

std::string solvers_of_signs() {
  std::string names;
  for (const SolverRow& row : kSolvers)
    if (row.signs) names += (names.empty() ? "" : ", ") + std::string(row.entry.name);
  return names;
}

std::span<const CatalogEntry> solver_catalog() { return kEntries; }

std::string_view solver_name(SolverKind kind) { return solver_row(kind).entry.name; }

SolverKind parse_solver(std::string_view name) {
  for (std::size_t k = 0; k < kSolvers.size(); ++k)
    if (kSolvers[k].entry.name == name) return static_cast<SolverKind>(k);
  throw_unknown_name("solver", name, kEntries);
}

}  // namespace dorm
