// SPDX-License-Identifier: Apache-2.0
#include "base/vector/linear_algebra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

TEST(LinearAlgebra, EigenvaluesByHand) {
  // [2 1; 1 2]: 1 with (1, -1) and 3 with (1, 1). The upper triangle is not read.
  const SymmetricEigen eigen = symmetric_eigen(std::vector<double>{2, 99, 1, 2}, 2);
  ASSERT_EQ(eigen.values.size(), 2u);
  EXPECT_NEAR(eigen.values[0], 1, 1e-15);
  EXPECT_NEAR(eigen.values[1], 3, 1e-15);
  EXPECT_NEAR(eigen.vector(0)[0], -eigen.vector(0)[1], 1e-15);
  EXPECT_NEAR(eigen.vector(1)[0], eigen.vector(1)[1], 1e-15);
}

TEST(LinearAlgebra, AnOrthonormalBasisOfTheSameSpan) {
  constexpr std::size_t kRows = 7, kColumns = 3;
  Rng rng(5);
  std::vector<double> matrix(kRows * kColumns);
  for (double& x : matrix) x = rng.uniform() - 0.5;
  std::vector<double> basis = matrix;
  orthonormalise(basis, kColumns);
  const auto column = [](const std::vector<double>& of, std::size_t c) {
    std::vector<double> out;
    for (std::size_t i = 0; i < kRows; ++i) out.push_back(of[i * kColumns + c]);
    return out;
  };
  for (std::size_t a = 0; a < kColumns; ++a) {
    std::vector<double> left = column(matrix, a);
    for (std::size_t b = 0; b < kColumns; ++b) {
      const std::vector<double> unit = column(basis, b);
      EXPECT_NEAR(dot(std::span<const double>(column(basis, a)), unit), a == b ? 1 : 0, 1e-14);
      const double along = dot(std::span<const double>(left), unit);
      for (std::size_t i = 0; i < kRows; ++i) left[i] -= along * unit[i];
    }
    EXPECT_NEAR(std::sqrt(dot(std::span<const double>(left), left)), 0, 1e-14);  // nothing of it lies outside the span
  }
}

}  // namespace
}  // namespace dorm
