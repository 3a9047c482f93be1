// SPDX-License-Identifier: Apache-2.0
// --by: rankers on groups of queries, by a column of a table of queries.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "dorm/evaluation/query_groups.h"

namespace dorm::cli {

struct GroupsReport {
  std::string column;
  std::vector<QueryGroup> groups;
  std::vector<TestedRankers> tested;  // by group
};

/// `by` is FILE:COLUMN; the first column of the file, or the one called qid, query or query_id, names the queries.
/// Throws Error(bad_input) for a file without the column, or without any query of the table.
GroupsReport rankers_by_group(const RankerTable& table, const std::string& by, const EvaluateOptions& options,
                              const TestOptions& how);

std::string groups_text(const GroupsReport& report);
Json groups_json(const GroupsReport& report);
/// A plot and a table for each measure.
report::Section groups_section(const GroupsReport& report);

}  // namespace dorm::cli
