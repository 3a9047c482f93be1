// SPDX-License-Identifier: Apache-2.0
// Truth: scipy 1.17 (stats.t.sf, stats.binom.cdf), printed to full precision, and closed forms.
#include "evaluation/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace dorm {
namespace {

void expect_relative(double got, double want, double tolerance) {
  EXPECT_LE(std::abs(got - want), tolerance * std::abs(want)) << got << " is not " << want;
}

TEST(Distributions, StudentTailsEqualScipy) {
  const double cases[][3] = {{0.5, 1, 0.7048327646991335},      {2, 5, 0.10193947882985835},
                             {-3.2, 30, 0.0032386017119531312}, {1.96, 100000, 0.04999856319430168},
                             {8, 10, 1.1774942789666167e-05},   {40, 20, 1.457469655431075e-20}};
  for (const auto& [t, freedom, want] : cases) expect_relative(student_two_sided(t, freedom), want, 1e-9);
  EXPECT_EQ(student_two_sided(0, 7), 1);
  EXPECT_EQ(student_two_sided(std::numeric_limits<double>::infinity(), 7), 0);
}

TEST(Distributions, StudentTailsHaveClosedFormsForOneAndTwoDegreesOfFreedom) {
  for (const double t : {1e-3, 0.01, 0.5, 3.0, 1e3}) {
    expect_relative(student_two_sided(t, 1), 2 * std::atan(1 / t) / std::numbers::pi, 1e-12);
    expect_relative(student_two_sided(t, 2), 2 / (2 + t * t + t * std::sqrt(2 + t * t)), 1e-12);
  }
}

TEST(Distributions, ArgumentsOutsideTheDomainGiveNoNumberAndDoNotThrow) {
  EXPECT_TRUE(std::isnan(student_two_sided(std::numeric_limits<double>::quiet_NaN(), 7)));
  EXPECT_TRUE(std::isnan(student_two_sided(1, 0)));
}

TEST(Distributions, FairCoinEqualsScipy) {
  EXPECT_NEAR(fair_coin_at_most(2, 10), 0.0546875, 1e-14);
  EXPECT_NEAR(fair_coin_at_most(0, 5), 0.03125, 1e-14);
  EXPECT_NEAR(fair_coin_at_most(5, 10), 0.623046875, 1e-14);
  expect_relative(fair_coin_at_most(480, 1000), 0.10872414660207075, 1e-10);
  expect_relative(fair_coin_at_most(49800, 100000), 0.10351948588211125, 1e-9);
  EXPECT_EQ(fair_coin_at_most(10, 10), 1);
}

}  // namespace
}  // namespace dorm
