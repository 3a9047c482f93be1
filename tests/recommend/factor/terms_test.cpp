// SPDX-License-Identifier: Apache-2.0
// Implicit feedback and neighbours against dense linear algebra, and what becomes of them afterwards.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "recommend/factor/implicit.h"
#include "recommend/factor/neighbours.h"
#include "support/case_name.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::quick_options;
using test::tasteful_ratings;

// 1 where a user has rated an item.
Eigen::MatrixXd rated(const Ratings& ratings) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(ratings.num_users()),
                                            static_cast<Eigen::Index>(ratings.num_items()));
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const std::uint32_t j : ratings.of_user(u).index) m(static_cast<Eigen::Index>(u), j) = 1;
  return m;
}

Eigen::MatrixXd dense(const FactorMatrix& matrix) {
  Eigen::MatrixXd m(static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.width));
  for (std::size_t r = 0; r < matrix.rows; ++r)
    for (std::size_t c = 0; c < matrix.width; ++c)
      m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = matrix.row(r)[c];
  return m;
}

TEST(Implicit, TheTableSolvesItsNormalEquations) {
  const Ratings ratings = tasteful_ratings(30, 12, 6, 4);
  FactorizeOptions options = quick_options();
  options.rounds = 0;
  options.implicit = 1.5;
  FactorModel model = factorize(ratings, options).model;
  ThreadPool pool(2);
  improve_implicit(model, ratings, pool, 60);
  Eigen::MatrixXd m = rated(ratings);
  for (Eigen::Index u = 0; u < m.rows(); ++u) m.row(u) /= std::sqrt(m.row(u).sum());
  const Eigen::MatrixXd learnt = dense(model.user_factors).middleCols(1, 3);
  const Eigen::MatrixXd gram = m.transpose() * m + 1.5 * Eigen::MatrixXd::Identity(m.cols(), m.cols());
  const Eigen::MatrixXd truth = gram.ldlt().solve(m.transpose() * learnt);
  EXPECT_LT((dense(model.implicit) - truth).cwiseAbs().maxCoeff(), 1e-8);

  std::vector<double> prior(model.layout.user_width());
  prior_mean(model, model.seen_by(7), prior);
  EXPECT_EQ(prior[0], 0) << "the bias has none";
  for (Eigen::Index c = 0; c < 3; ++c) EXPECT_NEAR(prior[static_cast<std::size_t>(c) + 1], (m.row(7) * truth)(c), 1e-8);
}

TEST(Implicit, SweepsLowerTheJointObjective) {
  const Ratings ratings = tasteful_ratings(60, 30, 12, 8);
  const auto objective_after = [&](std::size_t sweeps) {
    FactorizeOptions options = quick_options();
    options.rounds = 0;
    options.implicit = 2;
    options.start_sweeps = sweeps;
    const FactorModel model = factorize(ratings, options).model;
    const Eigen::MatrixXd u = dense(model.user_factors), v = dense(model.item_factors);
    double total = 2 * 2 * dense(model.implicit).squaredNorm() + 2 * v.middleCols(1, 3).squaredNorm() +
                   20 * v.col(4).squaredNorm();
    for (std::size_t user = 0; user < ratings.num_users(); ++user) {
      const RatingRow row = ratings.of_user(user);
      std::vector<double> prior(4);
      prior_mean(model, row.index, prior);
      for (std::size_t c = 0; c < 4; ++c) {
        const double away = model.user_factors.row(user)[c] - prior[c];
        total += (c == 0 ? 1 : 2) * away * away;
      }
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double predicted = u.row(static_cast<Eigen::Index>(user)).dot(v.row(row.index[i]));
        const double error = (row.value[i] - model.mean) / model.unit - model.offsets[row.index[i]] - predicted;
        total += error * error;
      }
    }
    return total;
  };
  const double one = objective_after(1), three = objective_after(3), twelve = objective_after(12);
  EXPECT_LT(three, one);
  EXPECT_LT(twelve, three);
}

TEST(Neighbours, FeaturesSpanTheLeadingEigenvectorsOfTheCoRatingMatrix) {
  const Ratings ratings = tasteful_ratings(60, 20, 6, 4);
  ThreadPool pool(2);
  const Eigen::MatrixXd features = dense(neighbour_features(ratings, 3, 1, pool));
  Eigen::MatrixXd m = rated(ratings);
  for (Eigen::Index j = 0; j < m.cols(); ++j) m.col(j) /= std::sqrt(std::max(1.0, m.col(j).sum()));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(m.transpose() * m);
  Eigen::MatrixXd truth(20, 3);
  for (Eigen::Index k = 0; k < 3; ++k)
    truth.col(k) = eigen.eigenvectors().col(18 - k) * std::sqrt(eigen.eigenvalues()(18 - k));
  truth.rowwise().normalize();
  // Eigenvectors have no sign: compare products of rows.
  EXPECT_LT((features * features.transpose() - truth * truth.transpose()).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Neighbours, ItemsWithoutRatingsHaveNoneAndFewItemsLeaveColumnsEmpty) {
  const Rating list[] = {{0, 0, 5}, {0, 1, 1}, {1, 0, 2}, {1, 1, 4}};
  const Ratings ratings(IdTable({"x", "y"}), IdTable({"a", "b", "c"}), list);
  ThreadPool pool(1);
  const FactorMatrix features = neighbour_features(ratings, 5, 1, pool);
  for (const double x : features.row(2)) EXPECT_EQ(x, 0);
  for (const double x : features.values) EXPECT_TRUE(std::isfinite(x));
}

class Terms : public testing::TestWithParam<std::pair<double, std::size_t>> {
 protected:
  FactorizeOptions options() const {
    FactorizeOptions o = quick_options();
    o.implicit = GetParam().first;
    o.neighbours = GetParam().second;
    return o;
  }
  const Ratings ratings_ = tasteful_ratings(80, 40, 15, 5);
};

TEST_P(Terms, KeepTheObjectiveMonotoneAndTheModelIndependentOfThreads) {
  FactorizeOptions o = options();
  const FactorizeResult one = factorize(ratings_, o);
  o.threads = 3;
  const FactorizeResult three = factorize(ratings_, o);
  EXPECT_EQ(one.model.user_factors, three.model.user_factors);
  EXPECT_EQ(one.model.item_factors, three.model.item_factors);
  EXPECT_EQ(one.model.implicit, three.model.implicit);
  double last = INFINITY;
  for (const HalfStep& step : one.report.half_steps) {
    EXPECT_LE(step.before, last * (1 + 1e-9));
    EXPECT_LE(step.after, step.before);
    last = step.after;
  }
}

TEST_P(Terms, SurviveBytesWarmStartsAndFoldIn) {
  FactorizeOptions o = options();
  const FactorModel model = factorize(ratings_, o).model;
  FactorModel back = factors_from_bytes(factors_to_bytes(model), "memory");
  EXPECT_EQ(back.implicit, model.implicit);
  EXPECT_EQ(back.item_factors, model.item_factors);
  EXPECT_EQ(back.item_features, model.item_features);
  FactorizeInputs inputs;
  inputs.warm = &model;
  o.rounds = 0;
  const FactorModel same = factorize(ratings_, o, inputs).model;
  EXPECT_EQ(same.implicit, model.implicit);
  EXPECT_EQ(same.item_factors, model.item_factors);
  const Rating list[] = {{0, 0, 5}, {0, 1, 1}, {0, 2, 3}};
  EXPECT_EQ(fold_in_users(back, Ratings(IdTable({"new"}), IdTable({"i3", "i4", "i5"}), list)), 0u);
  EXPECT_EQ(recommend(back, back.users.size() - 1, 10).size(), 10u);
  const Rating other[] = {{0, 0, 5}, {1, 0, 4}};
  EXPECT_EQ(fold_in_items(back, Ratings(IdTable({"u1", "u2"}), IdTable({"fresh"}), other)), 0u);
  EXPECT_EQ(factors_from_bytes(factors_to_bytes(back), "memory").items.size(), 41u);
}

TEST_P(Terms, AUserOfTheStartIsFoldedInToWhereItWas) {
  FactorizeOptions o = options();
  o.rounds = 0;
  o.start_sweeps = 80;
  FactorModel model = factorize(ratings_, o).model;
  const FactorMatrix before = model.user_factors;
  fold_in_users(model, ratings_);
  for (std::size_t i = 0; i < before.values.size(); ++i)
    EXPECT_NEAR(model.user_factors.values[i], before.values[i], 2e-2);
}

INSTANTIATE_TEST_SUITE_P(Each, Terms,
                         testing::Values(std::pair<double, std::size_t>(1.0, 0), std::pair<double, std::size_t>(0.0, 4),
                                         std::pair<double, std::size_t>(2.0, 4)),
                         test::case_name);

}  // namespace
}  // namespace dorm
