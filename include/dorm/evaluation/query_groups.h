// SPDX-License-Identifier: Apache-2.0
// Rankers on groups of queries: those of a category, short and long ones, frequent and rare ones.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dorm/evaluate.h"
#include "dorm/evaluation/difference.h"

namespace dorm {

struct QueryGroup {
  std::string name;
  std::vector<std::size_t> queries;  // rows of a table, increasing
};

/// Groups by a text for each query; an empty one is the group "none". Where all others are numbers, and more than
/// `most` different ones, four groups of about as many queries by size, each as "1 to 3"; else a group for each text,
/// numbers by size and other texts in order.
std::vector<QueryGroup> group_queries(std::span<const std::string> texts, std::size_t most = 8);

/// The table of these queries alone, with means and intervals of its own.
EvaluationTable part_of(const EvaluationTable& table, std::span<const std::size_t> queries,
                        const EvaluateOptions& options);

/// test_rankers() of each group; the tests of one group are a family, or with over_measures those of all its measures.
std::vector<TestedRankers> test_by_group(const RankerTable& table, std::span<const QueryGroup> groups,
                                         const EvaluateOptions& options, const TestOptions& how);

}  // namespace dorm
