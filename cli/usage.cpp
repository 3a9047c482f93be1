// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "base/parallel.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "help.h"
#include "input.h"
#include "messages.h"
#include "option_defaults.h"
#include "option_group.h"
#include "option_names.h"
#include "option_words.h"
#include "process_group.h"
#include "progress.h"
#include "style.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kAbout =
    "dorm: rankings judged and learnt by the measure you report.\n"
    "\n"
    "Reads judged documents (LETOR/SVMlight, CSV, TSV, JSON lines, the binary form .dorm; plain, .gz or .zst),\n"
    "evaluates rankings under the conventions of the tools in use, and generates data to try things on.";

constexpr std::size_t kThreadsPerCore = 4;

/// What the common options are read into.
struct CommonArguments {
  std::int64_t threads = 0;
  std::string color, config;  // acted on before anything is parsed
  bool help = false;          // likewise
};

void add_common_options(CLI::App& app, Settings& settings, CommonArguments& arguments) {
  const OptionGroup common(app, kCommonGroup);
  common.flag("--json", settings.json, "print JSON for programs");
  common.flag("-q,--quiet", settings.quiet, "no warnings, no progress");
  common.flag("-v,--verbose", settings.verbose, "say more: every cell of a grid, progress from its start");
  common.number("--threads", arguments.threads, whole_from(-1), "N",
                "threads to use; 0 or -1: all cores (0); results do not depend on it");
  common.add("--color", arguments.color, "WHEN", "auto (on a terminal), always or never (auto)");
  common.add("--config", arguments.config, "FILE", "options from a file, by their long names (docs/command.md)");
  app.set_help_flag();
  common.flag("-h", arguments.help, "the options that matter most, on one screen");
  common.flag("--help", arguments.help,
              "everything; --help=PART: a group of options or of names, such as --help=kernel");
}

/// Switches may be repeated. Also looks at every option, so that a number without a range is found at once.
void settle_options(CLI::App& app) {
  declared(app);
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 0) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// A command line in its parts.
struct Line {
  std::vector<std::string> before, own;  // the words before and after the verb
  std::string verb;                      // empty: none
};

Line divided(const CLI::App& app, const std::vector<std::string>& words) {
  std::size_t verb = 0;
  given_options(app, words, &verb);
  const auto at = words.begin() + static_cast<std::ptrdiff_t>(verb);
  Line line{{words.begin(), at}, {}, {}};
  if (at == words.end()) return line;
  line.verb = *at;
  line.own.assign(at + 1, words.end());
  return line;
}

/// The value of --color among the words.
std::string color_among(const std::vector<std::string>& words) {
  std::string color = "auto";
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with("--color=") && words[i].size() > 8) color = words[i].substr(8);
    if (words[i] == "--color" && i + 1 < words.size() && !words[i + 1].starts_with('-')) color = words[i + 1];
  }
  return color;
}

/// "-h", "--help" or "--help=kernel", if one of them is among the words.
std::optional<std::string> help_among(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "-h" || word == "--help" || word.starts_with("--help=")) return word;
  }
  return std::nullopt;
}

std::string help_page(const std::string& asked, const CLI::App& verb, const Command& command) {
  const DeclaredVerb described = declared(verb);
  if (asked == "-h") return short_page(described, command);
  if (asked == "--help") return whole_page(described, command);
  return part_page(described, asked.substr(asked.find('=') + 1));
}

void refuse_extras(const CLI::App& app) {
  std::vector<std::string> extras = app.remaining(true);
  std::erase(extras, "--");
  if (!extras.empty()) throw Error(ErrorCode::bad_option, fmt::format("unexpected argument \"{}\"", extras.front()));
}

/// All cores for 0 and -1; more than cores can use are not taken.
std::size_t resolve_threads(std::int64_t asked, const Settings& settings) {
  if (asked <= 0) return 0;
  const std::size_t most = kThreadsPerCore * thread_count(0);
  const auto threads = static_cast<std::size_t>(asked);
  if (threads <= most) return threads;
  warn(settings, fmt::format("--threads is {}; {} are used, {} for each core", asked, most, kThreadsPerCore));
  return most;
}

/// The words as a shell would take them.
std::string shell_text(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string text = "dorm";
  for (const std::string& word : words) {
    text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

/// The declared command. Of the verbs those are declared that the words need: all of them cost as much time as
/// reading a small file.
class CommandLine {
 public:
  explicit CommandLine(std::span<const Command> commands) : app_(kAbout, "dorm") {
    settings_.commands = commands;
    add_common_options(app_, settings_, common_);
    app_.set_version_flag("--version", "dorm " DORM_VERSION, "print the version")->group(kCommonGroup);
    app_.footer(fmt::format("`dorm COMMAND --help` explains a command, `dorm COMMAND -h` on one screen.\n\n{}\n{}",
                            exit_status_text(), environment_text()));
    app_.allow_extras();
    app_.require_subcommand(0, 1);  // a second verb is a word like any other
    settle_options(app_);
  }

  int run(const std::vector<std::string>& words) {
    settings_.command_line = shell_text(words);
    choose_color(color_among(words));
    const Line line = divided(app_, words);
    if (const auto asked = help_among(line.before)) {
      declare_all();
      return finish(*asked == "-h" ? short_overview(app_) : whole_overview(app_));
    }
    if (line.verb.empty()) return without_verb(line);
    const Command& command = find(line.verb);
    const Launched together = command.together ? launched() : Launched{};
    if (together.rank > 0) leave_talking_to_another();
    const Action action = looks_at_all(command, words) ? declare_all(&command) : declare(command);
    const CLI::App& verb = *app_.get_subcommand(line.verb);
    if (const auto asked = help_among(line.own)) return finish(help_page(*asked, verb, command));
    parse(line, verb);
    if (together.processes == 1) check_written_files(verb);
    action();
    return 0;
  }

 private:
  static int finish(const std::string& page) {
    print(page);
    return 0;
  }

  int without_verb(const Line& line) {
    if (std::find(line.before.begin(), line.before.end(), "--version") != line.before.end())
      return finish("dorm " DORM_VERSION "\n");
    declare_all();
    say(short_overview(app_));
    return 2;
  }

  /// A file of options may hold sections of other verbs.
  static bool looks_at_all(const Command& command, const std::vector<std::string>& words) {
    return command.looks_at_all || std::any_of(words.begin(), words.end(),
                                               [](const std::string& word) { return word.starts_with(kConfigOption); });
  }

  Action declare(const Command& command) {
    CLI::App* const verb = app_.add_subcommand(command.name);
    verb->allow_extras();
    add_common_options(*verb, settings_, common_);
    Action action = command.declare(*verb, settings_);
    settle_options(*verb);
    verb->footer(fmt::format("{}\n{}", verb->get_footer(), exit_status_text()));
    return action;
  }

  /// In the order of the commands; what `wanted` does.
  Action declare_all(const Command* wanted = nullptr) {
    Action found;
    for (const Command& command : settings_.commands) {
      Action action = declare(command);
      if (&command == wanted) found = std::move(action);
    }
    return found;
  }

  const Command& find(const std::string& verb) const {
    std::vector<CatalogEntry> known;
    for (const Command& command : settings_.commands) {
      if (command.name == verb) return command;
      known.push_back({.name = command.name, .usage = {}, .help = {}});
    }
    throw_unknown_name("command", verb, known);
  }

  void parse(Line line, const CLI::App& verb) {
    const std::vector<std::string> warnings = rename_old_options(line.verb, line.own);
    const Defaults defaults(app_, verb, line.before, line.own);
    std::vector<std::string> words = std::move(line.before);
    words.push_back(line.verb);
    const auto end = std::find(line.own.begin(), line.own.end(), "--");
    words.insert(words.end(), line.own.begin(), end);
    for (const DefaultWord& each : defaults.words()) words.push_back(each.word);
    words.insert(words.end(), end, line.own.end());
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    defaults.blame([&] { app_.parse(std::move(words)); });
    refuse_extras(app_);
    for (const std::string& warning : warnings) warn(settings_, warning);
    if (!defaults.note().empty() && !settings_.quiet) say(defaults.note());
    if (settings_.verbose) show_progress_early();
    settings_.threads = resolve_threads(common_.threads, settings_);
  }

  Settings settings_;
  CommonArguments common_;
  CLI::App app_;
};

}  // namespace

int run_command_line(int argc, const char* const* argv, std::span<const Command> commands) {
  CommandLine command(commands);
  return command.run({argv + 1, argv + argc});
}

std::string help_hint(int argc, const char* const* argv, std::span<const Command> commands) {
  for (int i = 1; i < argc; ++i)
    for (const Command& command : commands)
      if (std::string_view(argv[i]) == command.name) return fmt::format("dorm {} --help", command.name);
  return "dorm --help";
}

void require_option(bool given, const std::string& option, const std::string& why) {
  if (!given) throw Error(ErrorCode::bad_option, fmt::format("{} is missing; {}", option, why));
}

}  // namespace dorm::cli
