// SPDX-License-Identifier: Apache-2.0
// JRank and PRank against a plain perceptron: the weights of every step, in the space of an explicit Gram
// matrix, summed up.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "dorm/error.h"
#include "joint_data.h"

namespace dorm {
namespace {

using test::full_gram;
using test::ratings_from;
using test::tasteful_ratings;

/// Scores of all pairs under the average of the coefficients after each step.
std::vector<double> plain_perceptron(const std::vector<std::vector<double>>& gram, const std::vector<double>& labels,
                                     std::size_t passes, std::uint64_t seed) {
  const std::set<double> distinct(labels.begin(), labels.end());
  const std::vector<double> grades(distinct.begin(), distinct.end());
  std::vector<double> beta(labels.size(), 0), sum(labels.size(), 0), threshold(grades.size() - 1, 0);
  std::vector<std::size_t> order(labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Rng rng(seed);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    rng.shuffle(std::span(order));
    for (const std::size_t i : order) {
      double score = 0;
      for (std::size_t j = 0; j < beta.size(); ++j) score += gram[i][j] * beta[j];
      for (std::size_t r = 0; r < threshold.size(); ++r) {
        const int side = labels[i] > grades[r] ? 1 : -1;
        if (side * (score - threshold[r]) > 0) continue;
        beta[i] += side;
        threshold[r] -= side;
      }
      for (std::size_t j = 0; j < beta.size(); ++j) sum[j] += beta[j];
    }
  }
  std::vector<double> scores(labels.size(), 0);
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < sum.size(); ++j)
      scores[i] += gram[i][j] * sum[j] / static_cast<double>(passes * labels.size());
  return scores;
}

std::vector<double> labels_of(const Ratings& ratings, std::size_t first_user, std::size_t last_user) {
  std::vector<double> labels;
  for (std::size_t u = first_user; u < last_user; ++u)
    for (const double value : ratings.of_user(u).value) labels.push_back(value);
  return labels;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i;
}

TEST(JRank, IsTheAveragedKernelPerceptronWithSharedThresholds) {
  for (const std::size_t passes : {1u, 4u}) {
    const Ratings ratings = tasteful_ratings(9, 12, 7, 5);
    const JointKernel kernel = make_joint_kernel(ratings);
    const JointRanker ranker = train_jrank(kernel, ratings, {.passes = passes, .seed = 7});
    expect_near(joint_scores(kernel, ranker, ratings),
                plain_perceptron(full_gram(kernel, ratings), labels_of(ratings, 0, 9), passes, 7));
  }
}

TEST(JRank, LeavesUsersWithoutRatingsOutAndScoresThemByThoseLikeThem) {
  const Ratings ratings = ratings_from({{0, 0, 0}, {5, 1, 0}, {0, 1, 4}});
  JointKernel kernel{identity_similarities(3), identity_similarities(3)};
  kernel.users.at(0, 1) = kernel.users.at(1, 0) = 0.5;
  const JointRanker ranker = train_jrank(kernel, ratings, {.passes = 3});
  for (const PairCoefficient& pair : ranker) EXPECT_NE(pair.user, 0u);
  const Ratings asked = ratings_from({{1, 1, 0}, {1, 1, 0}, {0, 0, 0}});
  const std::vector<double> scores = joint_scores(kernel, ranker, asked);
  EXPECT_GT(scores[2], scores[3]);
  EXPECT_DOUBLE_EQ(scores[0], scores[2] / 2);
  EXPECT_DOUBLE_EQ(scores[1], scores[3] / 2);
}

TEST(PRank, IsTheAveragedKernelPerceptronOfEachUser) {
  const Ratings ratings = tasteful_ratings(6, 14, 8, 2);
  const JointKernel kernel = make_joint_kernel(ratings);
  const JointRanker ranker = train_prank(kernel.items, ratings, {.passes = 3, .seed = 4});
  const std::vector<double> scores = prank_scores(kernel.items, ranker, ratings);
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    std::vector<std::vector<double>> gram(row.size(), std::vector<double>(row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = 0; j < row.size(); ++j) gram[i][j] = kernel.items.at(row.index[i], row.index[j]);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(ratings.first_of_user(u));
    expect_near({first, first + static_cast<std::ptrdiff_t>(row.size())},
                plain_perceptron(gram, labels_of(ratings, u, u + 1), 3, 4));
  }
}

TEST(Perceptrons, LearnNothingFromOneGradeAndRefuseWhatIsNotThere) {
  const Ratings equal = ratings_from({{3, 3}, {3, 0}});
  const JointKernel kernel{identity_similarities(2), identity_similarities(2)};
  EXPECT_TRUE(train_jrank(kernel, equal).empty());
  EXPECT_TRUE(train_prank(kernel.items, equal).empty());
  EXPECT_THROW(train_jrank(kernel, equal, {.passes = 0}), Error);
  EXPECT_THROW(train_jrank(kernel, ratings_from({{0, 0}})), Error);
  EXPECT_THROW(train_jrank(kernel, ratings_from({{1, 2, 3}})), Error);
  EXPECT_THROW(train_jrank(kernel, ratings_from({{1}, {2}, {3}})), Error);
}

}  // namespace
}  // namespace dorm
