// SPDX-License-Identifier: Apache-2.0
#include "dorm/base/number_range.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm {
namespace {

TEST(NumberRange, SaysWhatItTakes) {
  EXPECT_EQ(whole_from(2).text(), "a whole number from 2 on");
  EXPECT_EQ(whole_from(1, 1e8).text(), "a whole number from 1 to 100000000");
  EXPECT_EQ(number_above(0).text(), "a number above 0");
  EXPECT_EQ(number_above(0, 1).text(), "a number above 0 and at most 1");
  EXPECT_EQ(number_within(0, 1).text(), "a number above 0 and below 1");
  EXPECT_EQ((NumberRange{.high = 1, .below_high = true}).text(), "a number from 0 to below 1");
  EXPECT_EQ((NumberRange{.above_low = true, .infinite = true}).text(), "a number above 0, or inf");
  EXPECT_EQ(any_number().text(), "a number");
}

TEST(NumberRange, TakesWhatItSays) {
  const double nan = std::nan(""), infinity = kNoLimit;
  EXPECT_TRUE(whole_from(2).contains(2));
  for (const double value : {1.0, 2.5, -3.0, nan, infinity, -infinity}) EXPECT_FALSE(whole_from(2).contains(value));
  EXPECT_TRUE(number_above(0, 1).contains(1));
  for (const double value : {0.0, 1.5, nan}) EXPECT_FALSE(number_above(0, 1).contains(value));
  EXPECT_FALSE(number_within(0, 1).contains(1));
  EXPECT_TRUE(any_number().contains(-1e300));
  EXPECT_FALSE(any_number().contains(infinity));
  EXPECT_TRUE((NumberRange{.infinite = true}).contains(infinity));
  EXPECT_FALSE((NumberRange{.infinite = true}).contains(-infinity));
}

}  // namespace
}  // namespace dorm
