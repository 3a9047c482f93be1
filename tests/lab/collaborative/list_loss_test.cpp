// SPDX-License-Identifier: Apache-2.0
// Losses by hand and by finite differences; their minimum against ridge regression.
#include "lab/collaborative/list_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "support/ratings.h"

namespace dorm {
namespace {

using test::centred_uniform;
using test::ratings_from;
using test::tasteful_ratings;

using Margin = AllThresholds::Margin;

FactorModel small_start(const Ratings& ratings) {
  FactorizeOptions options;
  options.rank = 2;
  options.rounds = 0;
  options.start_lambda = 1;
  return factorize(ratings, options).model;
}

TEST(PairwiseLogistic, SumsOverPairsOfDifferentGrades) {
  const Ratings ratings = ratings_from({{3, 1, 3}});
  const std::vector<double> scores = {0.5, 1, -2};
  std::vector<double> gradient(3);
  const double value = PairwiseLogistic().value(ratings.of_user(0), scores, {}, gradient, {});
  EXPECT_NEAR(value, (std::log(1 + std::exp(0.5)) + std::log(1 + std::exp(3.0))) / 3, 1e-14);
  EXPECT_NEAR(gradient[0], -1 / (1 + std::exp(-0.5)) / 3, 1e-14);
  EXPECT_NEAR(gradient[1], -gradient[0] - gradient[2], 1e-14);
}

TEST(AllThresholds, ChargesEveryThresholdOnTheWrongSide) {
  const Ratings ratings = ratings_from({{2}});
  const AllThresholds loss({1, 2, 3}, {-0.5, 0.5}, Margin::smooth_hinge, 0);
  std::vector<double> gradient(1), threshold_gradient(2);
  // Above the first threshold by 1.5: nothing; below the second by 0, at the corner: 1/2.
  EXPECT_DOUBLE_EQ(
      loss.value(ratings.of_user(0), std::vector{1.0}, std::vector{-0.5, 1.0}, gradient, threshold_gradient), 0.5);
  EXPECT_EQ(gradient[0], 1);
  EXPECT_EQ(threshold_gradient, (std::vector<double>{0, -1}));
  // Below the first by 1: 3/2; below the second by 1.5: nothing.
  EXPECT_DOUBLE_EQ(
      loss.value(ratings.of_user(0), std::vector{-0.5}, std::vector{0.5, 1.0}, gradient, threshold_gradient), 1.5);
}

struct Case {
  const char* name;
  std::shared_ptr<const ListLoss> loss;
  bool centred;
};
void PrintTo(const Case& shown, std::ostream* out) { *out << shown.name; }

class FactorLossGradient : public testing::TestWithParam<Case> {};

TEST_P(FactorLossGradient, IsWhatFiniteDifferencesSay) {
  const Ratings ratings = tasteful_ratings(6, 8, 6, 3);
  FactorLoss objective(small_start(ratings), ratings, *GetParam().loss, 0.7, GetParam().centred);
  std::vector<double> x = objective.start();
  Rng rng(4);
  for (double& value : x) value += 0.3 * centred_uniform(rng);
  std::vector<double> gradient(x.size()), unused(x.size());
  objective.value(x, gradient);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double kept = x[i], h = 1e-5;
    x[i] = kept + h;
    const double above = objective.value(x, unused);
    x[i] = kept - h;
    const double below = objective.value(x, unused);
    x[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-5) << "coordinate " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Losses, FactorLossGradient,
                         testing::Values(Case{"pairwise", std::make_shared<PairwiseLogistic>(), true},
                                         Case{"ordinal",
                                              std::make_shared<AllThresholds>(std::vector<double>{1, 2, 3, 4, 5},
                                                                              std::vector<double>{-1.5, -.5, .5, 1.5},
                                                                              Margin::logistic, 1),
                                              true},
                                         Case{"hinge",
                                              std::make_shared<AllThresholds>(std::vector<double>{1, 2, 3, 4, 5},
                                                                              std::vector<double>{-1.5, -.5, .5, 1.5},
                                                                              Margin::smooth_hinge, 0),
                                              false}),
                         [](const auto& test) { return test.param.name; });

TEST(MinimiseFactorLoss, EndsWhereTheGradientIsSmallAndBelowTheStart) {
  const Ratings ratings = tasteful_ratings(12, 10, 8, 7);
  const FactorModel start = small_start(ratings);
  const PairwiseLogistic loss;
  FactorLoss before(start, ratings, loss, 0.5, true);
  const FactorModel end = minimise_factor_loss(start, ratings, loss, 0.5, true);
  std::vector<double> first(before.start().size()), last(first.size());
  const double from = before.value(before.start(), first);
  // The end as a point of the problem that is centred on the start.
  FactorLoss at_end(end, ratings, loss, 0.5, true);
  const double to = before.value(at_end.start(), last);
  EXPECT_LT(to, from);
  double norm = 0, start_norm = 0;
  for (const double x : last) norm += x * x;
  for (const double x : first) start_norm += x * x;
  EXPECT_LT(std::sqrt(norm), 1e-3 * std::sqrt(start_norm));
}

}  // namespace
}  // namespace dorm
