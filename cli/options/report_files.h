// SPDX-License-Identifier: Apache-2.0
// The option --report of several commands: files to write, in the formats of their names.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"

namespace dorm::cli {

/// `what`: the subject of the page, for the help.
void add_report_option(CLI::App& app, std::vector<std::string>& paths, const std::string& what, const char* group);

/// Throws Error for unknown formats, before any work.
void check_report_files(const std::vector<std::string>& paths);

/// "report FILE" for each, for the terminal.
std::string report_lines(const std::vector<std::string>& paths);

/// The command line and the version, for the page.
pages::Origin origin_of(const Settings& settings);

/// Writes the page to every file.
void write_reports(const report::Report& page, const std::vector<std::string>& paths);

}  // namespace dorm::cli
