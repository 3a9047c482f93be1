// SPDX-License-Identifier: Apache-2.0
// Models over joint kernels: the same scores as their parts, also after a file.
#include "dorm/recommend/joint_model.h"

#include <gtest/gtest.h>

#include <fstream>

#include "dorm/recommend/any_model.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

JointModelOptions quick_joint(const std::string& method = "dorm") {
  JointModelOptions options;
  options.method = method;
  options.train.C = 10;
  options.train.compute.threads = 1;
  return options;
}

SideFeatures genres(const Ratings& ratings) {
  SideFeatures features{.names = {"a", "b"}, .ids = {}, .values = {}};
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    features.ids.add(ratings.items()[j]);
    features.values.insert(features.values.end(), {static_cast<double>(j % 2), 1.0});
    features.titles.push_back("film " + ratings.items()[j]);
  }
  return features;
}

TEST(JointModel, ScoresAreThoseOfTheParts) {
  const Ratings ratings = test::tasteful_ratings(12, 15, 8, 1);
  const JointModel model = train_joint_model(ratings, quick_joint());
  const JointKernel kernel = make_joint_kernel(ratings);
  JointOptions options = quick_joint().train;
  const JointResult parts = train_joint(kernel, ratings, options);
  EXPECT_EQ(score(model, ratings), joint_scores(kernel, parts.ranker, ratings, 1));
  EXPECT_EQ(model.kernel, "user(constant + identity + correlation) * item(identity + correlation)");
  EXPECT_EQ(model.certificate.status, "converged");
}

TEST(JointModel, PrankScoresAreThoseOfEveryUserAlone) {
  const Ratings ratings = test::tasteful_ratings(9, 12, 7, 2);
  const JointModel model = train_joint_model(ratings, quick_joint("prank:4"));
  const Similarities items = make_joint_kernel(ratings).items;
  const JointRanker ranker = train_prank(items, ratings, {.passes = 4, .seed = 1});
  const std::vector<double> wanted = prank_scores(items, ranker, ratings), got = score(model, ratings);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12);
}

TEST(JointModel, AFileGivesTheSameModel) {
  const Ratings ratings = test::tasteful_ratings(10, 14, 8, 3);
  const SideFeatures features = genres(ratings);
  JointModelOptions options = quick_joint();
  options.train.paper_C = true;
  JointModel model = train_joint_model(ratings, options, {.item_features = &features});
  EXPECT_NE(model.kernel.find("attributes"), std::string::npos);
  fold_in_users(model, test::ratings_from({{5, 1, 0, 2}}));  // u0 is known
  const test::TemporaryDirectory place;
  save_joint(model, place.path("m.joint"));
  ASSERT_TRUE(is_joint_file(place.path("m.joint")));
  const JointModel again = load_joint(place.path("m.joint"));
  EXPECT_EQ(joint_to_bytes(again), joint_to_bytes(model));
  EXPECT_TRUE(again.paper_C);
  EXPECT_EQ(score(again, ratings), score(model, ratings));
  EXPECT_EQ(again.title(3), "film i3");
  EXPECT_TRUE(std::holds_alternative<JointModel>(*load_saved_model(place.path("m.joint"))));
  EXPECT_TRUE(std::holds_alternative<JointModel>(load_recommender(place.path("m.joint"))));
}

TEST(JointModel, KnownUsersStayAsTheyAre) {
  const Ratings ratings = test::tasteful_ratings(8, 10, 6, 4);
  JointModel model = train_joint_model(ratings, quick_joint("ridge"));
  const std::vector<double> before = score(model, ratings);
  EXPECT_EQ(fold_in_users(model, test::ratings_from({{5, 1, 0, 2}})), 3U);
  EXPECT_EQ(score(model, ratings), before);
  EXPECT_EQ(count_trained(model, ratings), ratings.size());
}

TEST(JointModel, StrangersAreLikeAllOthers) {
  const Ratings ratings = test::tasteful_ratings(8, 10, 6, 5);
  const JointModel model = train_joint_model(ratings, quick_joint("ridge"));
  IdTable users, items = ratings.items();
  users.add("nobody");
  items.add("nothing");
  const std::vector<Rating> pairs = {{0, 0, 1}, {0, 3, 1}, {0, 10, 1}};
  UnknownIds unknown;
  const std::vector<double> scores = score(model, Ratings(users, items, pairs), &unknown);
  EXPECT_EQ(unknown.users, 1U);
  EXPECT_EQ(unknown.items, 1U);
  double sum = 0;  // a third of what everybody's coefficients say
  for (const PairCoefficient& pair : model.ranker) sum += pair.value * model.similarities.items.at(pair.item, 3);
  EXPECT_NEAR(scores[1], sum / 3, 1e-12);
  EXPECT_EQ(scores[2], 0);
}

TEST(JointModel, DamageIsRefused) {
  const JointModel model = train_joint_model(test::tasteful_ratings(6, 8, 5, 6), quick_joint("jrank"));
  const std::string bytes = joint_to_bytes(model);
  for (const std::size_t at : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 9}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW(joint_from_bytes(damaged, "m.joint"), Error) << at;
    EXPECT_THROW(joint_from_bytes(bytes.substr(0, at), "m.joint"), Error) << at;
  }
}

TEST(JointModel, RatingsOnAnotherScaleAreGraded) {
  std::vector<std::vector<float>> table;
  for (int u = 0; u < 6; ++u) {
    table.emplace_back();
    for (int j = 0; j < 8; ++j) table.back().push_back(static_cast<float>(10 + (u * 3 + j * 7) % 90));
  }
  const Ratings ratings = test::ratings_from(table);
  const JointModel model = train_joint_model(ratings, quick_joint());
  EXPECT_TRUE(model.grades.stretched);
  const std::vector<std::string> measures = {"ndcg@5"};
  const EvaluationTable judged = evaluate(model, ratings, score(model, ratings), measures, {.threads = 1});
  EXPECT_GT(judged.measures[0].mean, 0.5);
}

}  // namespace
}  // namespace dorm
