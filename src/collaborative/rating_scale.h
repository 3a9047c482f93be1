// SPDX-License-Identifier: Apache-2.0
// Ratings in stars: distance from the overall mean in fourths of the range, so that one set of parameters
// serves all scales of ratings.
#pragma once

#include <algorithm>
#include <limits>

#include "dorm/ratings.h"

namespace dorm {

struct RatingScale {
  double mean = 0, unit = 1;
  double stars(double value) const { return (value - mean) / unit; }
};

inline RatingScale scale_of(const Ratings& ratings) {
  double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const double value : ratings.of_user(u).value) {
      sum += value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return {sum / static_cast<double>(ratings.size()), high > low ? (high - low) / 4 : 1};
}

}  // namespace dorm
