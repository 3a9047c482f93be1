// SPDX-License-Identifier: Apache-2.0
// Short names for numbers that are used everywhere.
#pragma once

#include <cstddef>
#include <limits>

namespace dorm {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A count as a real number.
constexpr double real(std::size_t n) { return static_cast<double>(n); }

}  // namespace dorm
