// SPDX-License-Identifier: Apache-2.0
// Ratings on any scale: the prior of the item means, labels for gains, and rankings that do not depend on the scale.
#include <gtest/gtest.h>

#include <cmath>

#include "recommend/factor/grades.h"
#include "recommend/factor/item_prior.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::quick_options;
using test::tasteful_ratings;

template <class Change>
Ratings changed(const Ratings& ratings, Change change) {
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u)
    for (std::size_t i = 0; i < ratings.of_user(u).size(); ++i)
      list.push_back({u, ratings.of_user(u).index[i], static_cast<float>(change(ratings.of_user(u).value[i]))});
  return Ratings(ratings.users(), ratings.items(), list);
}

// Items around -0.5 with spread 0.6, ratings around them with spread 1.2.
Ratings drawn_items(std::uint32_t items) {
  Rng rng(5);
  IdTable users, names;
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < 400; ++u) users.add(fmt::format("u{}", u));
  for (std::uint32_t j = 0; j < items; ++j) {
    names.add(fmt::format("i{}", j));
    const double quality = -0.5 + 0.6 * rng.normal();
    const std::uint64_t count = 1 + rng.below(30);
    for (std::uint32_t k = 0; k < count; ++k)
      list.push_back({(7 * j + k) % 400, j, static_cast<float>(quality + 1.2 * rng.normal())});
  }
  return Ratings(users, names, list);
}

TEST(ItemPrior, FindsWhatTheItemsWereDrawnFrom) {
  const ItemPrior prior = learn_item_prior(drawn_items(3000), 0, 1);
  EXPECT_NEAR(prior.damping, 1.44 / 0.36, 0.3);
  EXPECT_NEAR(prior.centre, -0.5 - 2 * 0.6, 0.06);
}

// The likelihood of the item means, maximised over a grid.
TEST(ItemPrior, MaximisesTheLikelihood) {
  const Ratings ratings = drawn_items(60);
  double squares = 0, freedom = 0;
  std::vector<std::pair<double, double>> means;
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const auto values = ratings.of_item(j).value;
    double sum = 0;
    for (const float v : values) sum += v;
    const double n = static_cast<double>(values.size());
    for (const float v : values) squares += (v - sum / n) * (v - sum / n);
    freedom += n - 1;
    means.emplace_back(n, sum / n);
  }
  const double within = squares / freedom;
  const auto likelihood = [&](double c, double between) {
    double total = 0;
    for (const auto& [n, mean] : means) {
      const double variance = between + within / n;
      total -= 0.5 * std::log(variance) + 0.5 * (mean - c) * (mean - c) / variance;
    }
    return total;
  };
  double best = -INFINITY, best_c = 0, best_between = 0;
  for (double c = -1.5; c < 0.5; c += 0.005)
    for (double between = 0.02; between < 1; between += 0.005)
      if (likelihood(c, between) > best) {
        best = likelihood(c, between);
        best_c = c;
        best_between = between;
      }
  const ItemPrior prior = learn_item_prior(ratings, 0, 1);
  EXPECT_NEAR(within / prior.damping, best_between, 0.01);
  EXPECT_NEAR(prior.centre + 2 * std::sqrt(within / prior.damping), best_c, 0.01);
}

TEST(ItemPrior, WithNothingToLearnFromIsTheFixedOne) {
  const Rating list[] = {{0, 0, 5}, {1, 1, 2}};
  const ItemPrior prior = learn_item_prior(Ratings(IdTable({"u", "v"}), IdTable({"a", "b"}), list), 3.5, 1);
  EXPECT_EQ(prior.damping, FactorizeOptions().item_damping);
  EXPECT_EQ(prior.centre, FactorizeOptions().item_prior);
}

TEST(Grades, HalfStarsAreLabelsAndAnythingElseIsStretched) {
  EXPECT_FALSE(grades_of(test::ratings_from({{1, 2.5, 5}, {0.5, 4, 3}})).stretched);
  EXPECT_TRUE(grades_of(test::ratings_from({{1, 2.3f, 5}})).stretched);
  EXPECT_TRUE(grades_of(test::ratings_from({{-1, 2, 5}})).stretched);
  const RatingGrades ten = grades_of(test::ratings_from({{2, 4, 10}, {6, 8, 10}}));
  EXPECT_EQ(ten, (RatingGrades{true, 2, 10}));
  EXPECT_EQ(ten.label(2), 1);
  EXPECT_EQ(ten.label(6), 3);
  EXPECT_EQ(ten.label(10), 5);
  EXPECT_EQ(ten.label(-50), 1);
  EXPECT_EQ(ten.label(50), 5);
  EXPECT_TRUE(ten.apply_to("ndcg@10", "standard"));
  EXPECT_TRUE(ten.apply_to("dcg", "letor3"));
  EXPECT_FALSE(ten.apply_to("ndcg@10", "trec"));
  EXPECT_FALSE(ten.apply_to("ndcg@10:gain=exp2", "standard"));
  EXPECT_FALSE(ten.apply_to("mrr:rel=4", "standard"));
  EXPECT_FALSE(RatingGrades().apply_to("ndcg", "standard"));
}

TEST(Grades, OnePercentAtEitherEndIsCutOff) {
  std::vector<std::vector<float>> table(1);
  for (int k = 1; k <= 200; ++k) table[0].push_back(static_cast<float>(k));
  table[0].back() = 1e6f;
  EXPECT_EQ(grades_of(test::ratings_from(table)), (RatingGrades{true, 3, 198}));
}

// Ratings 2, 6, 10 are labels 1, 3, 5: gains 1, 7, 31.
TEST(Grades, EvaluationCountsLabels) {
  FactorModel model;
  model.grades = {true, 2, 10};
  const Ratings test = test::ratings_from({{2, 6, 10}});
  const std::vector<double> scores = {3, 2, 1};  // the worst order
  const std::string measures[] = {"ndcg", "ndcg:gain=linear"};
  const EvaluationTable table = evaluate(model, test, scores, measures, {.bootstrap = 0, .threads = 1});
  const double l = 1 / std::log2(3), half = 0.5;
  EXPECT_NEAR(table.measures[0].mean, (1 + 7 * l + 31 * half) / (31 + 7 * l + 1 * half), 1e-12);
  EXPECT_NEAR(table.measures[1].mean, (2 + 6 * l + 10 * half) / (10 + 6 * l + 2 * half), 1e-12);
}

class EveryScale : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(EveryScale, GivesTheSameRankings) {
  const auto [factor, shift] = GetParam();
  FactorizeOptions options = quick_options();
  options.search = FactorizeSearch::all();
  options.tolerance = 1e-4;
  const Ratings stars = tasteful_ratings(80, 40, 15, 5);
  Rng rng(3);
  const Ratings real = changed(stars, [&](float x) { return x + 0.9 * rng.uniform(); });
  for (const Ratings* ratings : {&stars, &real}) {
    const FactorModel model = factorize(*ratings, options).model;
    const FactorModel other = factorize(changed(*ratings, [&](float x) { return factor * x + shift; }), options).model;
    for (std::size_t user = 0; user < model.users.size(); ++user) {
      const auto ours = recommend(model, user, 40, true), theirs = recommend(other, user, 40, true);
      constexpr double kRounding = 0.02;  // ratings are floats, and each half step ends at its gap
      for (std::size_t k = 0; k < ours.size(); ++k) {
        EXPECT_NEAR(ours[k].score, theirs[k].score, kRounding);
        const bool above = k == 0 || ours[k - 1].score - ours[k].score > kRounding;
        const bool below = k + 1 == ours.size() || ours[k].score - ours[k + 1].score > kRounding;
        if (above && below) {
          EXPECT_EQ(ours[k].item, theirs[k].item);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ratings, EveryScale,
                         testing::Values(std::pair(10.0, 0.0), std::pair(1.0, -100.0), std::pair(0.25, 7.0)));

TEST(Scale, NegativeRatingsAreTrainedOn) {
  FactorizeOptions options = quick_options();
  const FactorizeResult result =
      factorize(changed(tasteful_ratings(40, 20, 10, 5), [](float x) { return x - 10; }), options);
  EXPECT_EQ(result.report.status, "rounds");
  EXPECT_LT(result.report.users_without_order, 5u);
}

}  // namespace
}  // namespace dorm
