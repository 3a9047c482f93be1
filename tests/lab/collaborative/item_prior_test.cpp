// SPDX-License-Identifier: Apache-2.0
// The shared mean and covariance: against matrices made user by user, and by the likelihood that must rise.
#include "lab/collaborative/item_prior.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "dorm/lab/collaborative.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;
using test::tasteful_ratings;

using Eigen::Index;

const Ratings kRatings = ratings_from({{5, 4, 0, 1, 0}, {4, 0, 2, 0, 1}, {0, 2, 5, 4, 0}, {5, 5, 1, 0, 2}});

ItemPrior some_prior() {
  ItemPrior prior{Eigen::VectorXd::LinSpaced(5, -0.4, 0.6), Eigen::MatrixXf::Constant(5, 5, 0.2f)};
  for (Index i = 0; i < 5; ++i) prior.covariance(i, i) += 0.3f + 0.1f * static_cast<float>(i);
  return prior;
}

TEST(ItemKernel, AddsConstantFactsAndIdentity) {
  SideFeatures facts{{"a", "b"}, IdTable({"i0", "i2", "i3"}), {3, 4, 1, 0, 0, 0}};
  const Eigen::MatrixXf K = item_kernel(kRatings, &facts, {.constant = 1, .features = 10, .identity = 100});
  EXPECT_FLOAT_EQ(K(0, 0), 111);
  EXPECT_FLOAT_EQ(K(0, 2), 7);  // 1 + 10 * 3/5
  EXPECT_FLOAT_EQ(K(0, 1), 1);  // nothing is known of i1
  EXPECT_FLOAT_EQ(K(3, 3), 101);
}

TEST(UpdatePrior, EqualsTheSumsOverUsersWrittenOut) {
  ItemPrior prior = some_prior();
  const ItemPrior old = prior, base{Eigen::VectorXd::Ones(5), Eigen::MatrixXf::Identity(5, 5)};
  const NormalLikelihood likelihood(3, 1, 0.5);
  const auto users = fit_users(prior, kRatings, likelihood, 1);
  update_prior(prior, base, 2, kRatings, users);

  const Eigen::MatrixXd K = old.covariance.cast<double>();
  Eigen::VectorXd mean = 2 * base.mean;
  Eigen::MatrixXd covariance = 2 * base.covariance.cast<double>();
  for (std::size_t u = 0; u < 4; ++u) {
    const RatingRow row = kRatings.of_user(u);
    const auto size = static_cast<Index>(row.size());
    Eigen::MatrixXd choose = Eigen::MatrixXd::Zero(5, size);
    Eigen::VectorXd y(size);
    for (Index i = 0; i < size; ++i) {
      choose(row.index[static_cast<std::size_t>(i)], i) = 1;
      y[i] = row.value[static_cast<std::size_t>(i)] - 3;
    }
    const Eigen::MatrixXd S = choose.transpose() * K * choose + 0.5 * Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd gain = K * choose * S.llt().solve(Eigen::MatrixXd::Identity(size, size));
    const Eigen::VectorXd shift = gain * (y - choose.transpose() * old.mean);
    mean += old.mean + shift;
    covariance += K - gain * choose.transpose() * K + shift * shift.transpose();
  }
  EXPECT_LT((prior.mean - mean / 6).norm(), 1e-5);
  EXPECT_LT((prior.covariance.cast<double>() - covariance / 6).norm(), 1e-5);
}

double log_evidence(const ItemPrior& prior, const Ratings& ratings, double noise) {
  double sum = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    const auto size = static_cast<Index>(row.size());
    Eigen::MatrixXd S(size, size);
    Eigen::VectorXd left(size);
    for (Index i = 0; i < size; ++i) {
      const auto item = row.index[static_cast<std::size_t>(i)];
      left[i] = row.value[static_cast<std::size_t>(i)] - 3 - prior.mean[item];
      for (Index j = 0; j < size; ++j)
        S(i, j) = prior.covariance(item, row.index[static_cast<std::size_t>(j)]) + (i == j ? noise : 0);
    }
    const Eigen::LLT<Eigen::MatrixXd> llt(S);
    sum -= 0.5 * left.dot(llt.solve(left)) + llt.matrixLLT().diagonal().array().log().sum();
  }
  return sum;
}

TEST(UpdatePrior, WithoutABaseTheEvidenceNeverFalls) {
  const Ratings ratings = tasteful_ratings(30, 8, 6, 2);
  ItemPrior prior{Eigen::VectorXd::Zero(8), Eigen::MatrixXf::Identity(8, 8)};
  NormalLikelihood likelihood(3, 1, 1);
  double evidence = log_evidence(prior, ratings, likelihood.noise());
  const double first = evidence;
  for (int step = 0; step < 10; ++step) {
    const auto users = fit_users(prior, ratings, likelihood, 1);
    update_prior(prior, prior, 0, ratings, users);
    likelihood.update_noise(users);
    const double next = log_evidence(prior, ratings, likelihood.noise());
    EXPECT_GE(next, evidence - 1e-4);
    evidence = next;
  }
  EXPECT_GT(evidence, first + 1);
}

TEST(Gpr, EqualsScikitLearn) {
  // GaussianProcessRegressor(ConstantKernel(1) + DotProduct(0), alpha=0.5, optimizer=None), user by user, ratings less
  // their mean, rows of the features at unit length.
  const Ratings train = ratings_from({{5, 0, 1, 0, 3, 4}, {2, 4, 0, 1, 0, 5}});
  const Ratings asked = ratings_from({{0, 1, 0, 1, 0, 0}, {0, 0, 1, 0, 1, 0}});
  const SideFeatures facts{
      {"a", "b"}, IdTable({"i0", "i1", "i2", "i3", "i4", "i5"}), {1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 2, 1}};
  const auto scores = collaborative_scores("gpr:0.5", train, asked, {.item_features = &facts});
  const std::vector<double> expected = {0.0288932790502, 1.36474822356, 1.62915608185, -0.110173970852};
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-5);
}

}  // namespace
}  // namespace dorm
