// SPDX-License-Identifier: Apache-2.0
// Linear programs, some of whose variables are 0 or 1, handed to a solver library. The library sits in a module
// of its own, dorm_mip.so, which is loaded when the first program is to be solved: a command that solves none
// does not need it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dorm {

struct ProgramRow {
  std::vector<int> columns;
  std::vector<double> values;
  double lower = 0, upper = 0;  // infinite: no limit on that side
};

/// Maximise objective x subject to lower <= row x <= upper and 0 <= x <= 1, the first `integers` of x being 0 or 1.
/// Entries should be near 1 in size: the solver's tolerances are absolute.
struct IntegerProgram {
  std::size_t integers = 0;
  std::vector<double> objective;
  std::vector<ProgramRow> rows;
};

enum class ProgramStatus { optimal, limit_reached, infeasible, refused };

struct ProgramSolution {
  ProgramStatus status = ProgramStatus::infeasible;
  std::vector<double> values;   // the best found; empty when none was
  double bound = 0;             // no solution has a larger objective
  std::vector<double> relaxed;  // the solution of the linear relaxation
};

/// What a module offers, got by its function dorm_program_solver(). Nothing here throws across the module's border.
struct ProgramSolver {
  const char* name;  // with its version
  bool in_threads;   // whether several threads may solve programs at once
  ProgramSolution (*solve)(const IntegerProgram& program, double seconds);
};

/// `seconds` 0: no limit. Throws Error(unsupported) with what to install when there is no solver, Error(internal) when
/// it refuses the program.
ProgramSolution solve_program(const IntegerProgram& program, double seconds);

/// Name and version of the solver; empty when there is none.
std::string program_solver();

/// Whether several threads may solve programs at once.
bool program_solver_in_threads();

}  // namespace dorm
