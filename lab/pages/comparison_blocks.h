// SPDX-License-Identifier: Apache-2.0
// A comparison as tables and plots, for the pages of `dorm compare` and `dorm lab experiment`.
#pragma once

#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/lab/comparison.h"

namespace dorm {

using ComparisonRows = std::vector<const ComparisonRow*>;

/// The rows of every training size, smallest first; those of all training queries last.
std::vector<ComparisonRows> rows_by_size(const ComparisonResult& result);

/// Learnt rankers and outside ones, best first by their figure of one measure; not random, ideal and failures.
ComparisonRows ranked_methods(const ComparisonRows& rows, std::size_t measure);

/// Methods by measures with intervals and p-values, seconds, support vectors; random and ideal below.
report::Table comparison_table(const ComparisonRows& rows, std::string caption);

/// Paired tests of one measure against the row that the others are tested against.
report::Table tests_table(const ComparisonRows& rows, std::size_t measure, std::string caption);

/// What the validation queries chose, split by split.
report::Table chosen_table(const ComparisonRows& rows, std::string caption);

/// Every measure by method, the first by cutoff, learning curves, and what training costs: what there is of these.
/// `data` names the set in the titles; empty: there is only one.
std::vector<report::Block> comparison_plots(const ComparisonResult& result, const std::string& data);

}  // namespace dorm
