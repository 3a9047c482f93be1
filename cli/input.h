// SPDX-License-Identifier: Apache-2.0
// Reading for the commands: the options all readers share, warnings and progress on standard error.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm::cli {

/// What the command line says about reading; names are resolved by load().
struct InputArguments {
  std::string format = "detect", missing = "error", unjudged = "grade";
  std::string groups_from = {};  // the column --one-per names, if it does
  ReadOptions options = {};
};

/// --input-format and what else describes the data; --format is always that of the output.
void add_input_options(CLI::App& app, InputArguments& arguments);

/// Declares --one-per GROUP[:k]: group, host or domain, or the name of a CSV column, which is then read as the groups
/// and spelled `group`. What was asked for is left in `rule`.
void add_one_per_option(CLI::App& app, std::string& rule, InputArguments& arguments, const char* group,
                        const std::string& help);

struct Loaded {
  Dataset data;
  std::string format;  // letor, csv, tsv or binary
  ReadReport report;
};

/// Reads a file of judged documents; warnings go to standard error unless settings.quiet.
Loaded load(const std::string& path, const InputArguments& arguments, const Settings& settings);

/// What `body` returns. An Error of this code that names no file names this one.
template <class Body>
auto about_file(const std::string& path, const Body& body, ErrorCode code = ErrorCode::bad_input) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() != code || !error.position().file.empty()) throw;
    throw Error(code, {path}, error.what());
  }
}

/// "dorm: warning: ..." on standard error unless settings.quiet.
void warn(const Settings& settings, const std::string& message);

}  // namespace dorm::cli
