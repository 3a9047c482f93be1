// SPDX-License-Identifier: Apache-2.0
// Choosing a cell of a tuning grid, with an eye on noise.
#pragma once

#include <span>
#include <vector>

#include "dorm/train.h"

namespace dorm {

struct Moments {
  double mean = 0, standard_error = 0;  // of the mean
};

/// Over the values that are not NaN.
Moments moments_of(std::span<const double> values);

/// Of the differences a - b, query by query.
Moments paired(std::span<const double> a, std::span<const double> b);

/// Whether the mean of `values` is behind that of `best` by more than one standard error of their paired difference.
bool behind(std::span<const double> values, std::span<const double> best);

/// The winner by options.choice, for `average` the best; one without information only where all are.
/// `cells` is not empty.
GridPoint& choose(std::vector<GridPoint>& cells, const TuneOptions& options);

/// Fills in the shares: 1 for the winner, or those of the average.
void share_out(std::vector<GridPoint>& cells, const TuneOptions& options);

}  // namespace dorm
