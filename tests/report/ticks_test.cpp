// SPDX-License-Identifier: Apache-2.0
#include "report/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm::report {
namespace {

std::vector<std::string> labels_of(const Scale& scale) {
  std::vector<std::string> labels;
  for (const Tick& tick : scale.ticks()) labels.push_back(tick.label);
  return labels;
}

TEST(Scale, PutsRoundTicksOnALinearAxis) {
  const Scale scale({.label = ""}, {0.21, 0.78}, true, 0, 100);
  EXPECT_EQ(labels_of(scale), (std::vector<std::string>{"0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"}));
  EXPECT_DOUBLE_EQ(scale.low(), 0.2);
  EXPECT_DOUBLE_EQ(scale.high(), 0.8);
  EXPECT_DOUBLE_EQ(scale.place(0.5), 50);
}

TEST(Scale, PutsDecadesOnALogAxis) {
  const Scale scale({.label = "", .log = true}, {2e-4, 0.3}, true, 100, 0);
  EXPECT_EQ(labels_of(scale), (std::vector<std::string>{"0.0001", "0.001", "0.01", "0.1", "1"}));
  EXPECT_DOUBLE_EQ(scale.place(1e-4), 100);
  EXPECT_NEAR(scale.place(1e-2), 50, 1e-9);
  EXPECT_DOUBLE_EQ(scale.place(1), 0);
}

TEST(Scale, TakesShortNamesForLargeAndSmallNumbers) {
  EXPECT_EQ(labels_of(Scale({.label = "", .log = true}, {1e6, 1e9}, true, 0, 1)),
            (std::vector<std::string>{"1e6", "1e7", "1e8", "1e9"}));
}

TEST(Scale, KeepsToWholeNumbersWhereAsked) {
  EXPECT_EQ(labels_of(Scale({.label = "", .whole = true}, {1, 3}, false, 0, 1)),
            (std::vector<std::string>{"1", "2", "3"}));
}

TEST(Scale, LeavesOutWhatALogAxisCannotShow) {
  const Scale scale({.label = "", .log = true}, {0, -1, 10, 1000, std::nan("")}, false, 0, 1);
  EXPECT_FALSE(scale.shows(0));
  EXPECT_FALSE(scale.shows(-1));
  EXPECT_TRUE(scale.shows(1e-3));
  EXPECT_DOUBLE_EQ(scale.low(), 10);
  EXPECT_DOUBLE_EQ(scale.high(), 1000);
}

TEST(Scale, KeepsTheEndsItWasGiven) {
  const Scale scale({.label = "", .low = 0.0, .high = 1.0}, {0.4, 0.6}, true, 0, 10);
  EXPECT_DOUBLE_EQ(scale.low(), 0);
  EXPECT_DOUBLE_EQ(scale.high(), 1);
}

// Whatever the data: ticks rise, lie in the range, are not too many, and places follow values.
TEST(Scale, IsMonotoneForEveryKindOfRange) {
  const std::vector<std::vector<double>> ranges = {
      {},       {0},           {5},          {-3},          {0, 0},
      {1, 1},   {-1, 1},       {1e-9, 2e-9}, {1e9, 2e9},    {0.1, 0.1 + 1e-15},
      {3, 700}, {-1e-3, 1e12}, {99.99, 100}, {1, 1e15},     {10.049, 10.0491},
      {7, 7.5}, {-500, -499},  {0, 5e-324},  {1e300, 2e300}};
  for (const bool log : {false, true})
    for (const bool whole : {false, true})
      for (const bool rounded : {false, true})
        for (const std::vector<double>& values : ranges) {
          const Scale scale({.label = "", .log = log, .whole = whole}, values, rounded, 0, 1);
          ASSERT_LT(scale.low(), scale.high());
          ASSERT_LE(scale.ticks().size(), 16u);
          ASSERT_FALSE(rounded && scale.ticks().empty());
          for (std::size_t i = 0; i < scale.ticks().size(); ++i) {
            const double value = scale.ticks()[i].value, place = scale.place(value);
            EXPECT_TRUE(place >= -1e-9 && place <= 1 + 1e-9) << value;
            if (i == 0) continue;
            EXPECT_GT(value, scale.ticks()[i - 1].value);
            EXPECT_GT(place, scale.place(scale.ticks()[i - 1].value));
          }
          const double slack = 1e-8 * (scale.high() - scale.low());
          for (const double value : values)
            if (scale.shows(value)) {
              EXPECT_TRUE(scale.low() - slack <= value && value <= scale.high() + slack) << value;
            }
        }
}

}  // namespace
}  // namespace dorm::report
