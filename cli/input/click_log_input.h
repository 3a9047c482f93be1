// SPDX-License-Identifier: Apache-2.0
// Reading click logs for the commands.
#pragma once

#include <string>

#include "command.h"
#include "dorm/clicks/click_log.h"

namespace dorm::cli {

/// The options of a log; the columns of query and document ids are also those of the features.
struct ClickLogArguments {
  ClickLogOptions options = {};
  std::string context = {};  // columns, a,b
};

/// --context, --positions and the columns of a log, under the heading "Log".
void add_click_log_options(CLI::App& app, ClickLogArguments& arguments);

/// For readers of click_log.h; `query` and `document`: their columns, empty for the usual ones. Progress is shown under
/// the name of the log.
ClickLogOptions click_log_options(const ClickLogArguments& arguments, const std::string& query,
                                  const std::string& document, const Settings& settings);

/// The log, counted, with progress unless settings.quiet.
ClickCounts load_click_counts(const std::string& path, ClickLogOptions options, const Settings& settings);

/// "1200 rows: 20 queries, 400 documents, 10 positions".
std::string click_log_summary(const ClickCounts& counts, const ClickLogReport& report);

}  // namespace dorm::cli
