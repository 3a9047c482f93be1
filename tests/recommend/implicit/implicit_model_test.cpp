// SPDX-License-Identifier: Apache-2.0
// Training on events, and models that are asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/recommend/implicit.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

/// Even users take two in three of the even items, odd users of the odd ones.
Ratings two_tastes(std::uint32_t users = 60, std::uint32_t items = 40) {
  std::vector<std::vector<float>> table(users, std::vector<float>(items, 0.0f));
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t j = u % 2; j < items; j += 2)
      if ((u / 2 + j / 2) % 3 != 0) table[u][j] = 1;
  return test::ratings_from(table);
}

ImplicitOptions fixed_options() {
  ImplicitOptions options;
  options.als = {.factors = 4, .iterations = 5, .ridge = 1, .alpha = 5};
  options.ease_ridge = 10;
  options.search = ImplicitSearch::none();
  options.threads = 1;
  return options;
}

class ImplicitModelTest : public testing::Test {
 protected:
  ImplicitModel model = train_implicit(two_tastes(), fixed_options()).model;
};

TEST_F(ImplicitModelTest, RecommendsUnseenItemsOfTheTasteOfTheUser) {
  for (const std::size_t user : {0u, 7u}) {
    const auto list = recommend(model, user, 6);
    ASSERT_EQ(list.size(), 6u);
    const auto seen = model.seen_by(user);
    for (const Recommendation& each : list) {
      EXPECT_EQ(each.item % 2, user % 2);
      EXPECT_FALSE(std::binary_search(seen.begin(), seen.end(), each.item));
    }
  }
  for (const Recommendation& each : similar_items(model, 4, 8)) EXPECT_EQ(each.item % 2, 0u);
}

TEST_F(ImplicitModelTest, AKnownUserFoldedInWithTheSameEventsKeepsTheScores) {
  std::vector<double> before(model.items.size()), after(model.items.size());
  score_items(model, 3, before);
  const Ratings all = two_tastes();
  const Ratings row = all.filtered(
      [&](std::size_t at) { return at >= all.first_of_user(3) && at < all.first_of_user(3) + all.of_user(3).size(); });
  EXPECT_EQ(fold_in_users(model, row), 0u);
  score_items(model, 3, after);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-9);
}

TEST_F(ImplicitModelTest, ANewUserGetsItemsOfTheTasteOfTheirEvents) {
  IdTable users({"new"}), items({"i1", "i3", "i5", "unheard of"});
  const Rating list[] = {{0, 0, 1}, {0, 1, 2}, {0, 2, 1}, {0, 3, 1}};
  EXPECT_EQ(fold_in_users(model, Ratings(users, items, list)), 1u);
  for (const Recommendation& each : recommend(model, *model.users.find("new"), 6)) EXPECT_EQ(each.item % 2, 1u);
}

TEST_F(ImplicitModelTest, ASavedModelComesBackBitForBit) {
  const test::TemporaryDirectory place;
  save_implicit(model, place.path("m"));
  ASSERT_TRUE(is_implicit_file(place.path("m")));
  EXPECT_EQ(implicit_to_bytes(load_implicit(place.path("m"))), implicit_to_bytes(model));
}

TEST(TrainImplicit, TheSearchChoosesByHeldOutEventsAndFindsTheTaste) {
  ImplicitOptions options;
  options.threads = 2;
  options.als.factors = 16;
  options.search.factors = false;
  const ImplicitResult result = train_implicit(two_tastes(), options);
  EXPECT_EQ(result.status, "finished");
  double best = 0;
  for (const ImplicitTrial& trial : result.model.trials) best = std::max(best, trial.value);
  EXPECT_EQ(result.model.validation, best);
  for (const Recommendation& each : recommend(result.model, 8, 6)) EXPECT_EQ(each.item % 2, 0u);
  options.threads = 1;
  EXPECT_EQ(implicit_to_bytes(train_implicit(two_tastes(), options).model), implicit_to_bytes(result.model));
}

TEST(TrainImplicit, AnInterruptedSearchReturnsAModelThatRecommends) {
  int calls = 0;
  const ImplicitResult result = train_implicit(two_tastes(), {}, [&](const ImplicitProgress&) { return ++calls < 2; });
  EXPECT_EQ(result.status, "interrupted");
  EXPECT_NE(result.kept.find("trial"), std::string::npos) << result.kept;
  EXPECT_EQ(recommend(result.model, 0, 3).size(), 3u);
}

TEST(TrainImplicit, AStopBeforeThereIsAModelSaysSo) {
  const auto stopped = [](const ImplicitProgress&) { return false; };
  ImplicitOptions options = fixed_options();
  for (const ImplicitOptions& each : {options, ImplicitOptions()})
    EXPECT_EQ(test::message_of([&] { train_implicit(two_tastes(), each, stopped); }, ErrorCode::unsupported),
              "the training was interrupted before there was a model");
  options.seconds = 1e-9;  // over at once
  EXPECT_EQ(test::message_of([&] { train_implicit(two_tastes(), options); }, ErrorCode::bad_option),
            "the time limit of 1e-09 s ended before there was a model: ALS was not solved once");
}

TEST(TrainImplicit, AStopInEaseKeepsAls) {
  int calls = 0;
  const auto late = [&](const ImplicitProgress& progress) { return progress.stage != "final" || ++calls < 2; };
  ImplicitOptions options = fixed_options();
  options.als.iterations = 100000;  // longer than until the observer is asked again
  const ImplicitResult result = train_implicit(two_tastes(), options, late);
  EXPECT_EQ(result.status, "interrupted");
  EXPECT_EQ(result.kept.find("ALS after "), 0u) << result.kept;
  EXPECT_NE(result.kept.find(" of 100000 iterations, without EASE"), std::string::npos) << result.kept;
  EXPECT_EQ(result.kept.find(std::to_string(result.model.options.als.iterations)), 10u) << result.kept;
  EXPECT_EQ(recommend(result.model, 0, 3).size(), 3u);
}

TEST(TrainImplicit, RefusesEventsWithNothingToLearn) {
  const auto message = [](const Ratings& events) {
    return test::message_of([&] { train_implicit(events, fixed_options()); });
  };
  EXPECT_NE(message(test::ratings_from({{1, 1, 1}})).find("events of 1 users and 3 items"), std::string::npos);
  EXPECT_NE(message(test::ratings_from({{1}, {1}})).find("events of 2 users and 1 items"), std::string::npos);
  EXPECT_NE(message(test::ratings_from({{1, 0}, {0, 1}})).find("each of the 2 users has one item"), std::string::npos);
  EXPECT_NE(message(test::ratings_from({{1, 1}, {1, 1}})).find("every user has every item"), std::string::npos);
  EXPECT_NE(message(test::ratings_from({{1, -1, 0}, {1, 1, 0}})).find("weight -1"), std::string::npos);
}

TEST(TrainImplicit, EaseBeyondTheMemoryIsRefusedWithItsSizeOrLeftOutOfTheSearch) {
  ImplicitOptions options = fixed_options();
  options.memory = 1000;
  const auto refused = test::message_of([&] { train_implicit(two_tastes(), options); });
  EXPECT_NE(refused.find("EASE needs"), std::string::npos) << refused;
  options.search.ease_share = true;
  const ImplicitResult result = train_implicit(two_tastes(), options);
  EXPECT_NE(result.note.find("EASE needs"), std::string::npos);
  EXPECT_TRUE(result.model.ease.empty());
}

TEST(ItemKnn, SumsTheCosinesOfTheNearestItems) {
  // Items: a is had by u0, u1; b by u0, u1; c by u1, u2.
  const Ratings train = test::ratings_from({{1, 1, 0}, {1, 1, 1}, {0, 0, 1}});
  std::vector<double> scores(3);
  item_knn_scores(train, 2, 1)(0, scores);
  EXPECT_NEAR(scores[2], 0.5 + 0.5, 1e-12);  // cosines of c with a and b: 1 / sqrt(2 * 2)
  item_knn_scores(train, 1, 1)(0, scores);
  EXPECT_NEAR(scores[2], 0.5, 1e-12);
  popularity_scores(train)(0, scores);
  EXPECT_EQ(scores, (std::vector<double>{2, 2, 2}));
}

}  // namespace
}  // namespace dorm
