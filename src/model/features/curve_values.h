// SPDX-License-Identifier: Apache-2.0
// Curves of values that are not stored as codes: pieces are found by their knots. The same bits on every level of
// instructions.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/vector/cpu.h"
#include "model/features/curve_lanes.h"

namespace dorm {

/// A curve as it is evaluated at x: weight * x + level[b] + slope[b] * (x within [low, high] - start[b]), in the piece
/// b that is behind as many knots as x is not below.
struct CurveTable {
  std::vector<double> knots;
  std::array<double, kLeastSlots> search = unreached();  // the same, of a table of kLeastSlots
  std::vector<double> level = std::vector<double>(kLeastSlots), slope = level, start = level;
  double weight = 0;
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  double missing = 0;  // at NaN

  static constexpr std::array<double, kLeastSlots> unreached() {
    std::array<double, kLeastSlots> all{};
    for (double& each : all) each = std::numeric_limits<double>::infinity();
    return all;
  }
};

/// Row i at `scaled` + i * stride; or at `raw` + i * stride, and its column j is meant as (x - shift[j]) * factor[j].
struct CurveRows {
  const double* scaled = nullptr;
  const float* raw = nullptr;
  const double *shift = nullptr, *factor = nullptr;
  std::size_t stride = 0;
  std::span<const float> upcoming = {};  // what will be read after them, if known, to be fetched meanwhile
};

/// scores[i] += sum over columns j of the value of tables[j] at row i, in the order of the columns. Without `gaps`, no
/// value is NaN.
void add_curves(std::span<const CurveTable> tables, const CurveRows& rows, std::span<double> scores, bool gaps,
                SimdLevel level_of_cpu = simd_level());

}  // namespace dorm
