// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/numeric.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// Eight queries: five wins, two losses, one tie. Truth: scipy 1.17, stats.ttest_rel, stats.binomtest(5, 7) and
// stats.permutation_test over all sign patterns.
TEST(Compare, EqualsScipyOnAFewQueries) {
  const std::vector<double> a = {.5, .25, .75, 1, .0, .5, .3, .9}, b = {.25, .25, .5, .9, .1, .25, .4, .5};
  const PairedTest test = compare(a, b);
  EXPECT_EQ(test.queries, 8u);
  EXPECT_EQ(test.wins, 5u);
  EXPECT_EQ(test.losses, 2u);
  EXPECT_EQ(test.ties, 1u);
  EXPECT_NEAR(test.mean_difference, 0.13125, 1e-15);
  EXPECT_NEAR(test.t_statistic, 2.006183400970898, 1e-12);
  EXPECT_NEAR(test.p_t, 0.08484204801752442, 1e-12);
  EXPECT_NEAR(test.p_sign, 0.453125, 1e-12);
  EXPECT_EQ(test.p_permutation, 0.109375);
  EXPECT_LE(test.low, test.mean_difference);
  EXPECT_GE(test.high, test.mean_difference);
}

TEST(Compare, IsSymmetric) {
  const std::vector<double> a = {.1, .4, .9, .2}, b = {.3, .1, .2, .2};
  const PairedTest ab = compare(a, b), ba = compare(b, a);
  EXPECT_EQ(ab.mean_difference, -ba.mean_difference);
  EXPECT_EQ(ab.wins, ba.losses);
  EXPECT_DOUBLE_EQ(ab.p_t, ba.p_t);
  EXPECT_EQ(ab.p_sign, ba.p_sign);
  EXPECT_EQ(ab.p_permutation, ba.p_permutation);
}

TEST(Compare, RandomSignFlipsAgreeWithTheTTestOnManyQueries) {
  Rng rng(5);
  std::vector<double> a(400), b(400);
  for (std::size_t q = 0; q < a.size(); ++q) {
    a[q] = rng.uniform() + 0.02;
    b[q] = rng.uniform();
  }
  const PairedTest test = compare(a, b);
  EXPECT_GT(test.p_t, 0.001);  // neither pruned nor certain, or the comparison would say nothing
  EXPECT_LT(test.p_t, 0.5);
  EXPECT_NEAR(test.p_permutation, test.p_t, 0.02);
}

TEST(Compare, DoesNotDependOnThreads) {
  Rng rng(6);
  std::vector<double> a(100), b(100);
  for (double& v : a) v = rng.uniform();
  for (double& v : b) v = rng.uniform();
  EvaluateOptions one, many;
  one.threads = 1;
  many.threads = 4;
  EXPECT_EQ(compare(a, b, one).p_permutation, compare(a, b, many).p_permutation);
  EXPECT_EQ(compare(a, b, one).low, compare(a, b, many).low);
}

TEST(Compare, UsesOnlyQueriesBothHaveAValueFor) {
  const std::vector<double> a = {1, kNaN, 0.5, 0.2}, b = {0, 1, kNaN, 0.1};
  const PairedTest test = compare(a, b);
  EXPECT_EQ(test.queries, 2u);
  EXPECT_NEAR(test.mean_difference, 0.55, 1e-15);
}

TEST(Compare, FindsNoDifferenceBetweenEqualRankers) {
  const std::vector<double> a = {.5, .5, .2};
  const PairedTest test = compare(a, a);
  EXPECT_EQ(test.ties, 3u);
  EXPECT_EQ(test.p_t, 1);
  EXPECT_EQ(test.p_sign, 1);
  EXPECT_EQ(test.p_permutation, 1);
  EXPECT_EQ(test.low, 0);
  EXPECT_EQ(test.high, 0);
}

TEST(Compare, OneQueryProvesNothing) {
  const std::vector<double> a = {1}, b = {0};
  const PairedTest test = compare(a, b);
  EXPECT_EQ(test.p_t, 1);
  EXPECT_NEAR(test.p_sign, 1, 1e-12);
  EXPECT_EQ(test.p_permutation, 1);
}

TEST(Compare, AConstantDifferenceIsCertainForTheTTest) {
  const std::vector<double> a = {1, 1, 1}, b = {.5, .5, .5};
  EXPECT_TRUE(std::isinf(compare(a, b).t_statistic));
  EXPECT_EQ(compare(a, b).p_t, 0);
  EXPECT_EQ(compare(a, b).p_permutation, 0.25);  // +++ and --- of eight patterns
}

TEST(Compare, NoQueriesGiveNoMean) {
  const std::vector<double> none = {kNaN};
  const PairedTest test = compare(none, none);
  EXPECT_EQ(test.queries, 0u);
  EXPECT_TRUE(std::isnan(test.mean_difference));
  EXPECT_EQ(test.p_sign, 1);
}

TEST(Compare, RefusesListsOfDifferentLength) {
  const std::vector<double> a = {1, 2}, b = {1};
  EXPECT_EQ(test::message_of([&] { compare(a, b); }), "cannot compare 2 queries with 1; expected the same queries");
}

}  // namespace
}  // namespace dorm
