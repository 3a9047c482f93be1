// SPDX-License-Identifier: Apache-2.0
// What the graph of a kernel computes, document by document.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/scale_rules.h"
#include "model/align.h"
#include "model/export/onnx_kernel.h"

namespace dorm {
namespace {

/// The documents of a query with features in the model's order; 0 where the data lacks one.
std::vector<std::vector<double>> model_rows(const Query& query, std::span<const std::size_t> feature_of,
                                            std::size_t features) {
  std::vector<std::vector<double>> rows(query.size(), std::vector<double>(features));
  std::vector<float> row(feature_of.size());
  for (std::size_t i = 0; i < query.size(); ++i) {
    query.rows.load(i, row);
    for (std::size_t column = 0; column < row.size(); ++column)
      if (feature_of[column] != FeatureIndex::kUnknown) rows[i][feature_of[column]] = static_cast<double>(row[column]);
  }
  return rows;
}

struct ShiftAndFactor {
  double shift = 0, factor = 1;
};

/// By the documents at hand.
ShiftAndFactor of_documents(const std::vector<std::vector<double>>& rows, std::size_t j, bool range) {
  double low = rows[0][j], high = low, sum = 0, squares = 0;
  for (const std::vector<double>& row : rows) {
    low = std::min(low, row[j]);
    high = std::max(high, row[j]);
    sum += row[j];
  }
  const double mean = sum / static_cast<double>(rows.size());
  for (const std::vector<double>& row : rows) squares += (row[j] - mean) * (row[j] - mean);
  return {range ? low : mean, factor_of({low, high, squares, rows.size()}, range)};
}

/// In place, and rounded to float32.
void scale_in_doubles(const Scaling& scaling, std::vector<std::vector<double>>& rows) {
  if (scaling.kind == ScalingKind::none || rows.empty()) return;
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    if (takes_logarithm(scaling.kind))
      for (std::vector<double>& row : rows) row[j] = signed_logarithm(row[j]);
    const ShiftAndFactor by = scaling.per_query() ? of_documents(rows, j, uses_range(scaling.kind))
                                                  : ShiftAndFactor{scaling.shift[j], scaling.factor[j]};
    for (std::vector<double>& row : rows) row[j] = static_cast<double>(scaled_value(row[j], by.shift, by.factor));
  }
}

}  // namespace

double OnnxKernel::value(const Part& part, std::span<const float> row, std::span<const float> support) const {
  std::vector<float> x(part.columns.size()), y(part.columns.size());
  part.take(row, x);
  part.take(support, y);
  double product = 0, distance = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto a = static_cast<double>(x[k]), b = static_cast<double>(y[k]);
    product += a * b;
    distance += (a - b) * (a - b);
  }
  const auto gamma = static_cast<double>(static_cast<float>(part.gamma));
  if (part.kind == PartKind::rbf) return std::exp(-gamma * distance);
  if (part.kind == PartKind::same_values) return x == y ? 1 : 0;
  if (part.kind != PartKind::poly) return product;
  return std::pow(gamma * product + static_cast<double>(static_cast<float>(part.coef0)), part.degree);
}

double OnnxKernel::score(std::span<const float> row) const {
  const std::vector<double>& coefficients = model_.kernel->coefficients;
  double sum = 0;
  for (std::size_t j = 0; j < num_support(); ++j) {
    const std::span<const float> support = std::span(support_).subspan(j * row.size(), row.size());
    if (model_.kernel->fourier) {
      double angle = 0;
      for (std::size_t k = 0; k < row.size(); ++k)
        angle += static_cast<double>(row[k]) * static_cast<double>(support[k]);
      sum += coefficients[2 * j] * std::cos(angle) + coefficients[2 * j + 1] * std::sin(angle);
      continue;
    }
    double kernel = precomputed_.empty() ? 0 : static_cast<double>(row[static_cast<std::size_t>(precomputed_[j])]);
    for (const Term& term : terms_) {
      auto product = static_cast<double>(static_cast<float>(term.weight));
      for (const Part& part : term.parts) product *= value(part, row, support);
      kernel += product;
    }
    sum += coefficients[j] * kernel;
  }
  return sum;
}

std::vector<double> OnnxKernel::scores(const Dataset& data) const {
  const FeatureIndex index(model_);
  std::vector<std::size_t> feature_of;
  for (std::size_t column = 0; column < data.num_features(); ++column)
    feature_of.push_back(index.find(data.feature_name(column)));
  std::vector<double> out;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    std::vector<std::vector<double>> rows = model_rows(data.query(q), feature_of, model_.features.size());
    scale_in_doubles(model_.scaling, rows);
    for (const std::vector<double>& row : rows) out.push_back(score(std::vector<float>(row.begin(), row.end())));
  }
  return out;
}

}  // namespace dorm
