// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "base/parallel.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "input/input.h"
#include "options/given_options.h"
#include "options/option_defaults.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/process_group.h"
#include "run/progress.h"
#include "text/help.h"
#include "text/messages.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr const char* kAbout =
    "dorm: learning to rank for the measure you report.\n"
    "\n"
    "Trains and evaluates rankers of judged documents (LETOR/SVMlight, CSV, TSV, JSON lines, or the binary\n"
    "form .dorm; plain, .gz or .zst), under the conventions of the tools in use. Groups of subcommands learn\n"
    "from clicks, recommend items, and repeat experiments.";

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
  common.flag("-v,--verbose", settings.verbose, "print more: every grid point of tune, progress from its start");
  common.number("--threads", arguments.threads, whole_from(-1), "N",
                "number of threads; 0 or -1: all cores (0); the results are the same");
  common.add("--color", arguments.color, "WHEN", "colour the output: auto (on a terminal), always or never (auto)");
  common.add("--config", arguments.config, "FILE", "read options from a file, by their long names (docs/command.md)");
  app.set_help_flag();
  common.flag("-h", arguments.help, "show the main options on one screen");
  common.flag("--help", arguments.help, "show the whole page; --help=PART: one part of it, such as --help=kernel");
}

/// Switches may be repeated. Also looks at every option, so that a number without a range is found at once.
void settle_options(CLI::App& app) {
  declared(app);
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 0) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// A command line in its parts.
struct Line {
  std::vector<std::string> before, own;  // the arguments before and after the verb
  std::string verb;                      // "train", "clicks gains", or "clicks" without a subcommand; empty: none
};

/// Moves the arguments up to the first that is no common option to `before`, and that one, if any, to the verb.
void take_name(const CLI::App& app, Line& line) {
  std::size_t name = 0;
  given_options(app, line.own, &name);
  const auto at = line.own.begin() + static_cast<std::ptrdiff_t>(name);
  line.before.insert(line.before.end(), line.own.begin(), at);
  if (at != line.own.end()) line.verb += (line.verb.empty() ? "" : " ") + *at;
  line.own.erase(line.own.begin(), at == line.own.end() ? at : at + 1);
}

Line divided(const CLI::App& app, const std::vector<std::string>& arguments, std::span<const Command> commands) {
  Line line{{}, arguments, {}};
  take_name(app, line);
  if (is_group(line.verb, commands)) take_name(app, line);
  return line;
}

/// The value of --color among the arguments.
std::string color_among(const std::vector<std::string>& arguments) {
  std::string color = "auto";
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& each = arguments[i];
    if (each.starts_with("--color=") && each.size() > 8) color = each.substr(8);
    if (each == "--color" && i + 1 < arguments.size() && !arguments[i + 1].starts_with('-')) color = arguments[i + 1];
  }
  return color;
}

/// "-h", "--help" or "--help=kernel", if one of them is among the arguments.
std::optional<std::string> help_among(const std::vector<std::string>& arguments) {
  for (const std::string& each : arguments) {
    if (each == "--") break;
    if (each == "-h" || each == "--help" || each.starts_with("--help=")) return each;
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

/// All cores for 0 and -1; at most kThreadsPerCore for each core.
std::size_t resolve_threads(std::int64_t asked, const Settings& settings) {
  if (asked <= 0) return 0;
  const std::size_t most = kThreadsPerCore * thread_count(0);
  const auto threads = static_cast<std::size_t>(asked);
  if (threads <= most) return threads;
  warn(settings, fmt::format("--threads is {}; {} are used, {} for each core", asked, most, kThreadsPerCore));
  return most;
}

/// The arguments, quoted for a shell.
std::string shell_text(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string text = "dorm";
  for (const std::string& each : arguments) {
    text += ' ';
    if (!each.empty() && each.find_first_not_of(kPlain) == std::string::npos) {
      text += each;
      continue;
    }
    text += '\'';
    for (const char c : each) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

/// The declared command. Only the verbs that the arguments need are declared: all of them take as much time as
/// reading a small file.
class CommandLine {
 public:
  CommandLine(std::span<const Command> commands, char* const* arguments) : app_(kAbout, "dorm") {
    settings_.commands = commands;
    settings_.arguments = arguments;
    add_common_options(app_, settings_, common_);
    app_.set_version_flag("--version", "dorm " DORM_VERSION, "print the version")->group(kCommonGroup);
    app_.footer(fmt::format("`dorm COMMAND --help` explains a command, `dorm COMMAND -h` on one screen.\n\n{}\n{}",
                            exit_status_text(), environment_text()));
    app_.allow_extras();
    app_.require_subcommand(0, 1);  // a second verb is an argument like any other
    settle_options(app_);
  }

  int run(const std::vector<std::string>& arguments) {
    settings_.command_line = shell_text(arguments);
    choose_color(color_among(arguments));
    const Line line = divided(app_, arguments, settings_.commands);
    const bool group = is_group(line.verb, settings_.commands);
    if (const auto asked = help_among(line.before); asked || line.verb.empty() || group)
      return without_verb(line, group, asked);
    const Command& command = find(line.verb);
    settings_.verb = line.verb;
    const Launched together = command.together ? launched() : Launched{};
    if (together.rank > 0) silence_output();
    const Action action = looks_at_all(command, arguments) ? declare_all(&command) : declare(command);
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

  /// The overview, or that of a group: as asked for, or on standard error where a verb is missing.
  int without_verb(const Line& line, bool group, const std::optional<std::string>& asked) {
    if (!asked && line.verb.empty() &&
        std::find(line.before.begin(), line.before.end(), "--version") != line.before.end())
      return finish("dorm " DORM_VERSION "\n");
    declare_all();
    const std::string page = group                     ? group_page(app_, line.verb)
                             : asked && *asked != "-h" ? whole_overview(app_, settings_.commands)
                                                       : short_overview(app_, settings_.commands);
    if (asked) return finish(page);
    say(page);
    return 2;
  }

  /// A file of options may hold sections of other verbs.
  static bool looks_at_all(const Command& command, const std::vector<std::string>& arguments) {
    return command.looks_at_all || std::any_of(arguments.begin(), arguments.end(),
                                               [](const std::string& each) { return each.starts_with(kConfigOption); });
  }

  Action declare(const Command& command) {
    // Made beforehand: add_subcommand() takes no name with a blank, as those of groups have.
    CLI::App* const verb = app_.add_subcommand(std::make_shared<CLI::App>("", command.name));
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
    const std::size_t blank = verb.find(' ');
    const std::string group = verb.substr(0, blank == std::string::npos ? 0 : blank + 1);  // "clicks "
    std::vector<std::string> names;
    for (const Command& command : settings_.commands) {
      const std::string name = command.name;
      if (name == verb) return command;
      if (!name.starts_with(group)) continue;
      const std::string own = name.substr(group.size(), name.find(' ', group.size()) - group.size());
      if (names.empty() || names.back() != own) names.push_back(own);
    }
    std::vector<CatalogEntry> known;
    for (const std::string& name : names) known.push_back({.name = name, .usage = {}, .help = {}});
    throw_unknown_name(group.empty() ? "command" : "subcommand of dorm " + verb.substr(0, blank),
                       verb.substr(group.size()), known);
  }

  void parse(Line line, const CLI::App& verb) {
    const Defaults defaults(app_, verb, line.before, line.own);
    std::vector<std::string> arguments = std::move(line.before);
    arguments.push_back(line.verb);
    const auto end = std::find(line.own.begin(), line.own.end(), "--");
    arguments.insert(arguments.end(), line.own.begin(), end);
    for (const DefaultArgument& each : defaults.arguments()) arguments.push_back(each.text);
    arguments.insert(arguments.end(), end, line.own.end());
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    defaults.blame([&] { app_.parse(std::move(arguments)); });
    refuse_extras(app_);
    if (!defaults.note().empty() && !settings_.quiet) say(defaults.note());
    if (settings_.verbose) show_progress_early();
    settings_.threads = resolve_threads(common_.threads, settings_);
  }

  Settings settings_;
  CommonArguments common_;
  CLI::App app_;
};

}  // namespace

int run_command_line(int argc, char* const* argv, std::span<const Command> commands) {
  CommandLine command(commands, argv);
  return command.run({argv + 1, argv + argc});
}

std::string help_hint(int argc, const char* const* argv, std::span<const Command> commands) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i], longer = name + " " + (i + 1 < argc ? argv[i + 1] : "");
    for (const Command& command : commands)
      if (name == command.name || longer == command.name) return fmt::format("dorm {} --help", command.name);
    if (is_group(name, commands)) return fmt::format("dorm {} --help", name);
  }
  return "dorm --help";
}

void require_option(bool given, const std::string& option, const std::string& why) {
  if (!given) throw Error(ErrorCode::bad_option, fmt::format("{} is missing; {}", option, why));
}

}  // namespace dorm::cli
