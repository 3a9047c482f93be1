// SPDX-License-Identifier: Apache-2.0
// Orders that are the same for all users, by hand.
#include <gtest/gtest.h>

#include "dorm/lab/collaborative.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;

const Ratings kTrain = ratings_from({{5, 1, 0, 0}, {4, 0, 2, 0}});  // mean 3, one star = 1
const Ratings kAsked = ratings_from({{0, 0, 1, 1}, {0, 1, 0, 1}});

TEST(Popularity, CountsRatings) {
  EXPECT_EQ(collaborative_scores("popularity", kTrain, kAsked), (std::vector<double>{1, 0, 1, 0}));
  EXPECT_EQ(collaborative_scores("popularity", kTrain, kTrain), (std::vector<double>{2, 1, 2, 1}));
}

TEST(ItemMean, WithoutDampingIsTheMeanInStarsAndZeroWhereThereIsNone) {
  EXPECT_EQ(collaborative_scores("item-mean:0", kTrain, kAsked), (std::vector<double>{-1, 0, -2, 0}));
  EXPECT_EQ(collaborative_scores("item-mean:0", kTrain, kTrain), (std::vector<double>{1.5, -2, 1.5, -1}));
}

TEST(ItemMean, IsDampedByRatingsOneStarBelowTheMean) {
  // Items 0 to 3: (2 + 1 - 2) / 4, (-2 - 2) / 3, (-1 - 2) / 3, -2 / 2. Stars are fourths of the range 1 to 5.
  EXPECT_EQ(collaborative_scores("item-mean:2", kTrain, kTrain), (std::vector<double>{0.25, -4. / 3, 0.25, -1}));
  EXPECT_EQ(collaborative_scores("item-mean:2", kTrain, kAsked), (std::vector<double>{-1, -1, -4. / 3, -1}));
}

TEST(Random, DependsOnTheSeedOnly) {
  EXPECT_EQ(collaborative_scores("random", kTrain, kAsked, {}, {.seed = 3}),
            collaborative_scores("random", kTrain, kAsked, {}, {.seed = 3}));
  EXPECT_NE(collaborative_scores("random", kTrain, kAsked, {}, {.seed = 3}),
            collaborative_scores("random", kTrain, kAsked, {}, {.seed = 4}));
}

}  // namespace
}  // namespace dorm
