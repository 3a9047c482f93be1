// SPDX-License-Identifier: Apache-2.0
// Scaled values in 64 bits, one query at a time: what scores are made of (docs/formats.md). The rows that training
// visits are the same in 32 bits (scale_rows.h, scale_compressed.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector/cpu.h"
#include "base/vector/vector_ops.h"
#include "dorm/data/scale.h"
#include "dorm/dataset.h"

namespace dorm {

/// Columns [first, first + count) of dense rows, any kind of scaling. Row i goes to out + i * count. Every level
/// gives the same bits.
void scale_columns(const Scaling& scaling, const DenseRows& rows, std::size_t first, std::size_t count, double* out,
                   SimdLevel level = simd_level());

/// The least and the largest value of every column of a query that has documents.
void column_ranges(const DenseRows& rows, std::span<float> low, std::span<float> high, SimdLevel level = simd_level());

/// What becomes of compressed rows.
struct ScaledStored {
  std::vector<double> values;          // of the values stored, row by row
  std::vector<std::uint32_t> columns;  // kinds by query: the columns that some documents of the query lack
  std::vector<double> zeros;           // and what their zeros become
};
void scale_stored(const Scaling& scaling, const Query& query, ScaledStored& out, SimdLevel level = simd_level());

/// What 0 becomes in a column of a kind that is fitted to all the data.
inline double scaled_zero(const Scaling& scaling, std::size_t column) {
  return (0 - scaling.shift[column]) * scaling.factor[column];
}

}  // namespace dorm
