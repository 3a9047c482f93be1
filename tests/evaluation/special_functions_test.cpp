// SPDX-License-Identifier: Apache-2.0
// Truth: scipy 1.17 (special.betainc, stats.t.sf, stats.binom.cdf), printed to full precision.
#include "evaluation/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dorm {
namespace {

void expect_relative(double got, double want, double tolerance) {
  EXPECT_LE(std::abs(got - want), tolerance * std::abs(want)) << got << " is not " << want;
}

TEST(SpecialFunctions, IncompleteBetaEqualsScipy) {
  const double cases[][4] = {
      {0.5, 0.5, 0.3, 0.36901011956554536},
      {2, 3, 0.4, 0.5247999999999999},
      {10, 0.5, 0.9, 0.15164090963470994},
      {500, 0.5, 0.99, 0.0015273578790529906},
      {50, 60, 0.5, 0.8309072939016693},
      {5000, 5100, 0.5, 0.8401528708121381},
      {1, 1, 0.25, 0.25},
      {49999.5, 0.5, 0.9999, 0.0015651047513889943},
  };
  for (const auto& [a, b, x, want] : cases) expect_relative(incomplete_beta(a, b, x), want, 1e-9);
}

TEST(SpecialFunctions, IncompleteBetaEndsAtZeroAndOne) {
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

TEST(SpecialFunctions, StudentTailsEqualScipy) {
  const double cases[][3] = {{0.5, 1, 0.7048327646991335},      {2, 5, 0.10193947882985835},
                             {-3.2, 30, 0.0032386017119531312}, {1.96, 100000, 0.04999856319430168},
                             {8, 10, 1.1774942789666167e-05},   {40, 20, 1.457469655431075e-20}};
  for (const auto& [t, freedom, want] : cases) expect_relative(student_two_sided(t, freedom), want, 1e-9);
  EXPECT_EQ(student_two_sided(0, 7), 1);
  EXPECT_EQ(student_two_sided(std::numeric_limits<double>::infinity(), 7), 0);
}

TEST(SpecialFunctions, FairCoinEqualsScipy) {
  EXPECT_NEAR(fair_coin_at_most(2, 10), 0.0546875, 1e-14);
  EXPECT_NEAR(fair_coin_at_most(0, 5), 0.03125, 1e-14);
  EXPECT_NEAR(fair_coin_at_most(5, 10), 0.623046875, 1e-14);
  expect_relative(fair_coin_at_most(480, 1000), 0.10872414660207075, 1e-10);
  expect_relative(fair_coin_at_most(49800, 100000), 0.10351948588211125, 1e-9);
  EXPECT_EQ(fair_coin_at_most(10, 10), 1);
}

}  // namespace
}  // namespace dorm
