// SPDX-License-Identifier: Apache-2.0
// The arithmetic of curves on stored codes. A code is 16 bits: the piece a value falls into, above its place in it.
// What a document adds to its score by one feature is level[piece] + slope[piece] * code; tables of up to eight pieces
// stay in one vector register. Values that are not stored are looked up by their knots. The same bits on every level of
// instructions.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/vector/cpu.h"

namespace dorm {

inline constexpr std::size_t kLeastSlots = 8;    // of a table: what one register holds
inline constexpr std::size_t kCodePadding = 32;  // codes behind the last that kernels may read

/// Where the table of a feature lies among those of all, and which bits of a code are the place.
struct CurveSlots {
  std::uint32_t first = 0;
  std::uint32_t count = kLeastSlots;
  std::uint32_t shift = 16;

  /// The bits of the place that leave room for so many pieces.
  static std::uint32_t shift_of(std::size_t pieces) {
    return 16 - static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(pieces)));
  }
};

/// scores[i] = sum over features j of what codes[j * scores.size() + i] adds, in the order of the features. `upcoming`:
/// what will be read after them, if known, to be fetched meanwhile.
void score_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, const double* level,
                 const double* slope, std::span<double> scores, std::span<const std::uint16_t> upcoming = {},
                 SimdLevel level_of_cpu = simd_level());

/// sums[2 s] += the coefficients of the documents in slot s, sums[2 s + 1] += those times their codes.
void add_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, std::span<const double> coefficients,
               double* sums, SimdLevel level_of_cpu = simd_level());

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

/// scores[i] += sum over columns j of the value of tables[j] at rows[i * stride + j], in the order of the columns.
/// Without `gaps`, no value is NaN.
void add_curves(std::span<const CurveTable> tables, const double* rows, std::size_t stride, std::span<double> scores,
                bool gaps, SimdLevel level_of_cpu = simd_level());

}  // namespace dorm
