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
#include "command_line.h"
#include "dorm/error.h"
#include "run/output.h"
#include "run/stop.h"
#include "text/messages.h"
#include "text/style.h"

namespace {

using dorm::Error;
using dorm::ErrorCode;
using dorm::cli::say;

// One line per command.
// clang-format off
using dorm::cli::Section;
constexpr dorm::cli::Command kCommands[] = {
    {"train", dorm::cli::declare_train, Section::learn, "DATA --model FILE",
     "--model --valid --measure -C --kernel --scale --method --time-limit --report --input-format", false, true},
    {"tune", dorm::cli::declare_tune, Section::learn, "DATA --model FILE",
     "--model --valid --folds --test --baseline --grid --choose --trees --measure --kernel --time-limit --report --input-format"},
    {"compare", dorm::cli::declare_compare, Section::learn, "DATA...",
     "--methods --measures --valid --test --folds --sizes --against -C --out --report"},
    {"fuse", dorm::cli::declare_fuse, Section::learn, "RUN RUN... --qrels FILE",
     "--qrels --measure --model -o --scale --weights --features --folds --to-judge --top"},
    {"rank", dorm::cli::declare_rank, Section::use, "MODEL DATA", "--format --top --one-per -o --topics --limits --input-format"},
    {"eval", dorm::cli::declare_eval, Section::use, "DATA RANKER...",
     "--model --scores --feature --qrels --against --measures --convention --per-query --format --report"},
    {"explain", dorm::cli::declare_explain, Section::use, "MODEL DATA --query ID",
     "--query --top --document --against --features --format -o --input-format"},
    {"explore", dorm::cli::declare_explore, Section::use, "MODEL [MODEL2] --data DATA",
     "--data --texts --judgments --measure --convention --one-per --port --no-open --input-format"},
    {"serve", dorm::cli::declare_serve, Section::use, "MODEL...", "--bind --port --token-file --log --watch --max-body --max-documents --max-connections"},
    {"export", dorm::cli::declare_export, Section::use, "MODEL --to TARGET [-o FILE]"},
    {"info", dorm::cli::declare_info, Section::data, "", "--json --input-format --missing --unjudged --label-column --query-column --ignore-column"},
    {"convert", dorm::cli::declare_convert, Section::data, "", "--to --qrels --sets --user-features --query-ids --input-format --missing --unjudged --label-column --query-column --document-column --ignore-column"},
    {"split", dorm::cli::declare_split, Section::data, "DATA", "--test --valid --seed -o --json --input-format --label-column --query-column"},
    {"synth", dorm::cli::declare_synth, Section::data, "-o FILE", "-o --queries --features --documents-median --density --noise --groups --seed"},
    {"clicks gains", dorm::cli::declare_clicks_gains, Section::group, "LOG -o FILE", "-o --features --propensities --clip --per --pool --cost --positions --context"},
    {"clicks propensity", dorm::cli::declare_clicks_propensity, Section::group, "LOG -o FILE", "-o --method --isotonic --pivot --swaps --data --positions --context"},
    {"clicks evaluate", dorm::cli::declare_clicks_evaluate, Section::group, "LOG RANKER... --propensities FILE",
     "--propensities --data --estimator --clip --measures --against --per-query --format --context --positions"},
    {"clicks interleave", dorm::cli::declare_clicks_interleave, Section::group, "ACTION [FILE...]",
     "-o --method --length --lists --seed --share --ties --power --level"},
    {"clicks simulate", dorm::cli::declare_clicks_simulate, Section::group, "DATA -o FILE",
     "-o --click-model --sessions --rankers --scores --top --eta --seed --expected --true-propensities"},
    {"recommend train", dorm::cli::declare_recommend_train, Section::group, "RATINGS --model FILE",
     "--model --model-type --implicit --liked --rank --kernel --measure --rounds --item-features --split --test "
     "--time-limit"},
    {"recommend top", dorm::cli::declare_recommend_top, Section::group, "MODEL",
     "--user --users --all --similar-to --ratings --candidates --exclude --item-names --top --because --with-seen --format -o"},
    {"recommend evaluate", dorm::cli::declare_recommend_evaluate, Section::group, "RATINGS MODEL...",
     "--model --implicit --liked --against --measures --convention --split --per-query --format --report"},
    {"recommend export", dorm::cli::declare_recommend_export, Section::group, "MODEL --to TARGET",
     "--to --name --als-alone --check --top -o"},
    {"recommend compare", dorm::cli::declare_recommend_compare, Section::group, "RATINGS",
     "--methods --measures --split --splits --rank --against --item-features --user-features --out --report"},
    {"lab experiment", dorm::cli::declare_lab_experiment, Section::group},
    {"lab match", dorm::cli::declare_lab_match, Section::group, "ACTION NODES [MODEL...] --pairs FILE",
     "--edges --pairs --pair-columns --where --matches --valid-where --model --kind -C --unmatched"},
    {"help", dorm::cli::declare_help, Section::hidden, "[COMMAND [PART] | TOPIC]", "", true},
    {"completion", dorm::cli::declare_completion, Section::hidden, "", "", true},
    {"manual", dorm::cli::declare_manual, Section::hidden, "", "", true},
};
// clang-format on

int complain(const std::string& message, int status, const std::string& hint = "") {
  dorm::cli::restore_output();
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
