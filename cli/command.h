// SPDX-License-Identifier: Apache-2.0
// A verb of the command line: it declares its options and returns the action to run once they are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "dorm/read.h"

namespace dorm::cli {

struct Command;

/// Options every verb takes.
struct Settings {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::size_t threads = 0;
  std::string command_line;           // as it was typed, for reports
  char* const* arguments = nullptr;   // the same for execv()
  std::string verb;                   // that is to run; empty: none
  std::span<const Command> commands;  // all verbs
};

using Action = std::function<void()>;

/// Where `dorm help` lists a verb. The verbs of a group are called "GROUP SUBCOMMAND".
enum class Section { learn, use, data, group, hidden };

struct Command {
  const char* name;
  /// Sets description (its first line is the summary), options and footer.
  Action (*declare)(CLI::App& app, const Settings& settings);
  Section section = Section::hidden;
  const char* usage = "";        // what follows the name; empty: the arguments in their order
  const char* key_options = "";  // the ten options that -h shows; empty: the first ones
  bool looks_at_all = false;     // its action reads the declarations of all verbs
  bool together = false;         // several processes work as one; the action then checks its files
};

Action declare_train(CLI::App& app, const Settings& settings);
Action declare_tune(CLI::App& app, const Settings& settings);
Action declare_compare(CLI::App& app, const Settings& settings);
Action declare_fuse(CLI::App& app, const Settings& settings);
Action declare_rank(CLI::App& app, const Settings& settings);
Action declare_eval(CLI::App& app, const Settings& settings);
Action declare_explain(CLI::App& app, const Settings& settings);
Action declare_explore(CLI::App& app, const Settings& settings);
Action declare_serve(CLI::App& app, const Settings& settings);
Action declare_export(CLI::App& app, const Settings& settings);
Action declare_info(CLI::App& app, const Settings& settings);
Action declare_convert(CLI::App& app, const Settings& settings);
Action declare_split(CLI::App& app, const Settings& settings);
Action declare_synth(CLI::App& app, const Settings& settings);
Action declare_clicks_gains(CLI::App& app, const Settings& settings);
Action declare_clicks_propensity(CLI::App& app, const Settings& settings);
Action declare_clicks_evaluate(CLI::App& app, const Settings& settings);
Action declare_clicks_interleave(CLI::App& app, const Settings& settings);
Action declare_clicks_simulate(CLI::App& app, const Settings& settings);
Action declare_recommend_train(CLI::App& app, const Settings& settings);
Action declare_recommend_top(CLI::App& app, const Settings& settings);
Action declare_recommend_evaluate(CLI::App& app, const Settings& settings);
Action declare_recommend_export(CLI::App& app, const Settings& settings);
Action declare_recommend_compare(CLI::App& app, const Settings& settings);
Action declare_lab_experiment(CLI::App& app, const Settings& settings);
Action declare_lab_match(CLI::App& app, const Settings& settings);
Action declare_help(CLI::App& app, const Settings& settings);
Action declare_completion(CLI::App& app, const Settings& settings);
Action declare_manual(CLI::App& app, const Settings& settings);

}  // namespace dorm::cli
