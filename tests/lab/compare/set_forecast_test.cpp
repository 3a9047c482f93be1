// SPDX-License-Identifier: Apache-2.0
// The time left of a set of data, by a clock of the test.
#include "lab/compare/set_forecast.h"

#include <gtest/gtest.h>

namespace dorm {
namespace {

ComparisonProgress at(std::size_t set, std::size_t done, std::size_t total, std::size_t found = 0) {
  return {
      .done = done, .total = total, .found = found, .method = "dorm", .set = "pendigits", .set_number = set, .sets = 4};
}

TEST(SetForecast, CountsTheResultsOfThisSetAlone) {
  SetForecast forecast;
  EXPECT_FALSE(forecast.left(at(1, 0, 855), 100));
  EXPECT_EQ(forecast.left(at(1, 200, 855), 300), 655.0);  // a result a second
  EXPECT_EQ(forecast.left(at(1, 855, 855), 955), 0.0);
  // The next set begins after 600 seconds of reading; its first ten results take 20 seconds.
  EXPECT_FALSE(forecast.left(at(2, 0, 100), 1555));
  EXPECT_EQ(forecast.left(at(2, 10, 100), 1575), 180.0);
}

TEST(SetForecast, ResultsOfAnEarlierRunTookNoTime) {
  SetForecast forecast;
  EXPECT_FALSE(forecast.left(at(1, 500, 855, 500), 0));
  EXPECT_EQ(forecast.left(at(1, 510, 855, 500), 30), 345 * 3.0);
}

TEST(SetForecast, ASetThatIsFirstSeenWithResultsIsTimedFromThere) {
  SetForecast forecast;
  EXPECT_FALSE(forecast.left(at(3, 4, 20), 50));
  EXPECT_EQ(forecast.left(at(3, 8, 20), 58), 24.0);
}

TEST(SetForecast, SetsWithoutNumbersBeginAgainWhereTheCountFalls) {
  SetForecast forecast;
  forecast.left(at(0, 0, 10), 0);
  EXPECT_EQ(forecast.left(at(0, 10, 10), 40), 0.0);
  EXPECT_FALSE(forecast.left(at(0, 1, 10), 50));
  EXPECT_EQ(forecast.left(at(0, 2, 10), 51), 8.0);
}

}  // namespace
}  // namespace dorm
