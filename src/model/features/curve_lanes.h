// SPDX-License-Identifier: Apache-2.0
// Small tables that are looked up for several documents at once: of up to twice as many slots as a register has lanes
// they stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vector/lanes_of.h"

namespace dorm {

inline constexpr std::size_t kLeastSlots = 8;  // of a table: what one register holds

template <std::size_t N>
struct CodeLanes {
  typedef std::int64_t Longs __attribute__((vector_size(N * sizeof(std::int64_t))));
};

/// How many registers a table of so many slots takes, 0 where it is left in memory.
template <std::size_t N>
constexpr std::size_t registers_of(std::size_t slots) {
#if defined(__x86_64__) && !defined(__clang__)
  if (N == kLeastSlots && slots <= 2 * N) return slots / N;
#endif
  return 0 * slots;
}

template <std::size_t N, std::size_t registers>
struct CodeTable {
  using Doubles = typename LanesOf<N>::Doubles;
  const double* from;
  Doubles low = {}, high = {};

  [[gnu::always_inline]] explicit CodeTable(const double* table) : from(table) {
    if constexpr (registers > 0) load_vector(table, low);
    if constexpr (registers > 1) load_vector(table + N, high);
  }
  [[gnu::always_inline]] void look_up(const typename CodeLanes<N>::Longs& index, Doubles& out) const {
#if defined(__x86_64__) && !defined(__clang__)
    if constexpr (registers == 1) {
      out = __builtin_shuffle(low, index);
      return;
    }
    if constexpr (registers == 2) {
      out = __builtin_shuffle(low, high, index);
      return;
    }
#endif
    for (std::size_t k = 0; k < N; ++k) out[k] = from[index[k]];
  }
};

}  // namespace dorm
