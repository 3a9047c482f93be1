// SPDX-License-Identifier: Apache-2.0
// New users and items without retraining, and what is said of unknown ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/ratings.h"

namespace dorm {
namespace {

using test::quick_options;
using test::tasteful_ratings;

TEST(FoldIn, AUserOfTheLastRoundIsFoldedInToWhereItWas) {
  // The start alone: the user solves the same least squares as in the last sweep but one.
  const Ratings ratings = tasteful_ratings(80, 40, 15, 5);
  FactorizeOptions options = quick_options();
  options.rounds = 0;
  options.start_sweeps = 60;
  FactorModel model = factorize(ratings, options).model;
  const FactorMatrix before = model.user_factors;
  EXPECT_EQ(fold_in_users(model, ratings), 0u);
  for (std::size_t i = 0; i < before.values.size(); ++i)
    EXPECT_NEAR(model.user_factors.values[i], before.values[i], 1e-2);
}

TEST(FoldIn, NewUsersGetNearlyTheListRetrainingWouldGive) {
  const Ratings all = tasteful_ratings(200, 60, 25, 9);
  const NewUsersSplit split = split_new_users(all, 20, 12, 2, 5);
  FactorModel model = factorize(split.train, quick_options()).model;
  fold_in_users(model, split.given);
  std::vector<Rating> joint;
  for (const Ratings* part : {&split.train, &split.given})
    for (std::uint32_t u = 0; u < all.num_users(); ++u) {
      const RatingRow row = part->of_user(u);
      for (std::size_t i = 0; i < row.size(); ++i) joint.push_back({u, row.index[i], row.value[i]});
    }
  const FactorModel retrained = factorize(Ratings(all.users(), all.items(), joint), quick_options()).model;
  double overlap = 0;
  std::size_t users = 0;
  for (std::size_t u = 0; u < all.num_users(); ++u) {
    if (split.given.of_user(u).size() == 0) continue;
    std::set<std::uint32_t> folded;
    for (const Recommendation& each : recommend(model, u, 10)) folded.insert(each.item);
    for (const Recommendation& each : recommend(retrained, u, 10)) overlap += folded.contains(each.item);
    ++users;
  }
  EXPECT_EQ(users, 20u);
  EXPECT_GT(overlap / (10.0 * 20), 0.75);
}

TEST(FoldIn, AddsUsersUnderTheirIdsAndIgnoresUnknownItems) {
  const Ratings ratings = tasteful_ratings(30, 20, 10, 5);
  FactorModel model = factorize(ratings, quick_options()).model;
  const FactorModel before = model;
  const Rating list[] = {{0, 0, 5}, {0, 1, 1}, {0, 2, 3}};
  const Ratings fresh(IdTable({"newcomer"}), IdTable({"i3", "i4", "nowhere"}), list);
  EXPECT_EQ(fold_in_users(model, fresh), 1u);
  ASSERT_EQ(model.users.size(), 31u);
  EXPECT_EQ(model.users.find("newcomer"), 30u);
  ASSERT_EQ(model.seen_by(30).size(), 2u);
  EXPECT_EQ(model.items[model.seen_by(30)[0]], "i3");
  for (std::size_t u = 0; u < 30; ++u)
    EXPECT_TRUE(std::ranges::equal(model.user_factors.row(u), before.user_factors.row(u)));
  for (const Recommendation& each : recommend(model, 30, 20)) {
    EXPECT_NE(model.items[each.item], "i3");
    EXPECT_NE(model.items[each.item], "i4");
  }
}

TEST(FoldIn, ANewItemIsPlacedByItsRaters) {
  const Ratings all = tasteful_ratings(150, 40, 25, 3);
  const std::uint32_t held_out = 7;
  const Ratings train = all.filtered([&, at = std::vector<std::uint32_t>()](std::size_t position) mutable {
    if (at.empty())
      for (std::size_t u = 0; u < all.num_users(); ++u)
        at.insert(at.end(), all.of_user(u).index.begin(), all.of_user(u).index.end());
    return at[position] != held_out;
  });
  // Without the held-out name, as if the item had never been heard of.
  std::vector<std::string> names;
  std::vector<Rating> list;
  for (std::uint32_t j = 0; j < all.num_items(); ++j)
    if (j != held_out) names.push_back(all.items()[j]);
  for (std::uint32_t u = 0; u < train.num_users(); ++u)
    for (std::size_t i = 0; i < train.of_user(u).size(); ++i) {
      const std::uint32_t item = train.of_user(u).index[i];
      list.push_back({u, item - (item > held_out), train.of_user(u).value[i]});
    }
  FactorModel model = factorize(Ratings(all.users(), IdTable(names), list), quick_options()).model;
  UnknownIds unknown;
  score(model, all, &unknown);
  EXPECT_EQ(unknown.items, 1u);
  EXPECT_EQ(fold_in_items(model, all), 0u);
  ASSERT_EQ(model.items.size(), all.num_items());
  score(model, all, &unknown);
  EXPECT_EQ(unknown.items, 0u);
  // Who liked it is scored higher than who did not.
  double liked = 0, disliked = 0;
  std::size_t n_liked = 0, n_disliked = 0;
  const std::size_t item = *model.items.find(all.items()[held_out]);
  for (std::size_t i = 0; i < all.of_item(held_out).size(); ++i) {
    const auto user = model.user_factors.row(all.of_item(held_out).index[i]);
    double s = model.offsets[item];
    for (std::size_t c = 0; c < model.layout.width(); ++c) s += user[c] * model.item_factors.row(item)[c];
    (all.of_item(held_out).value[i] >= 4 ? liked : disliked) += s;
    ++(all.of_item(held_out).value[i] >= 4 ? n_liked : n_disliked);
  }
  ASSERT_GT(n_liked, 5u);
  ASSERT_GT(n_disliked, 5u);
  EXPECT_GT(liked / static_cast<double>(n_liked), disliked / static_cast<double>(n_disliked) + 0.3);
}

TEST(FoldIn, UnknownUsersAreRankedByTheOffsetsOfTheItems) {
  const Ratings ratings = tasteful_ratings(30, 20, 10, 5);
  const FactorModel model = factorize(ratings, quick_options()).model;
  const Rating list[] = {{0, 0, 5}, {0, 1, 1}};
  const Ratings other(IdTable({"stranger"}), IdTable({"i0", "i1"}), list);
  UnknownIds unknown;
  const std::vector<double> scores = score(model, other, &unknown);
  EXPECT_EQ(unknown.users, 1u);
  EXPECT_DOUBLE_EQ(scores[0], model.offsets[0] + model.item_factors.row(0).back());
}

}  // namespace
}  // namespace dorm
