// SPDX-License-Identifier: Apache-2.0
// Against sums written out, and the levels among each other.
#include "model/features/centred_products.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

struct Example {
  std::size_t rows, columns, stride;
  std::vector<float> x;
  std::vector<double> y;

  Example(std::size_t documents, std::size_t features) : rows(documents), columns(features), stride(features + 2) {
    Rng rng(documents + 7 * features);
    x.resize(rows * stride);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(rng.normal() + 5);
    for (std::size_t i = 0; i < rows; ++i) {
      x[i * stride] = 0.1f;  // a constant
      y.push_back(rng.normal());
    }
  }

  DenseRows view() const { return {x.data(), rows, columns, stride}; }

  // Column j less its mean; behind the features the target.
  std::vector<double> centred(std::size_t j) const {
    std::vector<double> column;
    double mean = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      column.push_back(j == columns ? y[i] : static_cast<double>(x[i * stride + j]));
      mean += column.back() / static_cast<double>(rows);
    }
    for (double& value : column) value -= mean;
    return column;
  }
};

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

TEST(CentredProducts, AreThoseOfCentredColumns) {
  for (const std::size_t columns : {1, 5, 15, 16, 33})
    for (const std::size_t rows : {1, 9, 150}) {
      const Example example(rows, columns);
      const std::size_t width = product_width(columns);
      ASSERT_GT(width, columns);
      CentringWorkspace workspace;
      std::vector<double> sum(width * width, 1.0);
      add_centred_products(example.view(), example.y, workspace, sum);
      double squares = 0;
      for (std::size_t k = 0; k <= columns; ++k)
        for (std::size_t j = k; j <= columns; ++j) {
          const double want = product_of(example.centred(k), example.centred(j));
          EXPECT_NEAR(sum[k * width + j] - 1, want, 1e-10 * static_cast<double>(rows)) << k << " " << j;
          if (k == j && k < columns) squares += want;
        }
      EXPECT_NEAR(centred_squares(example.view(), workspace), squares, 1e-10 * static_cast<double>(rows));
    }
}

TEST(CentredProducts, AreTheSameOnEveryLevel) {
  const Example example(70, 37);
  const std::size_t width = product_width(37);
  CentringWorkspace workspace;
  std::vector<double> first(width * width, 0.0);
  add_centred_products(example.view(), example.y, workspace, first, SimdLevel::portable);
  const double squares = centred_squares(example.view(), workspace, SimdLevel::portable);
  for (const SimdLevel level : test::simd_levels()) {
    std::vector<double> sum(width * width, 0.0);
    add_centred_products(example.view(), example.y, workspace, sum, level);
    for (std::size_t k = 0; k <= 37; ++k)
      for (std::size_t j = k; j <= 37; ++j) EXPECT_EQ(sum[k * width + j], first[k * width + j]);
    EXPECT_EQ(centred_squares(example.view(), workspace, level), squares);
  }
}

}  // namespace
}  // namespace dorm
