// SPDX-License-Identifier: Apache-2.0
// Choosing points of a tuning grid, beyond the noise of their validation values.
#pragma once

#include <span>
#include <vector>

#include "dorm/tune.h"
#include "learning/train/average.h"

namespace dorm {

/// The winner by options.choice, for `average` the best; one without information only where all are.
/// `points` is not empty.
GridPoint& choose(std::vector<GridPoint>& points, const TuneOptions& options);

/// Whether a point belongs to a family.
bool belongs(const GridPoint& point, Family family);

/// Fills in the shares: 1 for the winner, or those of the average; 0 for what is not of the family options.only, unless
/// there is nothing else.
void share_out(std::vector<GridPoint>& points, const TuneOptions& options);

/// Of validation values, NaN where the measure skips the query.
ValidatedFigure figure_of(std::span<const double> per_query);

}  // namespace dorm
