// SPDX-License-Identifier: Apache-2.0
// DORM over pairs against the kernel trainer on the explicit Gram matrix, which in turn is tested against
// quadratic programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/train.h"
#include "joint_data.h"
#include "support/case_name.h"

namespace dorm {
namespace {

using test::full_gram;
using test::ratings_from;
using test::tasteful_ratings;

/// The same problem for train(): one query per user, features the rows of K.
Dataset gram_data(const JointKernel& kernel, const Ratings& ratings) {
  const auto gram = full_gram(kernel, ratings);
  DatasetBuilder builder;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (std::size_t k = 0; k < ratings.of_user(u).size(); ++k) {
      const std::vector<double>& row = gram[ratings.first_of_user(u) + k];
      builder.add({ratings.of_user(u).value[k], ratings.users()[u]}, std::vector<float>(row.begin(), row.end()));
    }
  return builder.finish();
}

class EveryJointBound : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EveryJointBound, HasTheObjectiveAndScoresOfTheKernelTrainerOnTheFullGramMatrix) {
  const auto& [bound, measure] = GetParam();
  const Ratings ratings = tasteful_ratings(10, 20, 12, 3);
  const JointKernel kernel = make_joint_kernel(ratings);
  const JointResult joint = train_joint(
      kernel, ratings,
      {.measure = measure, .bound = parse_bound(bound), .C = 20, .rounds = 1, .solve = {.tolerance = 1e-6}});
  TrainOptions options{
      .measure = measure, .C = 20, .bound = parse_bound(bound), .start = InitialModel::ridge, .rounds = 1};
  options.scale = "none";
  options.solve.tolerance = 1e-6;
  options.compute.threads = 1;
  options.kernel = "precomputed";
  const Dataset data = gram_data(kernel, ratings);
  const TrainResult full = train(data, options);
  ASSERT_EQ(joint.dropped, 0u);
  EXPECT_LE(joint.solve.gap, 1e-6);
  EXPECT_NEAR(joint.explained_risk, full.model.explained_risk, 1e-5);
  EXPECT_NEAR(joint.solve.primal, full.model.certificate.primal, 3e-6 * joint.solve.primal);  // in the units of C
  const std::vector<double> ours = joint_scores(kernel, joint.ranker, ratings);
  const std::vector<double> theirs = score(full.model, data);
  const double largest = *std::max_element(theirs.begin(), theirs.end());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 0.01 * largest);
}

INSTANTIATE_TEST_SUITE_P(TrainJoint, EveryJointBound,
                         testing::Values(std::tuple("average", "neru:half_life=5,neutral=3"),
                                         std::tuple("average", "ndcg@10"), std::tuple("best", "ndcg@10"),
                                         std::tuple("given", "neru:half_life=5,neutral=3")),
                         test::case_name);

TEST(TrainJoint, TheCOfThePaperIsAFactorOfTheSumOnPairsAsTheyAre) {
  const Ratings ratings = tasteful_ratings(10, 20, 12, 3);
  const JointKernel kernel = make_joint_kernel(ratings);
  JointOptions options{.decay = "power:0.25", .bound = Bound::given, .solve = {.tolerance = 1e-7}};
  options.C = 0.03;
  options.paper_C = true;
  const JointResult paper = train_joint(kernel, ratings, options);
  // P(0) is the sum of the losses of the worst rankings, each query once: at w = 0 that is C times the mean of the
  // other form, on pairs divided by the root of the mean of |phi - mean of its user|^2.
  const auto gram = full_gram(kernel, ratings);
  double norm = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const std::size_t first = ratings.first_of_user(u), size = ratings.of_user(u).size();
    double all = 0;
    for (std::size_t i = first; i < first + size; ++i) {
      norm += gram[i][i];
      for (std::size_t j = first; j < first + size; ++j) all += gram[i][j];
    }
    norm -= all / static_cast<double>(size);
  }
  norm /= static_cast<double>(ratings.size());
  options.paper_C = false;
  options.C = 0.03 * norm * static_cast<double>(ratings.num_users());
  const JointResult scaled = train_joint(kernel, ratings, options);
  EXPECT_NEAR(scaled.explained_risk, paper.explained_risk, 1e-6);
  EXPECT_NEAR(scaled.solve.primal, norm * paper.solve.primal, 1e-6 * scaled.solve.primal);
  const std::vector<double> one = joint_scores(kernel, paper.ranker, ratings),
                            other = joint_scores(kernel, scaled.ranker, ratings);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-3 * std::abs(one[i]) + 1e-6);
}

TEST(TrainJoint, GivenBreaksTiesByTheNumberOfTheItem) {
  // One user, all ratings alike but the last: of the items 0 to 2 any order is right, and the reference is the one by
  // number, whatever the order of the ratings.
  const Ratings ratings = ratings_from({{2, 2, 2, 5}, {5, 1, 3, 2}});
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < 2; ++u)
    for (std::size_t k = ratings.of_user(u).size(); k-- > 0;)
      list.push_back({u, ratings.of_user(u).index[k], ratings.of_user(u).value[k]});
  const Ratings reversed(ratings.users(), ratings.items(), list);
  const JointKernel kernel{identity_similarities(2), identity_similarities(4)};
  const JointOptions options{.measure = "ndcg", .bound = Bound::given, .C = 10, .solve = {.tolerance = 1e-7}};
  EXPECT_EQ(train_joint(kernel, ratings, options).solve.primal, train_joint(kernel, reversed, options).solve.primal);
}

TEST(TrainJoint, RanksForAUserWithoutRatingsByThoseLikeHim) {
  const Ratings ratings = ratings_from({{5, 1, 3, 0}, {1, 5, 0, 3}, {0, 0, 0, 0}});
  JointKernel kernel{identity_similarities(3), identity_similarities(4)};
  kernel.users.at(2, 1) = kernel.users.at(1, 2) = 0.5;
  const JointResult result = train_joint(kernel, ratings, {.measure = "ndcg"});
  const std::vector<double> scores =
      joint_scores(kernel, result.ranker, ratings_from({{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}}));
  EXPECT_LT(scores[0], scores[1]);
}

TEST(TrainJoint, CountsUsersWithoutAnythingToRank) {
  const Ratings ratings = ratings_from({{5, 1, 3}, {3, 3, 3}, {0, 0, 0}});
  const JointKernel kernel{identity_similarities(3), identity_similarities(3)};
  EXPECT_EQ(train_joint(kernel, ratings).dropped, 1u);
}

TEST(TrainJoint, StopsWhenItsObserverSaysSo) {
  const Ratings ratings = tasteful_ratings(10, 20, 12, 3);
  const JointResult result = train_joint(make_joint_kernel(ratings), ratings, {.solve = {.tolerance = 1e-9}},
                                         [](const Progress&) { return false; });
  EXPECT_EQ(result.solve.status, SolveStatus::interrupted);
}

TEST(TrainJointRidge, SolvesTheNormalEquationsOfCentredRatings) {
  // One user, items alike only to themselves: beta solves (P K P + penalty) beta = P y with K = I, that is (1 +
  // penalty) beta = y - mean; the mean of |phi - mean|^2 is 2/3, so the penalty is 0.5 * 3 * 2/3.
  const Ratings ratings = ratings_from({{5, 1, 3}});
  const JointKernel kernel{identity_similarities(1), identity_similarities(3)};
  const JointRanker ranker = train_joint_ridge(kernel, ratings, 0.5);
  const std::vector<double> scores = joint_scores(kernel, ranker, ratings);
  EXPECT_NEAR(scores[0], 1, 1e-6);
  EXPECT_NEAR(scores[1], -1, 1e-6);
  EXPECT_NEAR(scores[2], 0, 1e-6);
  EXPECT_THROW(train_joint_ridge(kernel, ratings, 0), Error);
}

TEST(TrainJoint, SaysWhatIsWrong) {
  const Ratings ratings = ratings_from({{5, 1}, {2, 4}});
  const JointKernel kernel{identity_similarities(2), identity_similarities(2)};
  EXPECT_THROW(train_joint(kernel, ratings, {.measure = "map"}), Error);
  EXPECT_THROW(train_joint(kernel, ratings, {.C = 0}), Error);
  EXPECT_THROW(train_joint(kernel, ratings, {.solve = {.tolerance = 0}}), Error);
  EXPECT_THROW(train_joint({identity_similarities(1), identity_similarities(2)}, ratings), Error);
  Similarities same(2);
  same.values = {1, 1, 1, 1};
  EXPECT_THROW(train_joint({identity_similarities(2), same}, ratings), Error);
  EXPECT_THROW(train_joint(kernel, ratings_from({{0, 0}, {0, 0}})), Error);
}

}  // namespace
}  // namespace dorm
