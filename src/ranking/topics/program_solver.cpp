// SPDX-License-Identifier: Apache-2.0
// Finds and loads the module with the integer-programming solver.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "dorm/error.h"
#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

constexpr const char* kModule = "dorm_mip.so";
constexpr const char* kAdvice = "install HiGHS or CBC (the package coinor-libcbc-dev) and build again";

struct Loaded {
  const ProgramSolver* solver = nullptr;
  std::string why_not;
};

/// Where the module may be: as the variable DORM_MIP_MODULE says; beside the program or the extension that holds this
/// code, in its folder lib (a wheel), in the folders above it (a build tree), or where an installation puts it.
std::vector<std::filesystem::path> places() {
  if (const char* named = std::getenv("DORM_MIP_MODULE")) return {named};
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&solve_program), &here) == 0) return {};
  std::error_code ignored;
  std::filesystem::path file = std::filesystem::canonical(here.dli_fname, ignored);
  if (ignored) file = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path folder = file.parent_path();
  std::vector<std::filesystem::path> out;
  for (const char* from : {".", "lib", "..", "../..", "../lib/dorm"}) out.push_back(folder / from / kModule);
  out.push_back(folder / ".." / DORM_LIBDIR / "dorm" / kModule);
  return out;
}

Loaded load() {
  for (const std::filesystem::path& path : places()) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return {nullptr, fmt::format("its module cannot be loaded ({})", dlerror())};
    using Get = const ProgramSolver* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(module, "dorm_program_solver"));
    if (get == nullptr) return {nullptr, fmt::format("{} is not a module of this program", path.string())};
    return {get(), {}};
  }
  return {nullptr, "this dorm was built without one"};
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
