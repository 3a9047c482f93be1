// SPDX-License-Identifier: Apache-2.0
#include "evaluation/clicks/relevance_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/vector/linear_algebra.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kMostFeatures = 5000;

void standardise(std::vector<double>& values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  for (std::size_t j = 0; j + 1 < columns; ++j) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < rows; ++i) mean += values[i * columns + j];
    mean /= real(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      double& x = values[i * columns + j];
      x -= mean;
      squares += x * x;
    }
    const double deviation = std::sqrt(squares / real(rows));
    const bool constant = !(deviation > 1e-9 * std::abs(mean));
    for (std::size_t i = 0; i < rows; ++i) values[i * columns + j] *= constant ? 0 : 1 / deviation;
  }
}

/// The lower triangle of sum weight x x', with `ridge` times the weights on the diagonal.
std::vector<double> gram(const StandardRows& rows, std::span<const double> weights, double ridge) {
  const std::size_t n = rows.columns();
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const double> x = rows.row(i);
    if (weights[i] == 0) continue;
    for (std::size_t a = 0; a < n; ++a) {
      const double scaled = weights[i] * x[a];
      for (std::size_t b = 0; b <= a; ++b) matrix[a * n + b] += scaled * x[b];
    }
  }
  const double added = ridge * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t a = 0; a + 1 < n; ++a) matrix[a * n + a] += added;
  return matrix;
}

}  // namespace

StandardRows::StandardRows(const Dataset& data, std::span<const std::size_t> documents)
    : columns_(data.num_features() + 1) {
  if (data.num_features() > kMostFeatures)
    throw Error(ErrorCode::unsupported, fmt::format("a model of relevance with {} features; expected at most {}",
                                                    data.num_features(), kMostFeatures));
  values_.resize(documents.size() * columns_, 1.0);
  std::vector<float> row(data.num_features());
  std::size_t q = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (q >= data.num_queries() || documents[i] < data.first_document(q)) q = 0;
    while (documents[i] >= data.first_document(q + 1)) ++q;
    data.query(q).rows.load(documents[i] - data.first_document(q), row);
    std::copy(row.begin(), row.end(), values_.begin() + static_cast<std::ptrdiff_t>(i * columns_));
  }
  if (!documents.empty()) standardise(values_, columns_);
}

double predicted(std::span<const double> row, std::span<const double> coefficients) {
  return std::inner_product(row.begin(), row.end(), coefficients.begin(), 0.0);
}

std::vector<double> fit_linear(const StandardRows& rows, std::span<const double> targets,
                               std::span<const double> weights, double ridge) {
  std::vector<double> coefficients(rows.columns(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t a = 0; a < rows.columns(); ++a) coefficients[a] += weights[i] * targets[i] * rows.row(i)[a];
  if (!solve_positive(gram(rows, weights, ridge), coefficients)) coefficients.assign(rows.columns(), 0.0);
  return coefficients;
}

void improve_logistic(const StandardRows& rows, std::span<const double> positive, std::span<const double> total,
                      double ridge, std::vector<double>& coefficients) {
  std::vector<double> curvature(rows.size()), step(rows.columns(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double rate = 1 / (1 + std::exp(-predicted(rows.row(i), coefficients)));
    curvature[i] = total[i] * std::max(rate * (1 - rate), 1e-6);
    for (std::size_t a = 0; a < rows.columns(); ++a) step[a] += (positive[i] - total[i] * rate) * rows.row(i)[a];
  }
  const double pull = ridge * std::accumulate(curvature.begin(), curvature.end(), 0.0);
  for (std::size_t a = 0; a + 1 < rows.columns(); ++a) step[a] -= pull * coefficients[a];
  if (!solve_positive(gram(rows, curvature, ridge), step)) return;
  for (std::size_t a = 0; a < step.size(); ++a) coefficients[a] += std::clamp(step[a], -4.0, 4.0);
}

}  // namespace dorm
