// SPDX-License-Identifier: Apache-2.0
// A sum of doubles and of their products that keeps about twice the digits: large terms may cancel.
#pragma once

#include <bit>
#include <cstdint>

namespace dorm {

class WideSum {
 public:
  WideSum() = default;
  explicit WideSum(double x) : high_(x) {}

  void add(double x) {
    const double sum = high_ + x, taken = sum - high_;
    low_ += (high_ - (sum - taken)) + (x - taken);  // what rounding has cut off
    high_ = sum;
  }
  void add(const WideSum& other) {
    add(other.high_);
    low_ += other.low_;
  }
  void subtract(const WideSum& other) {
    add(-other.high_);
    low_ -= other.low_;
  }

  /// The upper halves of both have 26 bits, so that their product is exact.
  void add_product(double a, double b) {
    const double upper_a = upper_half(a), upper_b = upper_half(b);
    add(upper_a * upper_b);
    low_ += upper_a * (b - upper_b) + (a - upper_a) * b;
  }

  double value() const { return high_ + low_; }

 private:
  static double upper_half(double x) {
    constexpr std::uint64_t kLower = (std::uint64_t{1} << 27) - 1;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~kLower);
  }

  double high_ = 0, low_ = 0;
};

}  // namespace dorm
