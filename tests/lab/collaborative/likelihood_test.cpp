// SPDX-License-Identifier: Apache-2.0
// Posteriors of one user: closed forms, finite differences, numerical integration.
#include "lab/collaborative/likelihood.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;

const std::vector<float> kGrades = {1, 2, 4};
const std::vector<double> kThresholds = {-0.6, 0.9};

Eigen::MatrixXd correlated() {
  Eigen::MatrixXd K(3, 3);
  K << 1.0, 0.5, 0.2, 0.5, 0.8, 0.1, 0.2, 0.1, 1.2;
  return K;
}

TEST(NormalLikelihood, GivesThePosteriorThatAddingPrecisionsGives) {
  const Eigen::MatrixXd K = correlated();
  const std::vector<float> ratings = {5, 1, 3};
  const Eigen::Vector3d mean(0.3, -0.2, 0), y(2 / 1.5, -2 / 1.5, 0);  // (rating - 3) / 1.5
  const LocalPosterior fit = NormalLikelihood(3, 1.5, 0.4).fit(ratings, mean, K);
  const Eigen::MatrixXd covariance = (K.inverse() + Eigen::Matrix3d::Identity() / 0.4).inverse();
  EXPECT_LT((covariance - (K - K * fit.A * K)).norm(), 1e-12);
  EXPECT_LT((mean + covariance * (y - mean) / 0.4 - (mean + K * fit.alpha)).norm(), 1e-12);
}

TEST(NormalLikelihood, LearnsTheNoiseAsTheExpectedSquaredError) {
  const Eigen::MatrixXd K = correlated();
  const std::vector<float> ratings = {5, 1, 3};
  const Eigen::Vector3d mean = Eigen::Vector3d::Zero(), y(2, -2, 0);
  NormalLikelihood likelihood(3, 1, 0.4);
  const std::vector<LocalPosterior> users = {likelihood.fit(ratings, mean, K)};
  likelihood.update_noise(users);
  const Eigen::VectorXd left = y - K * users[0].alpha;
  const double expected = left.squaredNorm() + (K - K * users[0].A * K).trace();
  EXPECT_NEAR(likelihood.noise(), expected / 3, 1e-12);
}

TEST(OrdinalLikelihood, ProbabilitiesOfAllGradesSumToOne) {
  const OrdinalLikelihood likelihood(kGrades, kThresholds, 0.5);
  for (const double f : {-6.0, -0.6, 0.0, 1.3, 7.0}) {
    double sum = 0;
    for (const float grade : kGrades) sum += std::exp(likelihood.at(grade, f).value);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(OrdinalLikelihood, DerivativesAreWhatFiniteDifferencesSay) {
  const OrdinalLikelihood likelihood(kGrades, kThresholds, 0.5);
  const double h = 1e-4;
  for (const float grade : kGrades)
    for (const double f : {-3.0, -0.6, 0.2, 2.5}) {
      const auto low = likelihood.at(grade, f - h), here = likelihood.at(grade, f), high = likelihood.at(grade, f + h);
      EXPECT_NEAR(here.slope, (high.value - low.value) / (2 * h), 1e-6);
      EXPECT_NEAR(here.curvature, -(high.slope - low.slope) / (2 * h), 1e-6);
    }
}

TEST(OrdinalLikelihood, StaysFiniteFarFromTheGrade) {
  const OrdinalLikelihood likelihood(kGrades, kThresholds, 0.01);
  for (const double f : {-1e3, 1e3}) {
    const auto point = likelihood.at(2, f);
    EXPECT_TRUE(std::isfinite(point.value) && std::isfinite(point.slope) && std::isfinite(point.curvature));
  }
}

TEST(OrdinalLikelihood, FindsTheModeAndItsCurvature) {
  const OrdinalLikelihood likelihood(kGrades, kThresholds, 0.5);
  const Eigen::MatrixXd K = correlated();
  const std::vector<float> ratings = {4, 1, 2};
  const Eigen::Vector3d mean(0.1, 0.2, -0.4);
  const LocalPosterior fit = likelihood.fit(ratings, mean, K);
  const Eigen::VectorXd f = mean + K * fit.alpha;
  Eigen::MatrixXd noise = Eigen::MatrixXd::Zero(3, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const auto point = likelihood.at(ratings[static_cast<std::size_t>(i)], f[i]);
    EXPECT_NEAR(fit.alpha[i], point.slope, 1e-4);  // the gradient of the log posterior is 0
    noise(i, i) = 1 / point.curvature;
  }
  EXPECT_LT((fit.A - (K + noise).inverse()).norm(), 1e-3);
}

TEST(OrdinalLikelihood, OfOneRatingHasItsModeCloseToTheMean) {
  const OrdinalLikelihood likelihood(kGrades, kThresholds, 0.5);
  const Eigen::MatrixXd K = Eigen::MatrixXd::Constant(1, 1, 0.8);
  const std::vector<float> ratings = {4};
  const LocalPosterior fit = likelihood.fit(ratings, Eigen::VectorXd::Zero(1), K);
  double mass = 0, first = 0;
  for (double f = -8; f < 8; f += 1e-3) {
    const double weight = std::exp(likelihood.at(4, f).value - 0.5 * f * f / 0.8);
    mass += weight;
    first += weight * f;
  }
  EXPECT_NEAR(0.8 * fit.alpha[0], first / mass, 0.1);
}

TEST(OrdinalThresholds, PutAsManyScoresBetweenThemAsThereAreRatings) {
  // A quarter of 1, half of 3, a quarter of 5; quantiles of the normal of variance 4.
  const Ratings ratings = ratings_from({{1, 3, 3, 5}});
  const OrdinalLikelihood likelihood = ordinal_likelihood(ratings, 4, 1e-6);
  EXPECT_GT(likelihood.at(1, -2 * 0.6745 - 0.01).value, -1e-6);
  EXPECT_GT(likelihood.at(3, -2 * 0.6744 + 0.01).value, -1e-6);
  EXPECT_GT(likelihood.at(5, 2 * 0.6745 + 0.01).value, -1e-6);
}

}  // namespace
}  // namespace dorm
