// SPDX-License-Identifier: Apache-2.0
// Products between float32 rows (features, planes) and double vectors (weights, scores).
//
// Everything is accumulated in double, in the same lanes and order whichever instruction set runs it and however many
// rows are taken at once: results are the same on every machine, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vector/cpu.h"

namespace dorm {

/// Consecutive dense feature rows, row i at data + i * stride.
struct DenseRows {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;
  std::span<const float> upcoming = {};  // what will be read after them, if known, to be fetched meanwhile
  bool resident = false;                 // the rows themselves need not be fetched
};

/// Both sizes must be equal.
double dot(std::span<const float> x, std::span<const float> y);
double dot(std::span<const float> x, std::span<const double> y);
double dot(std::span<const double> x, std::span<const double> y);

/// sum_i (x_i - y_i)^2, added in order.
double squared_distance(std::span<const double> x, std::span<const double> y);

/// y += scale * x.
void axpy(double scale, std::span<const float> x, std::span<double> y);
void axpy(double scale, std::span<const double> x, std::span<double> y);

/// Sparse x, given by its columns and values; y is dense.
double dot(std::span<const std::uint32_t> columns, std::span<const float> values, std::span<const double> y);
void axpy(double scale, std::span<const std::uint32_t> columns, std::span<const float> values, std::span<double> y);

/// Two sparse vectors with increasing columns.
double dot(std::span<const std::uint32_t> x_columns, std::span<const float> x_values,
           std::span<const std::uint32_t> y_columns, std::span<const float> y_values);

/// scores = X w.
void multiply(const DenseRows& x, std::span<const double> w, std::span<double> scores);

/// The same of X less the shift of every column: a large shift loses no digits of what is left.
void multiply(const DenseRows& x, std::span<const double> shift, std::span<const double> w, std::span<double> scores);

/// out += X^T coefficients. Rows with a zero coefficient are not read.
void accumulate(const DenseRows& x, std::span<const double> coefficients, std::span<double> out);

/// The dense kernels of one level (for tests and benchmarks; the functions above use the highest).
struct DenseKernels {
  double (*dot_ff)(const float* x, const float* y, std::size_t n);
  double (*dot_fd)(const float* x, const double* y, std::size_t n);
  double (*dot_dd)(const double* x, const double* y, std::size_t n);
  void (*axpy_f)(double scale, const float* x, double* y, std::size_t n);
  void (*axpy_d)(double scale, const double* x, double* y, std::size_t n);
  void (*axpy4)(const double scale[4], const float* const x[4], double* y, std::size_t n);
  void (*multiply)(const DenseRows& x, const double* w, double* scores);
  void (*multiply_shifted)(const DenseRows& x, const double* shift, const double* w, double* scores);
};
const DenseKernels& dense_kernels(SimdLevel level);

}  // namespace dorm
