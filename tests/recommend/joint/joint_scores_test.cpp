// SPDX-License-Identifier: Apache-2.0
// K_U A K_I against the double sum over all pairs.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "joint_data.h"

namespace dorm {
namespace {

using test::ratings_from;
using test::tasteful_ratings;

TEST(JointScores, AreTheSumOverAllPairsOfBothSimilarities) {
  const Ratings ratings = tasteful_ratings(12, 15, 8, 3);
  const JointKernel kernel = make_joint_kernel(ratings);
  const JointRanker ranker = {{2, 3, 1.5}, {2, 4, -1}, {7, 3, 0.25}, {11, 14, 2}};
  const std::vector<double> scores = joint_scores(kernel, ranker, ratings, 2);
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (std::size_t k = 0; k < ratings.of_user(u).size(); ++k) {
      double expected = 0;
      for (const PairCoefficient& pair : ranker)
        expected +=
            pair.value * kernel.users.at(u, pair.user) * kernel.items.at(ratings.of_user(u).index[k], pair.item);
      EXPECT_NEAR(scores[ratings.first_of_user(u) + k], expected, 1e-12);
    }
}

TEST(PrankScores, UseCoefficientsOfTheUserAloneAndSimilaritiesOfItems) {
  const Ratings asked = ratings_from({{1, 0, 1}, {0, 1, 0}});
  Similarities items(3);
  items.values = {1, .5, .25, .5, 1, 0, .25, 0, 1};
  const JointRanker ranker = {{0, 1, 2}, {0, 2, -1}, {1, 0, 4}};
  EXPECT_EQ(prank_scores(items, ranker, asked), (std::vector<double>{0.75, -1, 2}));
}

TEST(JointScores, RefuseWhatTheKernelDoesNotKnow) {
  const Ratings asked = ratings_from({{1, 2}, {3, 4}});
  const JointKernel kernel{identity_similarities(2), identity_similarities(2)};
  EXPECT_THROW(joint_scores({identity_similarities(1), identity_similarities(2)}, {}, asked), Error);
  EXPECT_THROW(joint_scores({identity_similarities(2), identity_similarities(1)}, {}, asked), Error);
  EXPECT_THROW(joint_scores(kernel, {{2, 0, 1}}, asked), Error);
  EXPECT_THROW(joint_scores(kernel, {{0, 2, 1}}, asked), Error);
  EXPECT_EQ(joint_scores(kernel, {}, asked), std::vector<double>(4, 0.0));
}

}  // namespace
}  // namespace dorm
