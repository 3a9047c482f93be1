// SPDX-License-Identifier: Apache-2.0
#include "input/click_log_input.h"

#include <fmt/format.h>

#include "data/io/tables/table_columns.h"
#include "options/option_group.h"
#include "run/progress.h"

namespace dorm::cli {

void add_click_log_options(CLI::App& app, ClickLogArguments& arguments) {
  const OptionGroup log(app, "Log");
  ClickColumns& columns = arguments.options.columns;
  log.number("--positions", arguments.options.max_position, whole_from(0, 1e6), "N",
             "use the first N positions of the log; 0: all (0)");
  log.list("--context", arguments.context, "NAMES",
           "columns that tell contexts apart, e.g. device,layout: positions are\nlooked at differently there");
  log.add("--position-column", columns.position, "NAME", "column of the positions, from 1 (position)");
  log.add("--click-column", columns.click, "NAME", "column that is 1 where a document was clicked (click)");
  log.add("--session-column", columns.session, "NAME", "column of the sessions (session)");
  log.add("--ranker-column", columns.ranker, "NAME", "column of the rankers, if any (ranker)");
  log.add("--impressions-column", columns.impressions, "NAME",
          "of a log of counts: how often a document was shown (impressions)");
  log.add("--clicks-column", columns.clicks, "NAME", "of a log of counts: and clicked (clicks)");
}

ClickLogOptions click_log_options(const ClickLogArguments& arguments, const std::string& query,
                                  const std::string& document, const Settings& settings) {
  ClickLogOptions options = arguments.options;
  if (!arguments.context.empty()) options.columns.context = split_names(arguments.context);
  if (!query.empty()) options.columns.query = query;
  if (!document.empty()) options.columns.document = document;
  options.threads = settings.threads;
  return options;
}

ClickCounts load_click_counts(const std::string& path, ClickLogOptions options, const Settings& settings) {
  ReadProgress progress(path);
  if (!settings.quiet)
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  return read_click_counts(path, options);
}

std::string click_log_summary(const ClickCounts& counts, const ClickLogReport& report) {
  std::string text = fmt::format("{} rows: {} queries, {} documents, {} positions", report.rows, counts.queries.size(),
                                 counts.documents.size(), counts.num_positions());
  if (report.pruned > 0) text += fmt::format("; {} rows below omitted", report.pruned);
  return text;
}

}  // namespace dorm::cli
