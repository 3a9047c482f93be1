// SPDX-License-Identifier: Apache-2.0
// Ridge by conjugate gradients against the normal equations solved densely, and against hand arithmetic.
#include "learning/risk/ridge.h"

#include <gtest/gtest.h>

#include "learning/risk/targets.h"
#include "model/features/linear_features.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using Matrix = std::vector<std::vector<double>>;

// Rows centred within their query, the centred label last.
Matrix centred(const Dataset& data) {
  Matrix rows;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<double> mean(data.num_features() + 1, 0.0);
    const std::size_t first = rows.size();
    for (std::size_t i = 0; i < query.size(); ++i) {
      rows.emplace_back();
      for (std::size_t j = 0; j < data.num_features(); ++j)
        rows.back().push_back(static_cast<double>(query.rows.at(i, j)));
      rows.back().push_back(static_cast<double>(query.labels[i]));
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += rows.back()[j] / static_cast<double>(query.size());
    }
    for (std::size_t i = first; i < rows.size(); ++i)
      for (std::size_t j = 0; j < mean.size(); ++j) rows[i][j] -= mean[j];
  }
  return rows;
}

// Gauss-Jordan elimination with pivoting; the right-hand side is the last column.
std::vector<double> eliminate(Matrix a) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = a[i][n] / a[i][i];
  return x;
}

double mean_squared_norm(const Matrix& rows) {
  double sum = 0;
  for (const auto& row : rows)
    for (std::size_t j = 0; j + 1 < row.size(); ++j) sum += row[j] * row[j];
  return sum / static_cast<double>(rows.size());
}

std::vector<double> dense_ridge(const Dataset& data, double lambda) {
  const Matrix rows = centred(data);
  const std::size_t d = data.num_features();
  Matrix normal(d, std::vector<double>(d + 1, 0.0));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= d; ++j) normal[i][j] += row[i] * row[j];
  for (std::size_t i = 0; i < d; ++i)
    normal[i][i] += lambda * static_cast<double>(rows.size()) * mean_squared_norm(rows);
  return eliminate(normal);
}

TEST(Ridge, EqualsTheNormalEquations) {
  for (const bool sparse : {false, true})
    for (const double lambda : {1e-3, 1e-1, 10.0}) {
      const Dataset data =
          test::random_data({.lengths = {9, 1, 14, 3, 8}, .features = 6, .density = 0.6, .seed = 8, .sparse = sparse});
      const std::vector<double> w = ridge(LinearFeatures(data), lambda, 2), expected = dense_ridge(data, lambda);
      for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(w[j], expected[j], 1e-5) << "lambda " << lambda;
    }
}

TEST(Ridge, APathIsTheRidgesOfItsLambdas) {
  const Dataset data = test::random_data({.lengths = {9, 1, 14, 3, 8}, .features = 6, .seed = 8});
  const LinearFeatures features(data);
  const std::vector<double> lambdas = {1e-1, 1e-4, 10.0, 1e-2}, targets = labels_of(data);
  const auto path = ridge_path(features, targets, lambdas, 2);
  for (std::size_t k = 0; k < lambdas.size(); ++k) {
    const std::vector<double> expected = dense_ridge(data, lambdas[k]);
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(path[k][j], expected[j], 1e-5) << "lambda " << lambdas[k];
  }
  EXPECT_EQ(path[1], ridge(features, 1e-4, 2));
}

TEST(Ridge, OneFeatureByHand) {
  DatasetBuilder builder;
  builder.add({1, "a"}, std::vector<float>{3});  // centred: +1, label +1/2
  builder.add({0, "a"}, std::vector<float>{1});  // centred: -1, label -1/2
  const LinearFeatures features(builder.finish());
  EXPECT_DOUBLE_EQ(features.centred_norm(1), 1);
  EXPECT_NEAR(ridge(features, 0.5, 1)[0], 1.0 / (2 + 0.5 * 2 * 1), 1e-12);
}

TEST(Ridge, DoesNotDependOnTheNumberOfThreads) {
  const LinearFeatures features(test::random_data({.lengths = std::vector<std::size_t>(50, 6), .seed = 2}));
  EXPECT_EQ(ridge(features, 1e-3, 1), ridge(features, 1e-3, 4));
}

TEST(CentredRowNorm, EqualsTheSlowSum) {
  for (const bool sparse : {false, true}) {
    const Dataset data =
        test::random_data({.lengths = {9, 1, 14}, .features = 5, .density = 0.5, .seed = 6, .sparse = sparse});
    EXPECT_NEAR(LinearFeatures(data).centred_norm(2), mean_squared_norm(centred(data)), 1e-10);
  }
}

// A sum of squares minus a square of sums would leave noise here, and the noise would be trained on.
TEST(CentredRowNorm, IsExactlyZeroWhenFeaturesAreConstantWithinQueries) {
  for (const bool sparse : {false, true}) {
    DatasetBuilder builder;
    for (int i = 0; i < 7; ++i)
      for (const char* id : {"a", "b"}) {
        const std::vector<float> row = {0.1f, id[0] == 'a' ? 1e6f / 3 : 0.7f};
        const std::vector<std::uint32_t> columns = {0, 1};
        const DatasetBuilder::Document document{static_cast<float>(i), id};
        if (sparse)
          builder.add(document, SparseRow{columns, row});
        else
          builder.add(document, row);
      }
    EXPECT_EQ(LinearFeatures(builder.finish()).centred_norm(1), 0.0);
  }
}

}  // namespace
}  // namespace dorm
