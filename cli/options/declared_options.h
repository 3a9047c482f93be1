// SPDX-License-Identifier: Apache-2.0
// The declared command line as plain data, for everything that is made from it: help, completions, manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dorm/base/number_range.h"

namespace dorm::cli {

struct DeclaredOption {
  std::vector<std::string> names;    // "-o", "--output"
  std::string value;                 // "FILE"; empty: a switch
  std::string help;                  // one line
  std::string group;                 // its heading
  std::optional<NumberRange> range;  // of a number
};

struct DeclaredArgument {
  std::string name, help;  // "DATA", or "DATA..." for several
};

struct DeclaredVerb {
  std::string name, summary, description, footer;
  std::vector<DeclaredArgument> arguments;  // in their order
  std::vector<DeclaredOption> options;
};

/// The options of one verb, or of the command itself. Throws std::logic_error for a number that has no range.
DeclaredVerb declared(const CLI::App& app);

/// All verbs of the command, in the order of its help.
std::vector<DeclaredVerb> declared_verbs(const CLI::App& root);

inline constexpr const char* kExpertGroup = "Expert options";  // a heading that --help leaves to --help=expert

/// Moves declared options under that heading, by their long names or "-C".
void make_expert(CLI::App& app, std::initializer_list<const char*> names);

/// "-o, --output FILE"
std::string shown_names(const DeclaredOption& option);

}  // namespace dorm::cli
