// SPDX-License-Identifier: Apache-2.0
// Files that a command writes. Options that name them are marked when they are declared; the marks are what the one
// check of all commands goes by, before a command does any work.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace dorm::cli {

/// The mark: the type of the option's value, never shown.
inline constexpr const char* kWrittenFile = "WRITTEN";

/// Marks an option whose values are files to write.
inline CLI::Option* written(CLI::Option* option) { return option->type_name(kWrittenFile); }

/// Marks an option whose value is a folder in which files of these names, separated by blanks, are written (and others,
/// whose names nobody else uses). The folder is made.
inline CLI::Option* written_in(CLI::Option* option, const std::string& names) {
  return option->type_name(fmt::format("{} {}", kWrittenFile, names));
}

/// Marks an option whose value is a folder that does not exist yet; whoever writes it checks that.
inline constexpr const char* kNewFolder = "NEW-FOLDER";

/// Throws Error(bad_option) when a file to write is also read, or written twice: under the same name, by links, or as
/// standard output. Everything on the command line that names a file and is not to be written counts as read, and so do
/// the files beside it that readers look for. Throws Error(io) when a file to write cannot be written.
void check_written_files(const CLI::App& verb);

}  // namespace dorm::cli
