// SPDX-License-Identifier: Apache-2.0
// Options chosen by held-out ratings: what is held out, what is kept, stopping, resuming, and the rule itself.
#include "recommend/factor/choose.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <set>

#include "dorm/error.h"
#include "recommend/factor/factor_start.h"
#include "recommend/factor/held_out.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::quick_options;
using test::tasteful_ratings;

FactorizeOptions searching() {
  FactorizeOptions options = quick_options();
  options.search = FactorizeSearch::all();
  return options;
}

TEST(HeldOutRatings, EachUserLosesThreeFifthsInOneOfTheFolds) {
  const Ratings ratings = tasteful_ratings(31, 40, 20, 3);
  const std::vector<HeldOut> folds = hold_out_halves(ratings, 7);
  ASSERT_EQ(folds.size(), 2u);
  std::size_t first = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const std::size_t all = ratings.of_user(u).size();
    std::multiset<std::size_t> sizes;
    for (const HeldOut& fold : folds) {
      EXPECT_EQ(fold.train.of_user(u).size() + fold.valid.of_user(u).size(), all);
      std::set<std::uint32_t> items(fold.train.of_user(u).index.begin(), fold.train.of_user(u).index.end());
      items.insert(fold.valid.of_user(u).index.begin(), fold.valid.of_user(u).index.end());
      EXPECT_EQ(items.size(), all) << "no rating twice";
      sizes.insert(fold.valid.of_user(u).size());
    }
    EXPECT_EQ(sizes, (std::multiset<std::size_t>{0, all * 3 / 5}));
    first += folds[0].valid.of_user(u).size() > 0;
  }
  EXPECT_EQ(first, 16u);
}

TEST(HeldOutRatings, ASampleHoldsWholeUsersByTheirNames) {
  const Ratings ratings = tasteful_ratings(50, 40, 20, 3);
  const Ratings sample = sample_users(ratings, 200, 5);
  EXPECT_GE(sample.size(), 200u);
  EXPECT_LT(sample.size(), 220u);
  for (std::size_t u = 0; u < sample.num_users(); ++u) {
    const auto whole = ratings.users().find(sample.users()[u]);
    ASSERT_TRUE(whole);
    EXPECT_EQ(sample.of_user(u).size(), ratings.of_user(*whole).size());
  }
  for (std::size_t j = 0; j < sample.num_items(); ++j) EXPECT_GT(sample.of_item(j).size(), 0u);
  EXPECT_EQ(sample_users(ratings, ratings.size(), 5).num_users(), 50u);
}

// Against the singular values of what the item means leave of ratings that are noise and nothing else.
TEST(NoiseRidge, IsTheLargestSingularValueOfNoise) {
  Rng rng(11);
  IdTable users, items;
  for (std::uint32_t u = 0; u < 200; ++u) users.add(fmt::format("u{}", u));
  for (std::uint32_t j = 0; j < 120; ++j) items.add(fmt::format("i{}", j));
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < 200; ++u)
    for (std::uint32_t j = 0; j < 120; ++j)
      if (rng.uniform() < 0.3) list.push_back({u, j, static_cast<float>(100 + 7 * rng.normal())});
  const Ratings ratings(users, items, list);
  ThreadPool pool(1);
  const FactorModel model = unlearnt_model(ratings, quick_options(), {}, pool);
  Eigen::MatrixXd left = Eigen::MatrixXd::Zero(200, 120);
  for (const Rating& r : list) left(r.user, r.item) = (r.value - model.mean) / model.unit - model.offsets[r.item];
  const double largest = left.jacobiSvd().singularValues()(0);
  EXPECT_NEAR(noise_ridge(model, ratings) / largest, 1, 0.1);
}

TEST(Choice, TakesTheLargestGainAfterHalfAnErrorAndSaysSo) {
  const FactorModel model = factorize(tasteful_ratings(120, 60, 25, 4), searching()).model;
  const FactorChoice& choice = model.choice;
  ASSERT_GT(choice.candidates.size(), 4u);
  EXPECT_EQ(choice.lists, 120u);
  EXPECT_TRUE(std::isinf(choice.candidates[0].start_lambda));
  EXPECT_EQ(choice.candidates[0].gain, 0);
  const FactorCandidate& chosen = choice.candidates[choice.chosen];
  for (const FactorCandidate& each : choice.candidates) {
    EXPECT_LE(each.gain - each.error / 2, chosen.gain - chosen.error / 2);
    EXPECT_NEAR(each.value, choice.candidates[0].value + each.gain, 1e-12);
  }
  EXPECT_EQ(model.options.start_lambda, chosen.start_lambda);
  EXPECT_EQ(model.options.implicit, chosen.implicit);
  EXPECT_EQ(model.options.neighbours, chosen.neighbours);
  EXPECT_EQ(model.options.rounds, chosen.rounds);
  EXPECT_GT(chosen.gain, 0.01) << "these ratings have a taste to find";
  const FactorModel back = factors_from_bytes(factors_to_bytes(model), "memory");
  EXPECT_EQ(factors_to_bytes(back), factors_to_bytes(model));
  EXPECT_EQ(back.choice.candidates.size(), choice.candidates.size());
}

TEST(Choice, IsWhatItsOptionsGiveWithoutASearchAndForAnyNumberOfThreads) {
  const Ratings ratings = tasteful_ratings(80, 40, 15, 6);
  FactorizeOptions options = searching();
  const FactorModel model = factorize(ratings, options).model;
  options.threads = 3;
  EXPECT_EQ(factors_to_bytes(factorize(ratings, options).model), factors_to_bytes(model));
  const FactorModel again = factorize(ratings, model.options).model;
  EXPECT_EQ(again.user_factors, model.user_factors);
  EXPECT_EQ(again.item_factors, model.item_factors);
  EXPECT_EQ(again.offsets, model.offsets);
  EXPECT_TRUE(again.choice.candidates.empty());
}

TEST(Choice, KeepsWhatIsGiven) {
  const Ratings ratings = tasteful_ratings(80, 40, 15, 6);
  FactorizeOptions options = searching();
  options.search.start_lambda = options.search.rounds = options.search.neighbours = false;
  options.start_lambda = 3.5;
  options.rounds = 1;
  options.neighbours = 2;
  const FactorModel model = factorize(ratings, options).model;
  EXPECT_EQ(model.options.start_lambda, 3.5);
  EXPECT_EQ(model.options.rounds, 1u);
  EXPECT_EQ(model.options.neighbours, 2u);
  EXPECT_FALSE(model.choice.candidates.empty());
  EXPECT_EQ(model.choice.candidates[model.choice.chosen].rounds, 1u);
}

TEST(Choice, WithTooFewListsTheOptionsStand) {
  const FactorModel model = factorize(tasteful_ratings(15, 20, 10, 6), searching()).model;
  EXPECT_TRUE(model.choice.candidates.empty());
  EXPECT_EQ(model.options.start_lambda, quick_options().start_lambda);
  EXPECT_EQ(model.options.rounds, quick_options().rounds);
}

TEST(Choice, AStopLeavesTheItemMeansAndNoCheckpoint) {
  const test::TemporaryDirectory folder;
  const Ratings ratings = tasteful_ratings(80, 40, 15, 6);
  FactorizeOptions options = searching();
  options.checkpoint = folder.path("ck");
  const FactorizeResult result = factorize(ratings, options, {}, [](const FactorizeProgress& progress) {
    EXPECT_EQ(progress.stage, "choice");
    return progress.round < 3;
  });
  EXPECT_EQ(result.report.status, "interrupted");
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
  const std::vector<double> scores = score(result.model, ratings);
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (std::size_t i = 0; i < ratings.of_user(u).size(); ++i)
      EXPECT_EQ(scores[ratings.first_of_user(u) + i], result.model.offsets[ratings.of_user(u).index[i]]);
}

TEST(Choice, IsNotMadeAgainByARunThatGoesOnFromACheckpoint) {
  const test::TemporaryDirectory folder;
  const Ratings ratings = tasteful_ratings(120, 60, 25, 4);
  FactorizeOptions options = searching();
  const FactorModel whole = factorize(ratings, options).model;
  options.checkpoint = folder.path("ck");
  factorize(ratings, options, {}, [](const FactorizeProgress& progress) { return progress.stage != "items"; });
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
  FactorizeOptions other = options;
  other.search.implicit = false;
  EXPECT_THROW(factorize(ratings, other), Error);
  const FactorizeResult resumed = factorize(ratings, options, {}, [](const FactorizeProgress& progress) {
    EXPECT_NE(progress.stage, "choice");
    return true;
  });
  EXPECT_EQ(resumed.model.options.start_lambda, whole.options.start_lambda);
  EXPECT_EQ(resumed.model.choice.candidates.size(), whole.choice.candidates.size());
  EXPECT_EQ(resumed.model.user_factors, whole.user_factors) << "resumed at the start, where no plane is cached";
}

TEST(Choice, AModelToStartFromBringsItsOptions) {
  const Ratings ratings = tasteful_ratings(80, 40, 15, 6);
  FactorizeOptions options = quick_options();
  options.neighbours = 3;
  options.implicit = 1;
  options.item_prior = -0.25;
  const FactorModel first = factorize(ratings, options).model;
  FactorizeInputs inputs;
  inputs.warm = &first;
  const FactorModel next = factorize(ratings, searching(), inputs).model;
  EXPECT_EQ(next.options.neighbours, 3u);
  EXPECT_EQ(next.options.implicit, 1);
  EXPECT_EQ(next.options.item_prior, -0.25);
}

TEST(ItemMeansAlone, AreTheOffsetsForKnownAndForNewUsers) {
  FactorizeOptions options = quick_options();
  options.start_lambda = INFINITY;
  options.rounds = 0;
  options.implicit = 1;
  options.neighbours = 2;
  const Ratings ratings = tasteful_ratings(40, 20, 10, 2);
  FactorModel model = factors_from_bytes(factors_to_bytes(factorize(ratings, options).model), "memory");
  const Rating list[] = {{0, 0, 5}, {0, 1, 1}, {0, 2, 3}};
  fold_in_users(model, Ratings(IdTable({"new"}), IdTable({"i3", "i4", "i5"}), list));
  for (const std::size_t user : {std::size_t{7}, model.users.size() - 1})
    for (const Recommendation& each : recommend(model, user, 20, true)) EXPECT_EQ(each.score, model.offsets[each.item]);
}

}  // namespace
}  // namespace dorm
