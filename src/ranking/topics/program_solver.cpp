// SPDX-License-Identifier: Apache-2.0
// Finds and loads the module with the integer-programming solver.
#include <fmt/format.h>

#include "base/module.h"
#include "dorm/error.h"
#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

constexpr Module kModule = {"dorm_mip.so", "DORM_MIP_MODULE", "dorm_program_solver"};
constexpr const char* kAdvice = "install HiGHS or CBC (the package coinor-libcbc-dev) and build again";

struct Loaded {
  const ProgramSolver* solver = nullptr;
  std::string why_not;
};

Loaded load() {
  LoadedModule module = load_module(kModule);
  return {static_cast<const ProgramSolver*>(module.offer), std::move(module.why_not)};
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

ProgramSolution solve_program(const IntegerProgram& program, double seconds) {
  const Loaded& found = loaded();
  if (found.solver == nullptr)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("topic limits that bind need an integer-programming solver, and {}; {}", found.why_not, kAdvice));
  ProgramSolution solution = found.solver->solve(program, seconds);
  if (solution.status == ProgramStatus::refused)
    throw Error(ErrorCode::internal,
                fmt::format("the integer-programming solver {} refused a program", found.solver->name));
  return solution;
}

std::string program_solver() { return loaded().solver != nullptr ? loaded().solver->name : ""; }

bool program_solver_in_threads() { return loaded().solver == nullptr || loaded().solver->in_threads; }

}  // namespace dorm
