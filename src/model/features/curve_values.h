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

template <class T>
constexpr std::array<T, 2 * kLeastSlots> unreached_knots() {
  std::array<T, 2 * kLeastSlots> all{};
  for (T& each : all) each = std::numeric_limits<T>::infinity();
  return all;
}

/// A curve as it is evaluated at x: weight * x + level[b] + slope[b] * (x within [low, high] - start[b]), in the piece
/// b that is behind as many knots as x is not below.
struct CurveTable {
  std::vector<double> knots;
  std::array<double, 2 * kLeastSlots> search = unreached_knots<double>();  // the first of them
  std::vector<double> level = std::vector<double>(kLeastSlots), slope = level, start = level;
  double weight = 0;
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  double missing = 0;  // at NaN

  // Of values v that are given in 32 bits, with x = (v - shift) * factor: the least that are not below the knots.
  double shift = 0, factor = 1;
  std::vector<float> raw_knots;
  std::array<float, 2 * kLeastSlots> raw_search = unreached_knots<float>();

  void set_knots(std::span<const double> given);
  /// After the knots. The factor is not below 0.
  void set_scaling(double by_shift, double by_factor);
};

/// Row i: values x at `scaled` + i * stride, or values v at `raw` + i * stride.
struct CurveRows {
  const double* scaled = nullptr;
  const float* raw = nullptr;
  std::size_t stride = 0;
  std::span<const float> upcoming = {};  // what will be read after them, if known, to be fetched meanwhile
};

/// scores[i] += sum over columns j of the value of tables[j] at row i, in the order of the columns. Without `gaps`, no
/// value is NaN.
void add_curves(std::span<const CurveTable> tables, const CurveRows& rows, std::span<double> scores, bool gaps,
                SimdLevel level_of_cpu = simd_level());

}  // namespace dorm
