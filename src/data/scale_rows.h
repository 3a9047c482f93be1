// SPDX-License-Identifier: Apache-2.0
// Scaling the dense rows of one query: a pure function of those rows and of the scaling, so it can be done where rows
// are visited as well as in a copy.
#pragma once

#include "base/cpu.h"
#include "base/vector_ops.h"
#include "dorm/scale.h"

namespace dorm {

/// The rows of a query of dense data.
inline DenseRows dense_rows(const Query& query) {
  return {query.rows.dense_row(0), query.size(), query.rows.num_features(), query.rows.stride()};
}

/// Writes row i to out + i * stride. The same bits on every level. Any kind but none; rows.columns is the number of
/// features that the scaling was fitted on.
void scale_rows(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride,
                SimdLevel level = simd_level());

}  // namespace dorm
