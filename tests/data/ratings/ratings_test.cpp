// SPDX-License-Identifier: Apache-2.0
// The matrix both ways, duplicates, evaluation per user.
#include "dorm/recommend/ratings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"

namespace dorm {
namespace {

Ratings small_ratings() {
  const Rating list[] = {{1, 2, 5}, {0, 1, 3}, {1, 0, 2}, {0, 1, 4}, {2, 2, 1}};
  return Ratings(IdTable({"ann", "bob", "cy"}), IdTable({"a", "b", "c"}), list);
}

TEST(Ratings, AreReadByUserAndByItem) {
  const Ratings ratings = small_ratings();
  ASSERT_EQ(ratings.size(), 4u);
  EXPECT_EQ(ratings.of_user(1).index[0], 0u);
  EXPECT_EQ(ratings.of_user(1).index[1], 2u);
  EXPECT_EQ(ratings.of_user(1).value[1], 5.0f);
  EXPECT_EQ(ratings.of_item(2).index[0], 1u);
  EXPECT_EQ(ratings.of_item(2).index[1], 2u);
  EXPECT_EQ(ratings.of_item(2).value[0], 5.0f);
  EXPECT_EQ(ratings.first_of_user(2), 3u);
}

TEST(Ratings, TheLastOfTwoRatingsCountsAndTheOtherIsCounted) {
  const Ratings ratings = small_ratings();
  EXPECT_EQ(ratings.of_user(0).size(), 1u);
  EXPECT_EQ(ratings.of_user(0).value[0], 4.0f);
  EXPECT_EQ(ratings.duplicates(), 1u);
}

TEST(Ratings, RefuseIndicesOutOfRangeAndValuesThatAreNotFinite) {
  const Rating beyond[] = {{0, 3, 1}}, nan[] = {{0, 0, NAN}};
  EXPECT_THROW(Ratings(IdTable({"u"}), IdTable({"a"}), beyond), Error);
  EXPECT_THROW(Ratings(IdTable({"u"}), IdTable({"a"}), nan), Error);
  EXPECT_THROW(IdTable({"u", "u"}), Error);
}

// One user, labels 2 and 1: worst order has DCG 1 + 3/log2(3), the best 3 + 1/log2(3).
TEST(Ratings, EvaluationIsPerUserAndTiesCountAsInRandomOrder) {
  const Rating list[] = {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}};
  const Ratings test(IdTable({"u", "v", "silent"}), IdTable({"a", "b"}), list);
  const double worst = (1 + 3 / std::log2(3)) / (3 + 1 / std::log2(3));
  const std::string measures[] = {"ndcg"};
  const auto ndcg = [&](std::vector<double> scores) {
    return evaluate(test, scores, measures, {.bootstrap = 0, .threads = 1}).measures[0];
  };
  EXPECT_EQ(ndcg({1, 0, 0, 1}).queries, 2u);
  EXPECT_NEAR(ndcg({1, 0, 0, 1}).mean, 1, 1e-12);
  EXPECT_NEAR(ndcg({1, 0, 1, 0}).mean, (1 + worst) / 2, 1e-12);
  EXPECT_NEAR(ndcg({0, 0, 0, 0}).mean, (1 + worst) / 2, 1e-12);
  EXPECT_THROW(ndcg({1, 0}), Error);
}

}  // namespace
}  // namespace dorm
