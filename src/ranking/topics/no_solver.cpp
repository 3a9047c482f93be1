// SPDX-License-Identifier: Apache-2.0
// Replaces the solver where the library was built without one.
#include "dorm/error.h"
#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::unsupported,
              "topic limits that bind need an integer-programming solver, and this dorm was built without "
              "one; install HiGHS or CBC (the package coinor-libcbc-dev) and build again");
}

}  // namespace

ProgramSolution solve_program(const IntegerProgram&, double) { refuse(); }
std::string program_solver() { return ""; }
bool program_solver_in_threads() { return true; }

}  // namespace dorm
