// SPDX-License-Identifier: Apache-2.0
// From values of test queries to figures: means with intervals, and paired tests between rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/lab/comparison.h"

namespace dorm {

/// Fills mean, interval and counts of a measure whose values are in result.per_query; a weight for each of them.
void finish_result(const std::string& measure, std::span<const double> weights, std::uint64_t seed,
                   MeasureResult& result);

/// Every row against `against`, or where that is empty against the best of each measure; Holm's correction over the
/// rows of a measure. Rows without figures are left out.
void test_rows(std::vector<ComparisonRow>& rows, const std::string& against, std::uint64_t seed, std::size_t threads);

/// Of rows of one size: tune:both, and the rows `brought` by name, less tune; those that there are.
std::vector<ComparedTrees> worth_of_trees(const std::vector<ComparisonRow>& rows, std::span<const std::string> brought,
                                          std::span<const double> weights, std::uint64_t seed);

}  // namespace dorm
