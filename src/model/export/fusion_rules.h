// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "dorm/fusion/runs.h"

namespace dorm {

/// (x - low) / (high - low), at least `least`; where all scores are equal `alike`, nothing: as they are.
ColumnRule min_max_rule(double least, std::optional<double> alike);
/// 1 / (60 + rank).
ColumnRule rank_rule();
/// Unchanged; `absent` by column.
ColumnRule as_they_are(std::vector<double> absent);

/// A score between 0 and 1 by its kind alone: of a cosine (1 + x) / 2, else 2 arctan(x) / pi.
double arctan_scaled(double score, bool cosine);
ColumnRule arctan_rule(std::vector<bool> cosine);

}  // namespace dorm
