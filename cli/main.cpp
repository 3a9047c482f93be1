// SPDX-License-Identifier: Apache-2.0
// The command `dorm`: its verbs, and how failures reach the user.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/vector/cpu.h"
#include "command.h"
#include "dorm/error.h"
#include "messages.h"
#include "output.h"
#include "stop.h"
#include "style.h"
#include "usage.h"

namespace {

using dorm::Error;
using dorm::ErrorCode;
using dorm::cli::say;

// One line per command.
// clang-format off
constexpr dorm::cli::Command kCommands[] = {
    {"train", dorm::cli::declare_train, "DATA --model FILE\n--stream FILE... --model FILE\n--ratings FILE --model FILE",
     "--model --valid --measure -C --kernel --scale --method --time-limit --report --input-format", false, true},
    {"tune", dorm::cli::declare_tune, "DATA --model FILE",
     "--model --valid --folds --grid --choose --measure --kernel --time-limit --report --input-format"},
    {"rank", dorm::cli::declare_rank, "MODEL DATA", "--format --top --one-per -o --topics --limits --input-format"},
    {"eval", dorm::cli::declare_eval, "DATA RANKER...\nDATA --model FILE\n--run FILE --qrels FILE\n--ratings FILE --model FILE",
     "--model --scores --feature --run --qrels --against --measures --convention --per-query --format --report"},
    {"explain", dorm::cli::declare_explain, "MODEL DATA --query ID\nMODEL DATA --query ID --document ID --against ID",
     "--query --top --document --against --features --format -o --input-format"},
    {"compare", dorm::cli::declare_compare, "DATA...\nDATA --test FILE\n--ratings FILE",
     "--methods --measures --valid --test --folds --sizes --against -C --out --report"},
    {"experiment", dorm::cli::declare_experiment},
    {"factorize", dorm::cli::declare_factorize, "RATINGS --model FILE",
     "--model --rank --measure --rounds --item-features --split --test --valid-share --checkpoint --time-limit"},
    {"recommend", dorm::cli::declare_recommend, "MODEL --user ID\nMODEL --users FILE\nMODEL --ratings FILE\nMODEL --all\nMODEL --similar-to ITEM",
     "--user --users --all --similar-to --ratings --item-names --top --with-seen --format -o"},
    {"match", dorm::cli::declare_match, "train NODES --pairs FILE --model FILE\neval NODES [MODEL...] --pairs FILE\npredict NODES [MODEL] --pairs FILE",
     "--edges --pairs --pair-columns --where --matches --valid-where --model --kind -C --unmatched"},
    {"synth", dorm::cli::declare_synth, "-o FILE", "-o --queries --features --documents-median --density --noise --groups --seed --clicks --judged"},
    {"clicks", dorm::cli::declare_clicks, "LOG -o FILE", "-o --features --propensities --clip --per --pool --cost --positions --context"},
    {"propensity", dorm::cli::declare_propensity, "LOG -o FILE", "-o --method --isotonic --pivot --swaps --data --positions --context"},
    {"interleave", dorm::cli::declare_interleave, "generate RUN RUN -o FILE\nanalyse LOG\nplan --share X",
     "-o --method --length --lists --seed --share --ties --power --level"},
    {"convert", dorm::cli::declare_convert, "", "--to --qrels --sets --user-features --query-ids --input-format --missing --unjudged --label-column --query-column --document-column --ignore-column"},
    {"info", dorm::cli::declare_info, "", "--json --input-format --missing --unjudged --label-column --query-column --ignore-column"},
    {"export", dorm::cli::declare_export, "MODEL --to TARGET [-o FILE]"},
    {"serve", dorm::cli::declare_serve, "MODEL...", "--bind --port --token-file --log --watch --max-body --max-documents --max-connections"},
    {"explore", dorm::cli::declare_explore, "MODEL [MODEL2] --data DATA",
     "--data --texts --judgments --measure --convention --one-per --port --no-open --input-format"},
    {"help", dorm::cli::declare_help, "\nCOMMAND [PART]\nTOPIC", "", true},
    {"completion", dorm::cli::declare_completion, "", "", true},
    {"manual", dorm::cli::declare_manual, "", "", true},
};
// clang-format on

int complain(const std::string& message, int status, const std::string& hint = "") {
  dorm::cli::talk_if_nobody_did();
  say(fmt::format("{} {}\n", dorm::cli::styled(dorm::cli::Style::red, "dorm:"), message));
  if (status == 2) say(fmt::format("dorm: see {}\n", hint));
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
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), 2, dorm::cli::help_hint(argc, argv, kCommands));
  } catch (const Error& error) {
    const bool usage = error.code() == ErrorCode::bad_option || error.code() == ErrorCode::unknown_name;
    return complain(error.what(), usage && error.position().file.empty() ? 2 : 1,
                    dorm::cli::help_hint(argc, argv, kCommands));
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
