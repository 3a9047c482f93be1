// SPDX-License-Identifier: Apache-2.0
// From values per query to a table.
#pragma once

#include <vector>

#include "dorm/evaluate.h"

namespace dorm {

/// Fills means, intervals and counts of every measure from its per_query.
void summarise(EvaluationTable& table, const std::vector<double>& weights, const EvaluateOptions& options);

/// What a query in which there is nothing to find counts; NaN: nothing.
double count_empty(const Convention& convention, const Measure& measure);

}  // namespace dorm
