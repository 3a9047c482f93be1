// SPDX-License-Identifier: Apache-2.0
// Splits: what each part holds, and what cannot be split.
#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/recommend/ratings.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// User u has 5 u ratings of 60 items.
Ratings growing_ratings(std::uint32_t users) {
  IdTable user_ids, item_ids;
  std::vector<Rating> list;
  for (std::uint32_t j = 0; j < 60; ++j) item_ids.add(std::to_string(j));
  for (std::uint32_t u = 0; u < users; ++u) {
    user_ids.add(std::to_string(u));
    for (std::uint32_t i = 0; i < 5 * u; ++i) list.push_back({u, (i * 7 + u) % 60, float(i % 5 + 1)});
  }
  return Ratings(user_ids, item_ids, list);
}

std::set<std::pair<std::size_t, std::uint32_t>> cells(const Ratings& ratings) {
  std::set<std::pair<std::size_t, std::uint32_t>> all;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const std::uint32_t item : ratings.of_user(u).index) all.emplace(u, item);
  return all;
}

TEST(Split, GivenLeavesNRatingsOfEachUserAndDropsShortOnes) {
  const Ratings all = growing_ratings(10);
  const RatingsSplit split = split_given(all, 8, 3);
  EXPECT_EQ(split.dropped_users, 4u);  // 0, 5, 10 and 15 ratings; 18 are needed
  for (std::size_t u = 0; u < 10; ++u) {
    EXPECT_EQ(split.train.of_user(u).size(), u < 4 ? 0u : 8u);
    EXPECT_EQ(split.test.of_user(u).size(), u < 4 ? 0u : 5 * u - 8);
  }
  auto both = cells(split.train);
  both.merge(cells(split.test));
  EXPECT_EQ(both.size(), split.train.size() + split.test.size());
}

TEST(Split, DependsOnTheSeedAlone) {
  const Ratings all = growing_ratings(10);
  EXPECT_EQ(cells(split_given(all, 8, 3).train), cells(split_given(all, 8, 3).train));
  EXPECT_NE(cells(split_given(all, 8, 3).train), cells(split_given(all, 8, 4).train));
}

TEST(Split, RandomTakesTheShareAndKeepsTheRest) {
  const Ratings all = growing_ratings(10);
  const RatingsSplit split = split_random(all, 0.2, 1);
  EXPECT_EQ(split.test.size(), 45u);  // of 225
  auto both = cells(split.train);
  both.merge(cells(split.test));
  EXPECT_EQ(both, cells(all));
  EXPECT_THROW(split_random(all, 0, 1), Error);
  EXPECT_THROW(split_random(all, 1, 1), Error);
}

TEST(Split, NewUsersAreUnknownToTraining) {
  const Ratings all = growing_ratings(10);
  const NewUsersSplit split = split_new_users(all, 3, 8, 5);
  std::size_t held_out = 0;
  for (std::size_t u = 0; u < 10; ++u) {
    const std::size_t given = split.given.of_user(u).size();
    held_out += given > 0;
    EXPECT_TRUE(given == 0 || given == 8);
    EXPECT_EQ(split.train.of_user(u).size(), given > 0 ? 0 : all.of_user(u).size());
    EXPECT_EQ(split.test.of_user(u).size(), given > 0 ? all.of_user(u).size() - 8 : 0);
  }
  EXPECT_EQ(held_out, 3u);
  EXPECT_THROW(split_new_users(all, 7, 8, 5), Error);
}

TEST(Split, MoreGivenRatingsThanAnyUserHasIsAnError) {
  const std::string message = test::message_of([] { split_given(growing_ratings(10), 100, 1); });
  EXPECT_NE(message.find("the most any of the 10 users has is 45"), std::string::npos) << message;
  EXPECT_THROW(split_given(growing_ratings(10), 0, 1), Error);
}

}  // namespace
}  // namespace dorm
