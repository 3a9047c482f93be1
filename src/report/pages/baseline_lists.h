// SPDX-License-Identifier: Apache-2.0
// The lists of a ranker and of the reference side by side, for queries where they differ.
#pragma once

#include <cstddef>
#include <vector>

#include "dorm/apps/pages.h"

namespace dorm::pages {

/// Value of the first measure for query q: the ranker of this row less the reference. NaN: one of them has none.
double difference_of(const RankersReportData& report_data, std::size_t row, std::size_t q);

/// The queries with a difference, the largest loss first; equal ones in their order.
std::vector<std::size_t> queries_by_difference(const RankersReportData& report_data, std::size_t row);

/// The largest losses and wins of the baseline with both lists, where there is data; then all queries to explore.
std::vector<report::Section> baseline_sections(const RankersReportData& report_data, std::size_t baseline);

}  // namespace dorm::pages
