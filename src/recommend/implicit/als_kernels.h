// SPDX-License-Identifier: Apache-2.0
// What ALS does for one row in single precision, and its sums over events in double. Every element is summed by itself
// in a fixed order, so that all levels give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vector/cpu.h"

namespace dorm {

inline constexpr std::size_t kAlsGathered = 64;  // events of a row at a time: they stay in the nearest cache

/// Rows of factors are this many floats wide; the ones behind the last factor are 0.
constexpr std::size_t als_stride(std::size_t factors) { return (factors + 31) / 32 * 32; }

/// The events of a row: rows of the side that is fixed, with their weights.
struct AlsEvents {
  const float* fixed;
  std::size_t factors;
  const std::uint32_t* index;
  const float* weight;
  std::size_t count;
  double alpha;
};

/// Matrices are row by row and als_stride() x als_stride(); only their upper triangles count. Vectors are as long.
struct AlsKernels {
  /// matrix += sum alpha r V V^T over the events; `gathered` has room for kAlsGathered rows.
  void (*add_products)(const AlsEvents& events, float* gathered, float* matrix);
  /// Replaces the matrix by U with U^T U = matrix, and `inverse` by 1 / U_ii; false: it is not positive definite.
  bool (*decompose)(float* matrix, std::size_t factors, float* inverse);
  /// Replaces x by the solution y of U^T U y = x; `half` has room for a vector.
  void (*solve)(const float* matrix, const float* inverse, std::size_t factors, float* half, float* x);
  /// out -= sum alpha r (V^T x) V.
  void (*subtract_products)(const AlsEvents& events, const double* x, double* out);
  /// out += sum (1 + alpha r) V.
  void (*add_targets)(const AlsEvents& events, double* out);
};
const AlsKernels& als_kernels(SimdLevel level);

}  // namespace dorm
