// SPDX-License-Identifier: Apache-2.0
// Four documents against sixteen at a time, in float32: the inner loops of kernel rows.
//
// A panel holds sixteen documents, feature by feature: panel[column * 16 + lane]. Sums run over the columns in their
// order, without fused operations, so that every instruction set gives the same bits and k(x, y) = k(y, x) to the last.
#pragma once

#include <cstddef>

#include "base/vector/cpu.h"

namespace dorm {

inline constexpr std::size_t kPanel = 16;
inline constexpr std::size_t kRowsAtOnce = 4;

struct TileOps {
  /// out[r * kPanel + lane] = sum over columns of x[r][column] * panel[column][lane]
  void (*products)(const float* const x[kRowsAtOnce], std::size_t columns, const float* panel, float* out);
  /// out[r * kPanel + lane] = sum over columns of (x[r][column] - panel[column][lane])^2
  void (*distances)(const float* const x[kRowsAtOnce], std::size_t columns, const float* panel, float* out);
  /// values[i] = exp(-scale * values[i]); values >= 0, count a multiple of kPanel. Within 3e-7 of the exact value,
  /// relative; 0 past the smallest normal number.
  void (*decay)(float scale, float* values, std::size_t count);
};

const TileOps& tile_ops(SimdLevel level);

}  // namespace dorm
