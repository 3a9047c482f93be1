// SPDX-License-Identifier: Apache-2.0
// The declared command line as plain data, for everything that is made from it: completions, manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dorm::cli {

struct DeclaredOption {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // "FILE"; empty: a flag
  std::string help;                // one line
  std::string group;
};

struct DeclaredVerb {
  std::string name, summary, description, footer;
  std::string arguments;  // positional ones, as in the usage line
  std::vector<DeclaredOption> options;
};

/// The options of one verb, or of the command itself.
DeclaredVerb declared(const CLI::App& app);

/// All verbs of the command, in the order of its help.
std::vector<DeclaredVerb> declared_verbs(const CLI::App& root);

}  // namespace dorm::cli
