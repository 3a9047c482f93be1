// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

#include "page_files.h"

namespace dorm::report {

std::string_view style_sheet() { return kPageCss; }

std::string_view parts_style_sheet() { return kReportCss; }

std::string_view script() { return kReportJs; }

std::string content_policy() {
  return fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'", kReportJsSha256);
}

}  // namespace dorm::report
