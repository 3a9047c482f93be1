// SPDX-License-Identifier: Apache-2.0
// Short names for numbers that are used everywhere, and a sum that keeps its bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace dorm {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A count as a real number.
constexpr double real(std::size_t n) { return static_cast<double>(n); }

/// A sum that hardly ever depends on the order of its numbers, not even in the last bit (Neumaier).
class CompensatedSum {
 public:
  void add(double x) {
    const double sum = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace dorm
