// SPDX-License-Identifier: Apache-2.0
#include "lab/collaborative/list_loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dorm {
namespace {

struct Slope {
  double value, derivative;
};

// log(1 + exp(-z)), without overflow.
Slope logistic(double z) {
  const double e = std::exp(-std::abs(z));
  return {std::log1p(e) + std::max(-z, 0.0), -(z > 0 ? e : 1.0) / (1 + e)};
}

// 1/2 - z below 0, (1 - z)^2 / 2 up to 1, then 0.
Slope smooth_hinge(double z) {
  if (z >= 1) return {0, 0};
  if (z <= 0) return {0.5 - z, -1};
  return {0.5 * (1 - z) * (1 - z), z - 1};
}

}  // namespace

double PairwiseLogistic::value(RatingRow ratings, std::span<const double> scores, std::span<const double>,
                               std::span<double> score_gradient, std::span<double>) const {
  std::fill(score_gradient.begin(), score_gradient.end(), 0.0);
  const double weight = 1 / static_cast<double>(ratings.size());
  double sum = 0;
  for (std::size_t i = 0; i < ratings.size(); ++i)
    for (std::size_t j = 0; j < ratings.size(); ++j) {
      if (ratings.value[i] <= ratings.value[j]) continue;
      const Slope slope = logistic(scores[i] - scores[j]);
      sum += weight * slope.value;
      score_gradient[i] += weight * slope.derivative;
      score_gradient[j] -= weight * slope.derivative;
    }
  return sum;
}

double AllThresholds::value(RatingRow ratings, std::span<const double> scores, std::span<const double> thresholds,
                            std::span<double> score_gradient, std::span<double> threshold_gradient) const {
  std::fill(score_gradient.begin(), score_gradient.end(), 0.0);
  std::fill(threshold_gradient.begin(), threshold_gradient.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < ratings.size(); ++i)
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
      const double sign = ratings.value[i] > grades_[t] ? 1 : -1;
      const double z = sign * (scores[i] - thresholds[t]);
      const Slope slope = margin_ == Margin::logistic ? logistic(z) : smooth_hinge(z);
      sum += slope.value;
      score_gradient[i] += sign * slope.derivative;
      threshold_gradient[t] -= sign * slope.derivative;
    }
  return sum;
}

}  // namespace dorm
