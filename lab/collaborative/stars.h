// SPDX-License-Identifier: Apache-2.0
// Ratings in stars: distance from the overall mean in fourths of the range, so that one set of parameters serves all
// scales of ratings.
#pragma once

#include <vector>

#include "dorm/recommend/ratings.h"

namespace dorm {

struct RatingScale {
  double mean = 0, unit = 1, variance = 0;  // the variance in stars
  double stars(double value) const { return (value - mean) / unit; }
};
RatingScale scale_of(const Ratings& ratings);

/// The mean of the item's ratings and `damping` ratings one star below the overall mean, in stars: what few have rated
/// is, on average, worse. 0 where there is nothing to take a mean of.
std::vector<double> item_means(const Ratings& ratings, double damping);

/// The damping that measurements support (docs/ratings.md).
inline constexpr double kItemDamping = 5;

}  // namespace dorm
