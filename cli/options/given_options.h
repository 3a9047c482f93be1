// SPDX-License-Identifier: Apache-2.0
// The arguments of a command line, assigned to the declared options before anything is parsed. Arguments that do not
// fit are refused here, in the wording of the command.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace dorm::cli {

/// An option as it was given, once or more.
struct GivenOption {
  const CLI::Option* option;
  std::string name;                 // as it was written first
  std::vector<std::string> values;  // none: a switch
};

/// The options among the arguments. With `end` the walk stops at the first argument that is neither an option nor the
/// value of one, and stores its position there; without `end` it passes over such arguments. Throws Error(bad_option)
/// for an option without its value, a switch with a value, and a repeated option that takes one value, and
/// Error(unknown_name) for an option that is not declared, with the names that resemble it.
std::vector<GivenOption> given_options(const CLI::App& app, std::span<const std::string> arguments,
                                       std::size_t* end = nullptr);

/// The option of this name, with its dashes; null: none.
const CLI::Option* declared_option(const CLI::App& app, std::string_view name);

/// The last value that this option was given, if it was.
const std::string* value_of(std::span<const GivenOption> given, std::string_view name);

}  // namespace dorm::cli
