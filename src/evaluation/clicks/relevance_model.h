// SPDX-License-Identifier: Apache-2.0
// Relevance as a function of features: what regression EM and the estimator ips+model learn.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

/// Rows of a data set with columns of mean 0 and variance 1 and a last column of ones; constant columns are 0.
class StandardRows {
 public:
  /// Throws Error(unsupported) for more than 5000 features: systems are dense.
  StandardRows(const Dataset& data, std::span<const std::size_t> documents);

  std::size_t size() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  std::span<const double> row(std::size_t i) const { return std::span(values_).subspan(i * columns_, columns_); }

 private:
  std::size_t columns_;
  std::vector<double> values_;
};

/// Weights of the linear function nearest to the targets, weighted; `ridge` times the sum of the weights is added to
/// the diagonal, the last column excepted.
std::vector<double> fit_linear(const StandardRows& rows, std::span<const double> targets,
                               std::span<const double> weights, double ridge);

/// One Newton step for the logistic likelihood of `positive` of `total` at each row; `coefficients` are moved.
void improve_logistic(const StandardRows& rows, std::span<const double> positive, std::span<const double> total,
                      double ridge, std::vector<double>& coefficients);

double predicted(std::span<const double> row, std::span<const double> coefficients);

}  // namespace dorm
