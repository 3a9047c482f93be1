// SPDX-License-Identifier: Apache-2.0
// Options from elsewhere than the command line, which always wins: a file (--config), a model (--like).
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "options/given_options.h"

namespace dorm::cli {

inline constexpr const char* kConfigOption = "--config";
inline constexpr const char* kLikeOption = "--like";

/// An option with a value from elsewhere, as an argument of the command line: "--folds=5".
struct DefaultArgument {
  const CLI::Option* option;
  std::string text, origin;  // "c.toml:3", or the model
};

/// The values that --config and --like give, from the arguments before and after the verb.
class Defaults {
 public:
  /// Throws what given_options() throws; Error(unknown_name) with the line for a section of the file that is no
  /// verb and a key that is no option, Error(bad_input) for a switch that is neither true nor false; what
  /// load_any_model() throws.
  Defaults(const CLI::App& root, const CLI::App& verb, std::span<const std::string> before,
           std::span<const std::string> own);

  /// Of options that are not given on the command line.
  const std::vector<DefaultArgument>& arguments() const { return arguments_; }

  /// A line with the options taken from a model; empty: none.
  const std::string& note() const { return note_; }

  /// Runs `body`. An Error about an option with a default from here names the place of the value.
  void blame(const std::function<void()>& body) const;

 private:
  void add_config(const std::string& path, const CLI::App& root, const CLI::App& verb);
  void add_model(const std::string& path, const CLI::App& verb);
  bool given(const CLI::Option* option) const;  // on the command line, or by one of arguments()

  std::vector<GivenOption> given_;
  std::vector<DefaultArgument> arguments_;
  std::string note_;
};

}  // namespace dorm::cli
