// SPDX-License-Identifier: Apache-2.0
// The words of a command line against the declared options: which option each word belongs to, before anything is
// parsed. What makes no sense is refused here, in words of our own.
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

/// The options among the words. With `until_word` the walk ends at the first word that is no option and no value of
/// one, whose position goes to `end`; without it such words are passed over. Throws Error(bad_option) for an option
/// without its value, a switch with one, and an option that is given twice but has one value, and Error(unknown_name)
/// for one that is not declared, naming those that look like it.
std::vector<GivenOption> given_options(const CLI::App& app, std::span<const std::string> words,
                                       std::size_t* end = nullptr);

/// The option of this name, with its dashes; null: none.
const CLI::Option* declared_option(const CLI::App& app, std::string_view name);

/// The last value that this option was given, if it was.
const std::string* value_of(std::span<const GivenOption> given, std::string_view name);

}  // namespace dorm::cli
