// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "dorm/catalog.h"
#include "dorm/error.h"
#include "help.h"
#include "input.h"
#include "messages.h"
#include "option_names.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kAbout =
    "dorm: rankings judged and learnt by the measure you report.\n"
    "\n"
    "Reads judged documents (LETOR/SVMlight, CSV, TSV, the binary form .dorm; plain, .gz or .zst),\n"
    "evaluates rankings under the conventions of the tools in use, and generates data to try things on.";

void add_common_options(CLI::App& app, Settings& settings) {
  app.add_flag("--json", settings.json, "print JSON for programs")->group(kCommonGroup);
  app.add_flag("-q,--quiet", settings.quiet, "no warnings, no progress")->group(kCommonGroup);
  app.add_flag("-v,--verbose", settings.verbose, "say more: every cell of a grid, not the ten best")
      ->group(kCommonGroup);
  app.add_option("--threads", settings.threads, "threads to use; 0: all cores (0); results do not depend on it")
      ->option_text("N")
      ->group(kCommonGroup);
  app.set_help_flag("-h,--help", "print this page")->group(kCommonGroup);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(fmt::format("--{}", name));
  return names;
}

/// Refuses the first argument that nothing asked for.
void refuse_extras(const CLI::App& app, const std::string& kind, const std::vector<std::string>& known) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");
  if (extras.empty()) return;
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& text) { return text.size() > 1 && text.front() == '-'; });
  if (option == extras.end() && kind == "option")
    throw Error(ErrorCode::bad_option, fmt::format("unexpected argument \"{}\"", extras.front()));
  const std::string& culprit = option == extras.end() ? extras.front() : *option;
  std::vector<CatalogEntry> entries;
  for (const std::string& name : known) entries.push_back({.name = name, .usage = {}, .help = {}});
  throw_unknown_name(option == extras.end() ? kind : "option", culprit.substr(0, culprit.find('=')), entries);
}

/// Texts of whole numbers with a minus sign would be read as numbers near 2^64.
void refuse_minus_signs(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_type_name() == "UINT"; }))
    option->check([](const std::string& text) {
      return text.starts_with('-') ? fmt::format("{} is below 0; expected a whole number from 0 on", text)
                                   : std::string();
    });
}

/// The words of the command line from the last to the first, as CLI11 takes them, with old names replaced.
std::vector<std::string> words_for_parser(int argc, const char* const* argv, const std::vector<std::string>& verbs,
                                          std::vector<std::string>& warnings) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto verb = std::find_first_of(words.begin(), words.end(), verbs.begin(), verbs.end());
  if (verb != words.end()) {
    std::vector<std::string> own(verb + 1, words.end());
    warnings = rename_old_options(*verb, own);
    std::copy(own.begin(), own.end(), verb + 1);
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// The words as a shell would take them.
std::string shell_text(int argc, const char* const* argv) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string text = "dorm";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, std::span<const Command> commands) {
  Settings settings;
  settings.command_line = shell_text(argc, argv);
  CLI::App app(kAbout, "dorm");
  app.formatter(std::make_shared<HelpFormatter>());
  add_common_options(app, settings);
  app.set_version_flag("--version", "dorm " DORM_VERSION, "print the version")->group(kCommonGroup);
  app.footer(fmt::format("`dorm COMMAND --help` explains a command.\n\n{}", exit_status_text()));
  app.allow_extras();
  refuse_minus_signs(app);
  std::vector<std::pair<CLI::App*, Action>> actions;
  std::vector<std::string> names;
  for (const Command& command : commands) {
    CLI::App* verb = app.add_subcommand(command.name)->group("Commands");
    verb->allow_extras();
    add_common_options(*verb, settings);
    actions.emplace_back(verb, command.declare(*verb, settings));
    refuse_minus_signs(*verb);
    verb->footer(fmt::format("{}\n{}", verb->get_footer(), exit_status_text()));
    names.emplace_back(command.name);
  }
  std::vector<std::string> warnings;
  try {
    app.parse(words_for_parser(argc, argv, names, warnings));
  } catch (const CLI::Success& request) {  // help or version
    std::ostringstream page;
    const int status = app.exit(request, page, page);
    print(page.str());
    return status;
  }
  for (const auto& [verb, action] : actions) {
    if (!verb->parsed()) continue;
    refuse_extras(*verb, "option", option_names(*verb));
    refuse_extras(app, "option", option_names(*verb));
    for (const std::string& warning : warnings) warn(settings, warning);
    check_written_files(*verb);
    action();
    return 0;
  }
  refuse_extras(app, "command", names);
  say(app.help());
  return 2;
}

void require_option(bool given, const std::string& option, const std::string& why) {
  if (!given) throw Error(ErrorCode::bad_option, fmt::format("{} is missing; {}", option, why));
}

}  // namespace dorm::cli
