// SPDX-License-Identifier: Apache-2.0
#include "lab/collaborative/lbfgs.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

namespace dorm {
namespace {

TEST(Lbfgs, FindsTheMinimumOfAQuadraticFunction) {
  const Eigen::Index size = 30;
  Eigen::MatrixXd H = Eigen::MatrixXd::Constant(size, size, 0.3);
  for (Eigen::Index i = 0; i < size; ++i) H(i, i) += 1 + static_cast<double>(i * i);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(size, -1, 2);
  Eigen::VectorXd x = Eigen::VectorXd::Constant(size, 5);
  const double value = minimise(
      [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
        gradient = H * at - b;
        return 0.5 * at.dot(H * at) - b.dot(at);
      },
      x, {.iterations = 500, .tolerance = 1e-9});
  const Eigen::VectorXd exact = H.llt().solve(b);
  EXPECT_LT((x - exact).norm(), 1e-4 * exact.norm());
  EXPECT_NEAR(value, -0.5 * b.dot(exact), 1e-9);
}

TEST(Lbfgs, WalksTheCurvedValleyOfRosenbrock) {
  Eigen::VectorXd x(2);
  x << -1.2, 1;
  minimise(
      [](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
        const double bend = at[1] - at[0] * at[0];
        gradient << -400 * at[0] * bend - 2 * (1 - at[0]), 200 * bend;
        return 100 * bend * bend + (1 - at[0]) * (1 - at[0]);
      },
      x, {.iterations = 300, .tolerance = 1e-9});
  EXPECT_NEAR(x[0], 1, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
}

}  // namespace
}  // namespace dorm
