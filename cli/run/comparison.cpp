// SPDX-License-Identifier: Apache-2.0
#include "run/comparison.h"

#include <fmt/format.h>

#include "base/json.h"
#include "input/input.h"
#include "options/report_files.h"
#include "run/comparison_view.h"
#include "run/output.h"
#include "run/stop.h"
#include "text/comparison_text.h"

namespace dorm::cli {

ComparisonResult compared(const std::string& out, const Settings& settings, const RunComparison& run) {
  const StopRequest stop;
  ComparisonResult result;
  {
    ComparisonView view(settings.quiet);
    result = run([&](const ComparisonProgress& progress) {
      view.update(progress);
      return stop.signal() == 0;
    });
  }
  if (result.complete) return result;
  warn(settings, out.empty()
                     ? "interrupted; nothing is kept without --out"
                     : fmt::format("interrupted; the finished results are in {}; the same command resumes", out));
  throw Stopped{stop.signal()};
}

void deliver_comparison(const ComparisonResult& result, const report::Report& page, const std::string& out,
                        std::vector<std::string> reports, const Settings& settings) {
  if (!out.empty()) {
    write_text(out + "/table.csv", comparison_csv(result));
    write_text(out + "/table.md", comparison_markdown(result));
    if (reports.empty()) reports = {out + "/report.html"};
  }
  write_reports(page, reports);
  if (!settings.json) return print(fmt::format("{}\n{}", comparison_text(result), report_lines(reports)));
  Json json = comparison_json(result);
  json["reports"] = reports;
  print(printable_json(json, 2) + "\n");
}

}  // namespace dorm::cli
