// SPDX-License-Identifier: Apache-2.0
// What a verb of the command line is: it declares its options, and hands back what to do once they are parsed.
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
  std::span<const Command> commands;  // all verbs
};

using Action = std::function<void()>;

struct Command {
  const char* name;
  /// Sets description (its first line is the summary), options and footer.
  Action (*declare)(CLI::App& app, const Settings& settings);
  const char* usage = "";        // forms, one per line; empty: its arguments in their order
  const char* key_options = "";  // the ten that matter most, for -h; empty: the first ones
  bool looks_at_all = false;     // its action walks over the declarations of all verbs
  bool together = false;         // processes that were started together work as one; its action then checks its files
};

Action declare_train(CLI::App& app, const Settings& settings);
Action declare_tune(CLI::App& app, const Settings& settings);
Action declare_compare(CLI::App& app, const Settings& settings);
Action declare_experiment(CLI::App& app, const Settings& settings);
Action declare_rank(CLI::App& app, const Settings& settings);
Action declare_explain(CLI::App& app, const Settings& settings);
Action declare_factorize(CLI::App& app, const Settings& settings);
Action declare_recommend(CLI::App& app, const Settings& settings);
Action declare_match(CLI::App& app, const Settings& settings);
Action declare_serve(CLI::App& app, const Settings& settings);
Action declare_explore(CLI::App& app, const Settings& settings);
Action declare_eval(CLI::App& app, const Settings& settings);
Action declare_synth(CLI::App& app, const Settings& settings);
Action declare_clicks(CLI::App& app, const Settings& settings);
Action declare_propensity(CLI::App& app, const Settings& settings);
Action declare_interleave(CLI::App& app, const Settings& settings);
Action declare_convert(CLI::App& app, const Settings& settings);
Action declare_export(CLI::App& app, const Settings& settings);
Action declare_info(CLI::App& app, const Settings& settings);
Action declare_help(CLI::App& app, const Settings& settings);
Action declare_completion(CLI::App& app, const Settings& settings);
Action declare_manual(CLI::App& app, const Settings& settings);

}  // namespace dorm::cli
