// SPDX-License-Identifier: Apache-2.0
// The arithmetic of curves on stored codes. A code is 16 bits: the piece a value falls into, above its place in it.
// What a document adds to its score by one feature is level[piece] + slope[piece] * code; tables of up to eight pieces
// stay in one vector register. The same bits on every level of instructions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vector/cpu.h"
#include "model/features/curve_lanes.h"

namespace dorm {

inline constexpr std::size_t kCodePadding = 64;  // codes behind the last that kernels may read
inline constexpr std::size_t kRisePadding = 8;   // numbers behind the last that fold_codes() may write

/// Where the table of a feature lies among those of all, and which bits of a code are the place.
struct CurveSlots {
  std::uint32_t first = 0;
  std::uint32_t count = kLeastSlots;
  std::uint32_t shift = 16;
  std::uint32_t rises = 0;  // of its weights, from `weight` on
  std::size_t weight = 0;

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

/// The sums of a feature begin at 2 * first: by slot, += the coefficients of the documents in it, then += those times
/// their codes.
void add_codes(std::span<const CurveSlots> features, const std::uint16_t* codes, std::span<const double> coefficients,
               double* sums, SimdLevel level_of_cpu = simd_level());

/// Such sums as a direction. A document has line[s] + line_rise[s] * place of the feature itself, which is
/// direction[j]; of rise b, from `weight` on, it has 1 in the slots behind b, and of `lines` its share of b in it.
/// Numbers behind the rises of a feature are left undefined, unless they are those of a later one.
void fold_codes(std::span<const CurveSlots> features, const double* sums, const double* line, const double* line_rise,
                bool lines, double* direction, SimdLevel level_of_cpu = simd_level());

}  // namespace dorm
