// SPDX-License-Identifier: Apache-2.0
// Decompositions of small dense matrices, compiled once for those who need them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dorm {

struct SymmetricEigen {
  std::vector<double> values;   // increasing
  std::vector<double> vectors;  // one after the other, of unit length, in the order of their values

  std::span<const double> vector(std::size_t k) const {
    return std::span(vectors).subspan(k * values.size(), values.size());
  }
};

/// Of a symmetric n x n matrix; only its lower triangle, row by row, is read.
SymmetricEigen symmetric_eigen(std::span<const double> matrix, std::size_t n);

/// Replaces x by the solution of A x = x for a symmetric matrix, of which only the lower triangle, row by row, is read;
/// false, and x is lost, when it is not positive definite.
bool solve_positive(std::span<const double> matrix, std::span<double> x);

/// Replaces the columns of a matrix, given row by row and with at least as many rows as columns, by an orthonormal
/// basis of what they span.
void orthonormalise(std::span<double> matrix, std::size_t columns);

}  // namespace dorm
