// SPDX-License-Identifier: Apache-2.0
// From values per query to a table.
#pragma once

#include <vector>

#include "dorm/evaluate.h"

namespace dorm {

/// Fills means, intervals and counts of every measure from its per_query.
void summarise(EvaluationTable& table, const std::vector<double>& weights, const EvaluateOptions& options);

}  // namespace dorm
