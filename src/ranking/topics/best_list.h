// SPDX-License-Identifier: Apache-2.0
// The best list of n documents when every document has a value at every position: an assignment, or with topic budgets
// an integer program. The most violated list, the reference and the prediction are all found by it.
#pragma once

#include <span>

#include "dorm/learning/assignment.h"

namespace dorm {

/// `values` is row-major, documents x positions, positions <= documents. `budget` may be null.
TopicList best_list(std::span<const double> values, std::size_t positions, const TopicBudget* budget,
                    const TopicOptions& options);

}  // namespace dorm
