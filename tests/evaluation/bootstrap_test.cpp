// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/numeric.h"
#include "base/rng.h"
#include "dorm/error.h"

namespace dorm {
namespace {

std::vector<double> uniform_values(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> values(count);
  for (double& v : values) v = rng.uniform();
  return values;
}

std::vector<Interval> intervals(const std::vector<std::vector<double>>& columns, const std::vector<double>& weights,
                                const EvaluateOptions& options = {}) {
  std::vector<std::span<const double>> views(columns.begin(), columns.end());
  return bootstrap(views, weights, options);
}

// For many queries the mean is nearly normal: mean +- 1.96 sd / sqrt(n), sd of a uniform being sqrt(1/12).
TEST(Bootstrap, MatchesTheNormalApproximationOnManyQueries) {
  const std::size_t count = 4000;
  const std::vector<double> values = uniform_values(count, 1), weights(count, 1.0);
  EvaluateOptions options;
  options.bootstrap = 4000;
  const Interval interval = intervals({values}, weights, options)[0];
  const double mean = weighted_mean(values, weights), half = 1.96 * std::sqrt(1.0 / 12 / count);
  EXPECT_NEAR(interval.low, mean - half, 0.1 * half);
  EXPECT_NEAR(interval.high, mean + half, 0.1 * half);
}

// Two queries with values 0 and 1: the mean of a resample is 0, 1/2, 1 with chances 1/4, 1/2, 1/4.
TEST(Bootstrap, FollowsTheResamplingDistributionOfTwoQueries) {
  const std::vector<double> weights = {1, 1};
  EvaluateOptions options;
  options.bootstrap = 20000;
  options.confidence = 0.48;  // tails of .26 lie inside the middle half
  Interval interval = intervals({{0, 1}}, weights, options)[0];
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_EQ(interval.high, 0.5);
  options.confidence = 0.52;  // tails of .24 reach the ends
  interval = intervals({{0, 1}}, weights, options)[0];
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 1);
}

TEST(Bootstrap, AllColumnsSeeTheSameResamples) {
  std::vector<double> values = uniform_values(100, 2), shifted = values;
  for (double& v : shifted) v += 1;
  const auto result = intervals({values, shifted, values}, std::vector<double>(100, 1.0));
  EXPECT_NEAR(result[1].low, result[0].low + 1, 1e-12);
  EXPECT_EQ(result[2].low, result[0].low);
}

TEST(Bootstrap, DoesNotDependOnThreadsButOnTheSeed) {
  const std::vector<double> values = uniform_values(500, 3), weights(500, 1.0);
  EvaluateOptions one, many, other;
  one.threads = 1;
  many.threads = 5;
  other.seed = 9;
  const Interval a = intervals({values}, weights, one)[0], b = intervals({values}, weights, many)[0];
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_NE(a.low, intervals({values}, weights, other)[0].low);
}

TEST(Bootstrap, LeavesOutSkippedQueriesAndHonoursWeights) {
  const Interval skipped = intervals({{kNaN, 0.25, kNaN, 0.25}}, {1, 1, 1, 1})[0];
  EXPECT_EQ(skipped.low, 0.25);
  EXPECT_EQ(skipped.high, 0.25);
  const Interval weighted = intervals({{0.5, 100, 0.5}}, {1, 0, 2})[0];
  EXPECT_EQ(weighted.low, 0.5);
  EXPECT_EQ(weighted.high, 0.5);
}

TEST(Bootstrap, HasNoIntervalWithoutQueriesOrResamples) {
  EvaluateOptions none;
  none.bootstrap = 0;
  EXPECT_TRUE(std::isnan(intervals({{1.0}}, {1}, none)[0].low));
  EXPECT_TRUE(std::isnan(intervals({{kNaN}}, {1})[0].high));
  EXPECT_TRUE(std::isnan(intervals({{}}, {})[0].low));
}

TEST(Bootstrap, RefusesAConfidenceOutsideZeroToOne) {
  for (double confidence : {0.0, 1.0, -1.0, kNaN}) {
    EvaluateOptions options;
    options.confidence = confidence;
    EXPECT_THROW(intervals({{1.0}}, {1}, options), Error) << confidence;
  }
}

}  // namespace
}  // namespace dorm
