// SPDX-License-Identifier: Apache-2.0
#include "base/vector/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

std::vector<float> random_floats(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(2 * rng.uniform() - 1);
  return v;
}

std::vector<double> random_doubles(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> v(n);
  for (double& x : v) x = 2 * rng.uniform() - 1;
  return v;
}

TEST(VectorOps, DotAgreesWithLongDoubleAtEveryLength) {
  for (std::size_t n = 0; n < 70; ++n) {
    const auto x = random_floats(n, n + 1), z = random_floats(n, n + 3);
    const auto y = random_doubles(n, n + 2);
    long double expected_fd = 0, expected_ff = 0;
    for (std::size_t i = 0; i < n; ++i) {
      expected_fd += static_cast<long double>(x[i]) * y[i];
      expected_ff += static_cast<long double>(x[i]) * z[i];
    }
    EXPECT_NEAR(dot(std::span<const float>(x), std::span<const double>(y)), static_cast<double>(expected_fd), 1e-14);
    EXPECT_NEAR(dot(std::span<const float>(x), std::span<const float>(z)), static_cast<double>(expected_ff), 1e-14);
  }
}

TEST(VectorOps, EveryInstructionSetGivesTheSameBits) {
  const DenseKernels& reference = dense_kernels(SimdLevel::portable);
  for (const SimdLevel level : test::simd_levels()) {
    const DenseKernels& kernels = dense_kernels(level);
    for (std::size_t n = 0; n < 70; ++n) {
      const auto x = random_floats(n, 5), z = random_floats(n, 6);
      const auto y = random_doubles(n, 7), v = random_doubles(n, 8);
      EXPECT_EQ(kernels.dot_ff(x.data(), z.data(), n), reference.dot_ff(x.data(), z.data(), n));
      EXPECT_EQ(kernels.dot_fd(x.data(), y.data(), n), reference.dot_fd(x.data(), y.data(), n));
      EXPECT_EQ(kernels.dot_dd(v.data(), y.data(), n), reference.dot_dd(v.data(), y.data(), n));
      auto a = y, b = y;
      kernels.axpy_f(0.3, x.data(), a.data(), n);
      reference.axpy_f(0.3, x.data(), b.data(), n);
      kernels.axpy_d(-0.7, v.data(), a.data(), n);
      reference.axpy_d(-0.7, v.data(), b.data(), n);
      EXPECT_EQ(a, b);
    }
  }
}

// Whatever is said to come next, and however long it is.
TEST(VectorOps, SeveralRowsAtOnceEqualSingleOnes) {
  const auto next = random_floats(300, 12);
  for (const SimdLevel level : test::simd_levels()) {
    const DenseKernels& kernels = dense_kernels(level);
    for (std::size_t n = 0; n < 70; ++n) {
      const auto x = random_floats(4 * n, 9);
      const auto y = random_doubles(n, 10);
      const float* const rows[4] = {x.data(), x.data() + n, x.data() + 2 * n, x.data() + 3 * n};
      const double scale[4] = {0.1, -0.2, 0.3, 4};
      double products[4];
      kernels.multiply({x.data(), 4, n, n, std::span(next).first(n % 3 * n)}, y.data(), products);
      auto together = y, apart = y;
      kernels.axpy4(scale, rows, together.data(), n);
      for (int r = 0; r < 4; ++r) {
        EXPECT_EQ(products[r], kernels.dot_fd(rows[r], y.data(), n));
        kernels.axpy_f(scale[r], rows[r], apart.data(), n);
      }
      EXPECT_EQ(together, apart);
    }
  }
}

// The same bits on every level, and digits where values and shifts are large.
TEST(VectorOps, ShiftedProductsAgreeWithPlainLoops) {
  for (std::size_t n = 1; n < 70; ++n) {
    auto x = random_floats(3 * n, 20);
    auto shift = random_doubles(n, 21);
    const auto w = random_doubles(n, 22);
    for (std::size_t j = 0; j < n; j += 2) {
      shift[j] += 1e6;
      for (std::size_t i = 0; i < 3; ++i) x[i * n + j] += 1e6f;
    }
    double first[3];
    dense_kernels(SimdLevel::portable).multiply_shifted({x.data(), 3, n, n}, shift.data(), w.data(), first);
    for (std::size_t i = 0; i < 3; ++i) {
      long double sum = 0, terms = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const long double term = (static_cast<long double>(x[i * n + j]) - shift[j]) * w[j];
        sum += term;
        terms += std::fabs(term);
      }
      EXPECT_LE(std::fabs(first[i] - sum), 1e-14L * terms);
    }
    for (const SimdLevel level : test::simd_levels()) {
      double scores[3];
      dense_kernels(level).multiply_shifted({x.data(), 3, n, n}, shift.data(), w.data(), scores);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(scores[i], first[i]);
    }
  }
}

// X as dense rows with padding and as compressed rows: both products against plain loops.
TEST(VectorOps, MatrixProductsAgreeWithPlainLoopsDenseAndSparse) {
  for (const std::size_t rows : {0u, 1u, 3u, 4u, 11u})
    for (const std::size_t columns : {1u, 8u, 19u}) {
      const std::size_t stride = (columns + 7) / 8 * 8;
      auto x = random_floats(rows * stride, rows + columns);
      for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 0;
      const auto w = random_doubles(columns, 1);
      auto coefficients = random_doubles(rows, 2);
      if (rows > 2) coefficients[1] = 0;
      std::vector<double> scores(rows), sums(columns, 0.5), dense_scores(rows), dense_sums(columns, 0.5),
          sparse_sums(columns, 0.5);
      for (std::size_t i = 0; i < rows; ++i) {
        std::vector<std::uint32_t> column_of;
        std::vector<float> values;
        for (std::size_t j = 0; j < columns; ++j) {
          const double value = static_cast<double>(x[i * stride + j]);
          scores[i] += value * w[j];
          sums[j] += value * coefficients[i];
          if (value == 0) continue;
          column_of.push_back(static_cast<std::uint32_t>(j));
          values.push_back(x[i * stride + j]);
        }
        EXPECT_NEAR(dot(column_of, values, w), scores[i], 1e-14);
        axpy(coefficients[i], column_of, values, sparse_sums);
      }
      const DenseRows dense{x.data(), rows, columns, stride};
      multiply(dense, w, dense_scores);
      accumulate(dense, coefficients, dense_sums);
      for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(dense_scores[i], scores[i], 1e-14);
      for (std::size_t j = 0; j < columns; ++j) {
        EXPECT_NEAR(dense_sums[j], sums[j], 1e-14);
        EXPECT_NEAR(sparse_sums[j], sums[j], 1e-14);
      }
    }
}

TEST(VectorOps, SparseVectorsMeetOnlyInCommonColumns) {
  const std::vector<std::uint32_t> a = {0, 3, 7}, b = {1, 3, 7, 9};
  const std::vector<float> x = {1, 2, 3}, y = {10, 20, 30, 40};
  EXPECT_EQ(dot(a, x, b, y), 2 * 20 + 3 * 30);
}

}  // namespace
}  // namespace dorm
