// SPDX-License-Identifier: Apache-2.0
// Rows by conjugate gradients against the normal equations, solved by elimination.
#include "recommend/factor/squared_loss.h"

#include <gtest/gtest.h>

#include "support/ratings.h"

namespace dorm {
namespace {

using test::centred_uniform;
using test::tasteful_ratings;

// (A'A + diag(ridge)) x = A'y by Gaussian elimination; the matrix is positive definite.
std::vector<double> by_elimination(const std::vector<std::vector<double>>& a, const std::vector<double>& y,
                                   const std::vector<double>& ridge) {
  const std::size_t n = ridge.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1, 0.0));
  for (std::size_t i = 0; i < n; ++i) m[i][i] = ridge[i];
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) m[i][j] += a[r][i] * a[r][j];
      m[i][n] += a[r][i] * y[r];
    }
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double factor = m[i][p] / m[p][p];
      for (std::size_t j = p; j <= n; ++j) m[i][j] -= factor * m[p][j];
    }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = m[i][n] / m[i][i];
  return x;
}

TEST(SquaredLoss, ARowSolvesItsNormalEquationsAndLeavesFixedCoordinatesAlone) {
  Rng rng(3);
  constexpr std::size_t kWidth = 7, kBegin = 2;
  FactorMatrix rows(20, kWidth);
  for (double& x : rows.values) x = centred_uniform(rng);
  const std::vector<std::uint32_t> index = {1, 4, 5, 9, 12, 19};
  const std::vector<double> ridge = {0.5, 0.5, 2, 20, 0.1};
  std::vector<double> target(index.size()), x(kWidth);
  for (double& t : target) t = 3 * centred_uniform(rng);
  for (double& v : x) v = centred_uniform(rng);
  const double first = x[0], second = x[1];

  std::vector<std::vector<double>> a;
  std::vector<double> y;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto row = rows.row(index[i]);
    a.emplace_back(row.begin() + kBegin, row.end());
    y.push_back(target[i] - first * row[0] - second * row[1]);
  }
  const std::vector<double> truth = by_elimination(a, y, ridge);
  RowSolver().solve(rows, index, target, kBegin, ridge, x);
  EXPECT_EQ(x[0], first);
  EXPECT_EQ(x[1], second);
  for (std::size_t c = 0; c < truth.size(); ++c) EXPECT_NEAR(x[kBegin + c], truth[c], 1e-5);
}

TEST(SquaredLoss, SweepsLowerTheRegularisedError) {
  const Ratings ratings = tasteful_ratings(60, 30, 12, 8);
  const auto error_after = [&](std::size_t sweeps) {
    FactorizeOptions options;
    options.rank = 3;
    options.rounds = 0;
    options.start_sweeps = sweeps;
    options.start_lambda = 1;
    options.threads = 1;
    const FactorModel model = factorize(ratings, options).model;
    const Ridges ridges = ridges_of(model.layout, 1);
    double error = 0;
    for (std::size_t u = 0; u < ratings.num_users(); ++u) {
      const RatingRow row = ratings.of_user(u);
      for (std::size_t c = 0; c < ridges.user.size(); ++c)
        error += ridges.user[c] * model.user_factors.row(u)[c] * model.user_factors.row(u)[c];
      for (std::size_t i = 0; i < row.size(); ++i) {
        double prediction = model.offsets[row.index[i]];
        for (std::size_t c = 0; c < model.layout.width(); ++c)
          prediction += model.user_factors.row(u)[c] * model.item_factors.row(row.index[i])[c];
        const double residual = (row.value[i] - model.mean) / model.unit - prediction;
        error += residual * residual;
      }
    }
    for (std::size_t j = 0; j < ratings.num_items(); ++j)
      for (std::size_t c = 0; c < ridges.item.size(); ++c) {
        const double x = model.item_factors.row(j)[model.layout.item_begin() + c];
        error += ridges.item[c] * x * x;
      }
    return error;
  };
  const double one = error_after(1), three = error_after(3), ten = error_after(10);
  EXPECT_LT(three, one);
  EXPECT_LT(ten, three);
}

}  // namespace
}  // namespace dorm
