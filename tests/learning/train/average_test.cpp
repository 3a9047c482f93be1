// SPDX-License-Identifier: Apache-2.0
// Shares, spreads and sums by hand.
#include "learning/train/average.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dorm/read.h"
#include "model/features/linear_features.h"

namespace dorm {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> shares_of(const std::vector<std::vector<double>>& values) {
  std::vector<std::span<const double>> views(values.begin(), values.end());
  return shares_by_validation(views);
}

TEST(Average, AShareFallsByEForEveryHalfStandardErrorBehindTheBest) {
  // Behind by m +- 0.06 in turn, over four queries: the standard error is 0.06 / sqrt(3), and m is a half of that.
  const double m = 0.06 / std::sqrt(3.0) / 2, near = m - 0.06, far = m + 0.06;
  const std::vector<double> shares =
      shares_of({{0.5, 0.7, kNone, 0.5, 0.7}, {0.5 - near, 0.7 - far, kNone, 0.5 - near, 0.7 - far}});
  EXPECT_NEAR(shares[1] / shares[0], std::exp(-1.0), 1e-9);
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-15);
}

TEST(Average, FarBehindIsOut) {
  const std::vector<double> shares = shares_of({{0.5, 0.7}, {0.1, 0.25}, {0.5, 0.7}});
  EXPECT_EQ(shares, (std::vector<double>{0.5, 0.0, 0.5}));
}

TEST(Average, WithoutNoiseOnlyTheBestRemains) {
  EXPECT_EQ(shares_of({{0.5}, {0.6}, {0.6}}), (std::vector<double>{0, 0.5, 0.5}));
}

TEST(Average, SpreadIsTheDeviationWithinQueries) {
  const Dataset data = parse_letor("1 qid:1 1:1 2:5\n0 qid:1 1:3 2:5\n1 qid:2 1:10 2:0\n0 qid:2 1:10 2:0\n", "d");
  for (const char* device : {"cpu", "host"}) {
    KernelOptions options;
    options.place.device = device;
    const TrainingSet set(data, ScalingChoice{"none", ""}, 1, options);
    // Scores 2, 6 | 20, 20: deviations 2, 2, 0, 0.
    EXPECT_NEAR(spread(set, std::vector<double>{2, 0}), std::sqrt(8.0 / 4), 1e-12) << device;
    EXPECT_EQ(spread(set, std::vector<double>{0, 1}), 0) << device;
  }
}

TEST(Average, WeightsAreAddedAtUnitSpread) {
  AverageOfWeights average;
  average.add(std::vector<double>{2, 4}, 2, 0.25);
  average.add(std::vector<double>{1, 0}, 0.5, 0.75);
  EXPECT_EQ(average.weights(), (std::vector<double>{0.25 + 1.5, 0.5}));
}

}  // namespace
}  // namespace dorm
