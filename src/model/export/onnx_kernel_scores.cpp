// SPDX-License-Identifier: Apache-2.0
// What the graph of a kernel computes, document by document.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/scale/scale_rules.h"
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

double product(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += static_cast<double>(x[k]) * static_cast<double>(y[k]);
  return sum;
}

double squared_distance(std::span<const float> x, std::span<const float> y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double away = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    sum += away * away;
  }
  return sum;
}

/// Of what the part takes of two documents.
double kernel_value(const Part& part, std::span<const float> x, std::span<const float> y) {
  if (part.kind == PartKind::rbf) return std::exp(-part.gamma * squared_distance(x, y));
  if (part.kind == PartKind::same_values) return std::equal(x.begin(), x.end(), y.begin()) ? 1 : 0;
  if (part.kind != PartKind::poly) return product(x, y);
  return std::pow(part.gamma * product(x, y) + part.coef0, part.degree);
}

}  // namespace

std::vector<double> OnnxKernel::values(std::span<const float> row) const {
  std::vector<double> sums(num_support());
  for (std::size_t j = 0; j < precomputed_.size(); ++j)
    sums[j] = static_cast<double>(row[static_cast<std::size_t>(precomputed_[j])]);
  for (const TakenTerm& term : terms_) {
    std::vector<double> products(sums.size(), term.weight);
    for (const auto& [part, support] : term.parts) {
      std::vector<float> x(part.columns.size());
      part.take(row, x);
      for (std::size_t j = 0; j < products.size(); ++j)
        products[j] *= kernel_value(part, x, std::span(support).subspan(j * x.size(), x.size()));
    }
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += products[j];
  }
  return sums;
}

double OnnxKernel::score(std::span<const float> row) const {
  const std::vector<double>& coefficients = model_.kernel->coefficients;
  double sum = 0;
  if (model_.kernel->fourier) {
    for (std::size_t j = 0; j < num_support(); ++j) {
      const double angle = product(row, std::span(frequencies_).subspan(j * row.size(), row.size()));
      sum += coefficients[2 * j] * std::cos(angle) + coefficients[2 * j + 1] * std::sin(angle);
    }
    return sum;
  }
  const std::vector<double> kernel = values(row);
  for (std::size_t j = 0; j < kernel.size(); ++j) sum += coefficients[j] * kernel[j];
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
