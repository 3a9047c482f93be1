// SPDX-License-Identifier: Apache-2.0
// The option --report of several commands: files to write, in the formats of their names.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/apps/pages.h"

namespace dorm::cli {

/// `what`: what the page is about, for the help.
void add_report_option(CLI::App& app, std::vector<std::string>& paths, const std::string& what, const char* group);

/// Refuses unknown formats, before any work is done.
void check_report_files(const std::vector<std::string>& paths);

/// "report FILE" for each, for the terminal.
std::string report_lines(const std::vector<std::string>& paths);

/// What the command tells of itself on a page.
pages::Origin origin_of(const Settings& settings);

/// Into every file that was asked for.
void write_reports(const report::Report& page, const std::vector<std::string>& paths);

}  // namespace dorm::cli
