// SPDX-License-Identifier: Apache-2.0
// The arithmetic of scaling, one number at a time: the same for dense and compressed data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dorm/data/scale.h"

namespace dorm {

inline bool takes_logarithm(ScalingKind kind) {
  return kind == ScalingKind::log_zscore || kind == ScalingKind::log_query_zscore;
}

inline bool uses_range(ScalingKind kind) { return kind == ScalingKind::minmax || kind == ScalingKind::query_minmax; }

inline double signed_logarithm(double x) { return std::copysign(std::log1p(std::fabs(x)), x); }

/// What the factor of a column is made of: its range, and the sum of squared deviations from the mean over
/// so many values.
struct ColumnSpread {
  double low, high, squares;
  std::size_t count;
};

/// Constancy is decided by the range, which unlike the variance is free of rounding.
inline double factor_of(const ColumnSpread& spread, bool range) {
  const double width = range ? spread.high - spread.low : std::sqrt(spread.squares / static_cast<double>(spread.count));
  return spread.high > spread.low && width > 0 ? 1 / width : 0;
}

/// The value of which the scaling makes x; of a factor that is not 0.
inline double unscaled_value(const Scaling& scaling, std::size_t feature, double x) {
  const double shift = scaling.shift.empty() ? 0 : scaling.shift[feature];
  const double factor = scaling.factor.empty() ? 1 : scaling.factor[feature];
  const double value = x / factor + shift;
  return takes_logarithm(scaling.kind) ? std::copysign(std::expm1(std::fabs(value)), value) : value;
}

/// Far outside the fitted range it stays finite.
inline float scaled_value(double x, double shift, double factor) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp((x - shift) * factor, -kLargest, kLargest));
}

}  // namespace dorm
