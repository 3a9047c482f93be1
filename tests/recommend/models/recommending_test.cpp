// SPDX-License-Identifier: Apache-2.0
// Answers of recommenders of all kinds: those of the models, and reasons against elimination and deletion.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "dorm/error.h"
#include "dorm/recommend/recommender.h"
#include "support/message_of.h"
#include "support/ratings.h"

namespace dorm {
namespace {

ImplicitModel events_model(double ease_share) {
  ImplicitOptions options;
  options.als = {.factors = 6, .iterations = 5, .ridge = 2, .alpha = 4};
  options.ease_ridge = 15;
  options.ease_share = ease_share;
  options.search = ImplicitSearch::none();
  options.threads = 1;
  return train_implicit(test::tasteful_ratings(50, 30, 9, 1), options).model;
}

Ratings stars() { return test::tasteful_ratings(30, 20, 8, 2); }

std::vector<double> scores_of(const Recommending& model, const Taste& taste) {
  std::vector<double> scores(model.items().size());
  model.score(taste, scores);
  return scores;
}

Taste without(const Taste& taste, std::size_t k) {
  Taste less = taste;
  less.seen.erase(less.seen.begin() + static_cast<std::ptrdiff_t>(k));
  less.weights.erase(less.weights.begin() + static_cast<std::ptrdiff_t>(k));
  return less;
}

void expect_same(const std::vector<Recommendation>& found, const std::vector<Recommendation>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].item, expected[k].item);
    EXPECT_EQ(found[k].score, expected[k].score);
  }
}

TEST(Recommending, AsksEveryKindForItsOwnLists) {
  const ImplicitModel implicit = events_model(0.4);
  expect_same(top_items(*recommending(implicit), std::vector<std::uint32_t>{3}, {7})[0], recommend(implicit, 3, 7));
  const FactorModel factors = factorize(stars(), test::quick_options()).model;
  expect_same(top_items(*recommending(factors), std::vector<std::uint32_t>{5}, {7, true})[0],
              recommend(factors, 5, 7, true));
  const JointModel joint = train_joint_model(stars());
  const std::vector<std::uint32_t> users = {4, 1};
  const auto lists = top_items(*recommending(joint), users, {7});
  for (std::size_t u = 0; u < users.size(); ++u) expect_same(lists[u], recommend(joint, users, 7)[u]);
}

TEST(Recommending, LeavesOutWhatIsNotAllowed) {
  const ImplicitModel model = events_model(0.4);
  const auto view = recommending(model);
  std::vector<char> allowed(30, 0);
  allowed[4] = allowed[9] = allowed[21] = 1;
  const auto list = top_items(*view, view->known(2), {10, true, allowed});
  ASSERT_EQ(list.size(), 3u);
  for (const Recommendation& each : list) EXPECT_TRUE(allowed[each.item]);
  EXPECT_NE(test::message_of([&] {
              top_items(*view, view->known(2), {10, true, std::span(allowed).first(7)});
            }).find("7 marks of allowed items; the model has 30"),
            std::string::npos);
}

TEST(Recommending, NewcomersScoreAsUsersWhoAreFoldedIn) {
  const ItemRating given[] = {{7, 2}, {2, 5}, {11, 4}};
  const auto folded = [&](auto model) {
    IdTable users({"new"}), items;
    std::vector<Rating> ratings;
    for (const ItemRating& each : given) ratings.push_back({0, items.add("i" + std::to_string(each.item)), each.value});
    fold_in_users(model, Ratings(users, items, ratings));
    const auto view = recommending(model);
    return scores_of(*view, view->known(*view->users().find("new")));
  };
  const auto answered = [&](const auto& model) {
    const auto view = recommending(model);
    return scores_of(*view, view->newcomer(given));
  };
  const ImplicitModel implicit = events_model(0.4);
  EXPECT_EQ(answered(implicit), folded(implicit));
  const FactorModel factors = factorize(stars(), test::quick_options()).model;
  EXPECT_EQ(answered(factors), folded(factors));
  const JointModel joint = train_joint_model(stars());
  EXPECT_EQ(answered(joint), folded(joint));
}

TEST(Recommending, ANewcomerWithoutKnownItemsGetsAllItems) {
  const ImplicitModel implicit = events_model(0.4);
  const FactorModel factors = factorize(stars(), test::quick_options()).model;
  const JointModel joint = train_joint_model(stars());
  for (const auto& view :
       {recommending(implicit).release(), recommending(factors).release(), recommending(joint).release()}) {
    const std::unique_ptr<const Recommending> held(view);
    EXPECT_EQ(top_items(*held, held->newcomer({}), {1000}).size(), held->items().size()) << held->kind();
  }
}

TEST(Recommending, APartOfEaseIsWhatTheScoreLosesWithoutTheItem) {
  const ImplicitModel model = events_model(1);
  const auto view = recommending(model);
  const Taste taste = view->known(6);
  const std::vector<double> before = scores_of(*view, taste);
  for (const std::size_t item : {std::size_t{0}, std::size_t{17}}) {
    const std::vector<double> parts = view->parts(taste, item);
    for (std::size_t k = 0; k < parts.size(); ++k)
      EXPECT_NEAR(parts[k], before[item] - scores_of(*view, without(taste, k))[item], 1e-9);
  }
}

TEST(Recommending, PartsOfAlsAreThoseOfTheDenseSystem) {
  const ImplicitModel model = events_model(0);
  const auto view = recommending(model);
  const Taste taste = view->known(9);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> items(
      model.item_factors.values.data(), 30, 6);
  Eigen::VectorXd confidence = Eigen::VectorXd::Ones(30);
  for (std::size_t k = 0; k < taste.seen.size(); ++k)
    confidence[taste.seen[k]] += 4 * static_cast<double>(taste.weights[k]);
  const Eigen::MatrixXd inverse =
      (items.transpose() * confidence.asDiagonal() * items + 2 * Eigen::MatrixXd::Identity(6, 6)).inverse();
  for (const Eigen::Index item : {0, 8, 29}) {
    const std::vector<double> parts = view->parts(taste, static_cast<std::size_t>(item));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Eigen::Index j = taste.seen[k];
      const double expected = items.row(item) * inverse * items.row(j).transpose();
      EXPECT_NEAR(parts[k], model.als_weight * confidence[j] * expected, 1e-9);
    }
  }
}

TEST(Recommending, ScoresOfEventsHaveNoRest) {
  const ImplicitModel model = events_model(0.4);
  const auto view = recommending(model);
  const Explanation reasons = explain(*view, view->known(6), 12, 3);
  EXPECT_EQ(reasons.score, scores_of(*view, view->known(6))[12]);
  EXPECT_NEAR(reasons.rest, 0, 1e-9);
  ASSERT_EQ(reasons.because.size(), 3u);
  EXPECT_GE(reasons.because[0].score, reasons.because[1].score);
}

// By hand: one factor, rows 1 and 2 of the items, ridge 3, user row 0.5: A = 1 + 4 + 3.
TEST(Recommending, PartsOfAFactorizationAreThoseOfARidgeRegression) {
  FactorModel model;
  model.items = IdTable({"a", "b", "c"});
  model.users = IdTable({"u"});
  model.layout = {1, 1, 1};
  model.user_factors = FactorMatrix(1, 3);
  model.user_factors.values = {0.7, 0.5, 1};
  model.item_factors = FactorMatrix(3, 3);
  model.item_factors.values = {1, 1, 0, 1, 2, 0, 1, 3, 0.25};
  model.offsets = {0, 0, 4};
  model.seen_begin = {0, 2};
  model.seen = {0, 1};
  model.options.start_lambda = 3;
  const auto view = recommending(model);
  const Explanation reasons = explain(*view, view->known(0), 2, 5);
  EXPECT_NEAR(reasons.score, 4 + 0.7 + 1.5 + 0.25, 1e-12);
  ASSERT_EQ(reasons.because.size(), 2u);
  EXPECT_EQ(reasons.because[0].item, 1u);
  EXPECT_NEAR(reasons.because[0].score, 3 * 2 / 8.0 * 1, 1e-12);
  EXPECT_NEAR(reasons.because[1].score, 3 * 1 / 8.0 * 0.5, 1e-12);
  EXPECT_NEAR(reasons.rest, reasons.score - 0.75 - 0.1875, 1e-12);
}

TEST(Recommending, PartsOfAJointKernelAddUpToThePairsOfTheItems) {
  const JointModel model = train_joint_model(stars());
  const auto view = recommending(model);
  const Taste taste = view->known(3);
  const std::vector<double> parts = view->parts(taste, 5);
  double all = 0, of_others = 0;
  for (const PairCoefficient& pair : model.ranker) {
    const double each =
        pair.value * model.similarities.users.at(pair.user, 3) * model.similarities.items.at(pair.item, 5);
    all += each;
    if (!std::binary_search(taste.seen.begin(), taste.seen.end(), pair.item)) of_others += each;
  }
  EXPECT_NEAR(scores_of(*view, taste)[5], all, 1e-9);
  EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), all - of_others, 1e-9);
}

TEST(Recommending, UsersAlikeHaveLikedTheSame) {
  std::vector<std::vector<float>> table(20, std::vector<float>(12));
  for (std::size_t u = 0; u < 20; ++u)
    for (std::size_t j = u % 2; j < 12; j += 2) table[u][j] = (u + j) % 5 != 0 ? 1.0f : 0.0f;
  ImplicitOptions options;
  options.als = {.factors = 4, .iterations = 5, .ridge = 1, .alpha = 5};
  options.search = ImplicitSearch::none();
  const ImplicitModel model = train_implicit(test::ratings_from(table), options).model;
  for (const Recommendation& each : recommending(model)->like_user(6, 5)) {
    EXPECT_EQ(each.item % 2, 0u);
    EXPECT_NE(each.item, 6u);
  }
}

TEST(Recommending, RefusesEventsOfNewUsersWithoutWeight) {
  const ImplicitModel model = events_model(0.4);
  const ItemRating bad[] = {{3, -1}};
  EXPECT_NE(test::message_of([&] { recommending(model)->newcomer(bad); }).find("item \"i3\" has an event of weight -1"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
