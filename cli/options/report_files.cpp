// SPDX-License-Identifier: Apache-2.0
#include "options/report_files.h"

#include <fmt/format.h>

#include "dorm/lab/comparison.h"
#include "options/written_files.h"
#include "run/output.h"

namespace dorm::cli {

void add_report_option(CLI::App& app, std::vector<std::string>& paths, const std::string& what, const char* group) {
  written(app.add_option("--report", paths, what + ": .html, .md or .csv;\nmay be given more than once"))
      ->option_text("FILE")
      ->group(group)
      ->take_all()
      ->allow_extra_args(false);
}

void check_report_files(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) report::format_of(path);
}

std::string report_lines(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += fmt::format("{:<15}{}\n", "report", path);
  return text;
}

pages::Origin origin_of(const Settings& settings) {
  return {settings.command_line, "dorm " + build_identity(), settings.threads};
}

void write_reports(const report::Report& page, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) write_text(path, report::render(page, report::format_of(path)));
}

}  // namespace dorm::cli
