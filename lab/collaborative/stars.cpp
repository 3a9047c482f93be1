// SPDX-License-Identifier: Apache-2.0
#include "lab/collaborative/stars.h"

#include <algorithm>
#include <limits>

namespace dorm {

RatingScale scale_of(const Ratings& ratings) {
  double sum = 0, squares = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const double value : ratings.of_user(u).value) {
      sum += value;
      squares += value * value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  const double count = static_cast<double>(ratings.size()), mean = sum / count;
  const double unit = high > low ? (high - low) / 4 : 1;
  return {mean, unit, std::max(0.0, squares / count - mean * mean) / (unit * unit)};
}

std::vector<double> item_means(const Ratings& ratings, double damping) {
  const RatingScale scale = scale_of(ratings);
  std::vector<double> means(ratings.num_items());
  for (std::size_t j = 0; j < means.size(); ++j) {
    const RatingRow row = ratings.of_item(j);
    double sum = -damping;
    for (const float value : row.value) sum += scale.stars(value);
    const double weight = static_cast<double>(row.size()) + damping;
    means[j] = weight > 0 ? sum / weight : 0;
  }
  return means;
}

}  // namespace dorm
