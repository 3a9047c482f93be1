// SPDX-License-Identifier: Apache-2.0
// Rankings by assignment to positions, from scores.
#pragma once

#include <span>
#include <vector>

#include "dorm/model.h"

namespace dorm {

/// For every query the first decay.size() documents by the assignment of the highest sum of decay[j] shared + parts[j],
/// the others by `shared`, ties by index. Scores are in document order; `parts` has one entry per position, or none.
std::vector<Ranking> rank_by_position(const Dataset& data, std::span<const double> shared,
                                      const std::vector<std::vector<double>>& parts, std::span<const double> decay,
                                      std::size_t threads);

}  // namespace dorm
