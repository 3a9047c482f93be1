// SPDX-License-Identifier: Apache-2.0
// The command `dorm`: its verbs, and how failures reach the user.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/cpu.h"
#include "command.h"
#include "dorm/error.h"
#include "messages.h"
#include "output.h"
#include "stop.h"
#include "usage.h"

namespace {

using dorm::Error;
using dorm::ErrorCode;
using dorm::cli::say;

// One line per command.
// clang-format off
constexpr dorm::cli::Command kCommands[] = {
    {"train", dorm::cli::declare_train},
    {"tune", dorm::cli::declare_tune},
    {"rank", dorm::cli::declare_rank},
    {"eval", dorm::cli::declare_eval},
    {"compare", dorm::cli::declare_compare},
    {"experiment", dorm::cli::declare_experiment},
    {"factorize", dorm::cli::declare_factorize},
    {"recommend", dorm::cli::declare_recommend},
    {"synth", dorm::cli::declare_synth},
    {"convert", dorm::cli::declare_convert},
    {"info", dorm::cli::declare_info},
    {"export", dorm::cli::declare_export},
    {"completion", dorm::cli::declare_completion},
    {"manual", dorm::cli::declare_manual},
};
// clang-format on

int complain(const std::string& message, int status) {
  say(fmt::format("dorm: {}\n{}", message, status == 2 ? "dorm: see dorm --help and dorm COMMAND --help\n" : ""));
  return status;
}

constexpr std::string_view kOutOfMemory =
    "out of memory; use fewer features or documents, or the compressed or binary form";

/// Where not even an exception gets through: no memory is left for its message, or a destructor wanted some (those of
/// the JSON library do). Ends as complain() would, with what needs no memory.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    for (const std::string_view part : {std::string_view("dorm: "), kOutOfMemory, std::string_view("\n")})
      if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    std::_Exit(1);
  } catch (...) {
    std::abort();
  }
  std::abort();
}

int run(int argc, char** argv) {
  try {
    dorm::simd_level();  // a value of DORM_SIMD that makes no sense is refused before any work
    return dorm::cli::run_command_line(argc, argv, kCommands);
  } catch (const CLI::ConversionError& error) {
    return complain(fmt::format("{}; expected a number", error.what()), 2);
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), 2);
  } catch (const Error& error) {
    const bool usage = error.code() == ErrorCode::bad_option || error.code() == ErrorCode::unknown_name;
    return complain(error.what(), usage && error.position().file.empty() ? 2 : 1);
  } catch (const dorm::cli::Interrupted& interrupted) {
    std::signal(interrupted.signal, SIG_DFL);  // end as the signal would have ended it
    std::raise(interrupted.signal);
    return 1;
  } catch (const dorm::cli::Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const std::bad_alloc&) {
    return complain(std::string(kOutOfMemory), 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  dorm::cli::open_standard_streams();
  return dorm::cli::status_of_output(run(argc, argv));
}
