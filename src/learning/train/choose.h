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

/// The winner by options.choice; `cells` is not empty.
TuneCell& choose(std::vector<TuneCell>& cells, const TuneOptions& options);

}  // namespace dorm
