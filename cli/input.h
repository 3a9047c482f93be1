// SPDX-License-Identifier: Apache-2.0
// Reading for the commands: the options all readers share, warnings and progress on standard error.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/read.h"

namespace dorm::cli {

/// What the command line says about reading; names are resolved by load().
struct InputArguments {
  std::string format = "detect", missing = "error";
  ReadOptions options = {};
};

/// `format_option` is another name for --format where a command has one of its own.
void add_input_options(CLI::App& app, InputArguments& arguments, const char* format_option = "--format");

struct Loaded {
  Dataset data;
  std::string format;  // letor, csv, tsv or binary
  ReadReport report;
};

/// Reads a file of judged documents; warnings go to standard error unless settings.quiet.
Loaded load(const std::string& path, const InputArguments& arguments, const Settings& settings);

/// "dorm: warning: ..." on standard error unless settings.quiet.
void warn(const Settings& settings, const std::string& message);

}  // namespace dorm::cli
