// SPDX-License-Identifier: Apache-2.0
// Sums over the rows of a query less their mean: of squares, and of all products of two columns. In double, by columns
// side by side; the same bits on every level.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/vector/cpu.h"
#include "base/vector/vector_ops.h"

namespace dorm {

/// What such sums are made in, to be used again for the next query.
struct CentringWorkspace {
  std::vector<double> sums;  // by column
  std::vector<double> rows;  // some rows less their mean
};

/// sum_i |x_i - mean|^2, in two passes: a column that is constant gives 0 exactly.
double centred_squares(const DenseRows& rows, CentringWorkspace& workspace, SimdLevel level = simd_level());

/// Rows of products(columns) numbers: one column more than there are features, for a target, and columns of zeros.
constexpr std::size_t product_width(std::size_t columns) { return (columns + 16) / 16 * 16; }

/// sum[k * width + j] += sum_i (x_ik - mean_k) (x_ij - mean_j) for j >= k; the target follows the last feature,
/// centred likewise.
void add_centred_products(const DenseRows& rows, std::span<const double> targets, CentringWorkspace& workspace,
                          std::span<double> sum, SimdLevel level = simd_level());

}  // namespace dorm
