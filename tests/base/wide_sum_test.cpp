// SPDX-License-Identifier: Apache-2.0
#include "base/vector/wide_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace dorm {
namespace {

TEST(WideSum, LargeTermsCancel) {
  WideSum sum;
  for (const double x : {1e20, 1.0, -1e20, 1e-20}) sum.add(x);
  EXPECT_EQ(sum.value(), 1 + 1e-20);
  WideSum part(1e18);
  part.add(3);
  sum.add(part);
  sum.subtract(part);
  EXPECT_EQ(sum.value(), 1);
}

// Products of whole numbers of 53 bits: a b - (a + 1) (b - 3) = 3 a - b + 3. What is added up beside the largest sums
// has 80 bits, and loses those below 2^30 at most.
TEST(WideSum, ProductsKeepAllDigits) {
  Rng rng(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto a = static_cast<std::int64_t>(rng.below(std::uint64_t{1} << 53));
    const auto b = static_cast<std::int64_t>(rng.below(std::uint64_t{1} << 53));
    WideSum sum;
    sum.add_product(static_cast<double>(a), static_cast<double>(b));
    sum.add_product(-static_cast<double>(a + 1), static_cast<double>(b - 3));
    EXPECT_NEAR(sum.value(), static_cast<double>(3 * a - b + 3), std::ldexp(1.0, 30)) << a << ' ' << b;
  }
}

TEST(WideSum, WhatIsTooLargeIsNotFinite) {
  WideSum sum;
  sum.add_product(1e200, 1e200);
  EXPECT_FALSE(std::isfinite(sum.value()));
  WideSum largest;
  largest.add_product(std::numeric_limits<double>::max(), 1);
  EXPECT_EQ(largest.value(), std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace dorm
