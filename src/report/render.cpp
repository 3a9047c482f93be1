// SPDX-License-Identifier: Apache-2.0
// Which form a report takes, and writing it.
#include <fmt/format.h>

#include <filesystem>

#include "dorm/apps/report.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm::report {

Format format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".html" || extension == ".htm") return Format::html;
  if (extension == ".md") return Format::markdown;
  if (extension == ".csv") return Format::csv;
  throw Error(ErrorCode::bad_option,
              fmt::format("the report \"{}\" has no known extension; expected .html, .md or .csv", path));
}

std::string render(const Report& report, Format format) {
  if (format == Format::html) return to_html(report);
  return format == Format::markdown ? to_markdown(report) : to_csv(report);
}

void write_report(const Report& report, const std::string& path) {
  const std::string text = render(report, format_of(path));
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

}  // namespace dorm::report
