// SPDX-License-Identifier: Apache-2.0
// Sparse products, and the dense ones in terms of the kernels of vector_ops_dense.cpp.
#include "base/vector/vector_ops.h"

#include <array>
#include <cassert>

namespace dorm {
namespace {

const DenseKernels& kernels() {
  static const DenseKernels& best = dense_kernels(simd_level());
  return best;
}

}  // namespace

double dot(std::span<const float> x, std::span<const float> y) {
  assert(x.size() == y.size());
  return kernels().dot_ff(x.data(), y.data(), x.size());
}

double dot(std::span<const float> x, std::span<const double> y) {
  assert(x.size() == y.size());
  return kernels().dot_fd(x.data(), y.data(), x.size());
}

double dot(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  return kernels().dot_dd(x.data(), y.data(), x.size());
}

void axpy(double scale, std::span<const float> x, std::span<double> y) {
  assert(x.size() == y.size());
  kernels().axpy_f(scale, x.data(), y.data(), x.size());
}

void axpy(double scale, std::span<const double> x, std::span<double> y) {
  assert(x.size() == y.size());
  kernels().axpy_d(scale, x.data(), y.data(), x.size());
}

double dot(std::span<const std::uint32_t> columns, std::span<const float> values, std::span<const double> y) {
  double sum = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) sum += static_cast<double>(values[k]) * y[columns[k]];
  return sum;
}

void axpy(double scale, std::span<const std::uint32_t> columns, std::span<const float> values, std::span<double> y) {
  for (std::size_t k = 0; k < columns.size(); ++k) y[columns[k]] += scale * static_cast<double>(values[k]);
}

double dot(std::span<const std::uint32_t> x_columns, std::span<const float> x_values,
           std::span<const std::uint32_t> y_columns, std::span<const float> y_values) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < x_columns.size() && j < y_columns.size();) {
    if (x_columns[i] < y_columns[j]) {
      ++i;
    } else if (y_columns[j] < x_columns[i]) {
      ++j;
    } else {
      sum += static_cast<double>(x_values[i++]) * static_cast<double>(y_values[j++]);
    }
  }
  return sum;
}

void multiply(const DenseRows& x, std::span<const double> w, std::span<double> scores) {
  assert(w.size() == x.columns && scores.size() == x.rows);
  kernels().multiply(x, w.data(), scores.data());
}

void multiply(const DenseRows& x, std::span<const double> shift, std::span<const double> w, std::span<double> scores) {
  assert(shift.size() == x.columns && w.size() == x.columns && scores.size() == x.rows);
  kernels().multiply_shifted(x, shift.data(), w.data(), scores.data());
}

void accumulate(const DenseRows& x, std::span<const double> coefficients, std::span<double> out) {
  assert(out.size() == x.columns && coefficients.size() == x.rows);
  std::array<double, 4> scale{};
  std::array<const float*, 4> rows{};
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {  // without a branch on the coefficient, which no processor foresees
    scale[waiting] = coefficients[i];
    rows[waiting] = x.data + i * x.stride;
    waiting += coefficients[i] != 0;
    if (waiting < 4) continue;
    kernels().axpy4(scale.data(), rows.data(), out.data(), x.columns);
    waiting = 0;
  }
  for (std::size_t i = 0; i < waiting; ++i) kernels().axpy_f(scale[i], rows[i], out.data(), x.columns);
}

double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

}  // namespace dorm
