// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/read_report.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace dorm {

void warn_merged(ReadReport* report, const std::string& name, const Grouping& grouping) {
  if (grouping.merged_blocks == 0) return;
  warn(report, fmt::format("{}: {} of the blocks of rows continue an earlier query (first: {}) and were merged", name,
                           grouping.merged_blocks, in_quotes(grouping.first_merged)));
}

}  // namespace dorm
