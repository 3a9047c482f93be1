// SPDX-License-Identifier: Apache-2.0
// Documents by descending score, equal scores by index: the one order every part of the library uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector/cpu.h"

namespace dorm {

/// Scratch of sort_descending; grows to the longest list seen and is then reused.
struct SortWorkspace {
  struct Item {
    double score;
    std::uint32_t index;
  };
  std::vector<Item> items;
  std::vector<std::uint32_t> start;
};

/// order[r] = index of the r-th largest score; equal scores (0 and -0 are equal) by index. Scores must not be NaN. In
/// short lists positions are counted in vector registers, O(l^2 / 8); longer ones go through buckets, O(l) expected and
/// O(l log l) at worst. Every level gives the same order.
void sort_descending(std::span<const double> scores, std::span<std::uint32_t> order, SortWorkspace& work,
                     SimdLevel level = simd_level());

}  // namespace dorm
