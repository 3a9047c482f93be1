// SPDX-License-Identifier: Apache-2.0
// Choosing points of a tuning grid, beyond the noise of their validation values.
#pragma once

#include <vector>

#include "dorm/tune.h"
#include "learning/train/average.h"

namespace dorm {

/// The winner by options.choice, for `average` the best; one without information only where all are.
/// `points` is not empty.
GridPoint& choose(std::vector<GridPoint>& points, const TuneOptions& options);

/// Fills in the shares: 1 for the winner, or those of the average.
void share_out(std::vector<GridPoint>& points, const TuneOptions& options);

}  // namespace dorm
