// SPDX-License-Identifier: Apache-2.0
// Lanes as wide as the kernel that uses them wants: what is done to columns side by side gives the same bits whatever
// the width, so each instruction set takes its own. (Comparisons of vectors wider than the registers are slow.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dorm {

template <std::size_t N>
struct LanesOf {
  typedef float Floats __attribute__((vector_size(N * sizeof(float))));
  typedef std::int32_t Integers __attribute__((vector_size(N * sizeof(std::int32_t))));
  typedef std::uint32_t Words __attribute__((vector_size(N * sizeof(std::uint32_t))));
  typedef double Doubles __attribute__((vector_size(N * sizeof(double))));
  typedef std::uint64_t LongWords __attribute__((vector_size(N * sizeof(std::uint64_t))));
};

template <class T, class V>
[[gnu::always_inline]] inline void load_vector(const T* from, V& to) {
  std::memcpy(&to, from, sizeof to);
}
template <class T, class V>
[[gnu::always_inline]] inline void store_vector(const V& from, T* to) {
  std::memcpy(to, &from, sizeof from);
}

}  // namespace dorm
