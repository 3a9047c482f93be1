// SPDX-License-Identifier: Apache-2.0
#include "data/synth/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm {
namespace {

TEST(ExactMath, PowersOfTwoFollowTheLibraryClosely) {
  for (double x = -40; x <= 40; x += 0.0137) EXPECT_NEAR(exact_exp2(x) / std::exp2(x), 1, 1e-9) << x;
  EXPECT_EQ(exact_exp2(0), 1);
  EXPECT_EQ(exact_exp2(-3), 0.125);
}

TEST(ExactMath, NearNormalHasTheMomentsAndTailsOfANormal) {
  Rng rng(5);
  double sum = 0, squares = 0, beyond = 0;
  constexpr int kDraws = 400000;
  for (int i = 0; i < kDraws; ++i) {
    const double z = near_normal(rng);
    sum += z;
    squares += z * z;
    beyond += z > 2.3263;  // 1 % of a normal; the sum of eight uniforms has a little less
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.008);
  EXPECT_NEAR(squares / kDraws, 1, 0.01);
  EXPECT_NEAR(beyond / kDraws, 0.009, 0.0015);
}

TEST(ExactMath, RoundsToFourDecimals) {
  const std::pair<double, float> cases[] = {{0.123456, 0.1235f}, {-0.123456, -0.1235f}, {0.00004, 0.0f},
                                            {1.23456, 1.235f},   {12.3456, 12.35f},     {123.456, 123.5f},
                                            {1234.56, 1235.0f},  {12345.6, 12350.0f},   {1234567, 1235000.0f},
                                            {9999.6, 10000.0f},  {-98766, -98770.0f},   {0, 0.0f}};
  for (const auto& [in, out] : cases) EXPECT_EQ(round_decimals(in), out) << in;
}

TEST(ExactMath, DerivedGeneratorsDiffer) {
  EXPECT_NE(derived_rng(1, 1, 1).next(), derived_rng(1, 1, 2).next());
  EXPECT_NE(derived_rng(1, 1, 1).next(), derived_rng(1, 2, 1).next());
  EXPECT_NE(derived_rng(1, 1, 1).next(), derived_rng(2, 1, 1).next());
}

}  // namespace
}  // namespace dorm
