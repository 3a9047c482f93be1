// SPDX-License-Identifier: Apache-2.0
// Files that a command writes. Options that name such files are marked when they are declared; one check of all
// commands uses the marks before a command starts its work.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace dorm::cli {

/// The mark: the type of the option's value, never shown.
inline constexpr const char* kWrittenFile = "WRITTEN";

/// Marks an option whose values are files to write.
inline CLI::Option* written(CLI::Option* option) { return option->type_name(kWrittenFile); }

/// Marks an option whose value is a folder in which files of these names, separated by blanks, are written (and others
/// with unique names). The folder is created.
inline CLI::Option* written_in(CLI::Option* option, const std::string& names) {
  return option->type_name(fmt::format("{} {}", kWrittenFile, names));
}

/// Marks an option whose value is a folder that does not exist yet; the writer checks that.
inline constexpr const char* kNewFolder = "NEW-FOLDER";

/// Throws Error(bad_option) when a file to write is also read, or written twice: under the same name, by links, or as
/// standard output. Every other file on the command line counts as read, and so do the side
/// files that readers look for. Throws Error(io) when a file to write cannot be written.
void check_written_files(const CLI::App& verb);

}  // namespace dorm::cli
