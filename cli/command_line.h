// SPDX-License-Identifier: Apache-2.0
// The command line as a whole: it is parsed, unknown names get a suggestion, and the common options are declared.
#pragma once

#include <span>
#include <string>

#include "command.h"

namespace dorm::cli {

/// Parses and runs one command; the exit status. Throws what the command throws, and Error(unknown_name) or
/// CLI::ParseError for a command line that makes no sense.
int run_command_line(int argc, char* const* argv, std::span<const Command> commands);

/// The command that prints the help for this command line: "dorm train --help".
std::string help_hint(int argc, const char* const* argv, std::span<const Command> commands);

/// Throws Error(bad_option) saying that `option` is needed unless `given`.
void require_option(bool given, const std::string& option, const std::string& why);

}  // namespace dorm::cli
