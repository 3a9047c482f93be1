// SPDX-License-Identifier: Apache-2.0
// Scaling the dense rows of one query: a pure function of those rows and of the scaling, so it can be done where rows
// are visited as well as in a copy.
#pragma once

#include "base/vector/cpu.h"
#include "base/vector/vector_ops.h"
#include "dorm/data/scale.h"

namespace dorm {

/// The rows of a query of dense data.
inline DenseRows dense_rows(const Query& query) {
  return {query.rows.dense_row(0), query.size(), query.rows.num_features(), query.rows.stride()};
}

/// Asks for rows that are about to be read by columns, in the order of memory.
[[gnu::always_inline]] inline void prefetch_rows(const DenseRows& rows) {
  constexpr std::size_t kLine = 64, kMost = std::size_t{1} << 18;
  const char* const first = reinterpret_cast<const char*>(rows.data);
  const std::size_t size = rows.rows * rows.stride * sizeof(float);
  for (std::size_t offset = 0; offset < (size < kMost ? size : kMost); offset += kLine)
    __builtin_prefetch(first + offset);
}

/// Writes row i to out + i * stride. The same bits on every level. Any kind but none; rows.columns is the number of
/// features that the scaling was fitted on.
void scale_rows(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride,
                SimdLevel level = simd_level());

/// Numbers of a query by which its rows are scaled again for less; 0 for kinds that find out nothing.
std::size_t num_scale_numbers(const Scaling& scaling, std::size_t columns);

/// The same, and leaves those numbers there, or finds them there. There is room for num_scale_numbers(), more than 0.
void scale_rows_noting(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride, float* numbers,
                       SimdLevel level = simd_level());
void scale_rows_again(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride,
                      const float* numbers, SimdLevel level = simd_level());

}  // namespace dorm
