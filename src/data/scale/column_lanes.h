// SPDX-License-Identifier: Apache-2.0
// Columns of dense rows that go side by side through the lanes of vectors.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/vector/lanes_of.h"

namespace dorm {

template <class Vector>
[[gnu::always_inline]] inline void lesser(const Vector& x, Vector& least) {
  least = x < least ? x : least;
}
template <class Vector>
[[gnu::always_inline]] inline void greater(const Vector& x, Vector& most) {
  most = x > most ? x : most;
}

/// As many of them as there are; the other lanes are 0.
template <class T, class Vector>
[[gnu::always_inline]] inline void load_some(const T* from, std::size_t count, Vector& to) {
  if (count * sizeof(T) >= sizeof to) {
    load_vector(from, to);
  } else {
    to = Vector{};
    std::memcpy(&to, from, count * sizeof(T));
  }
}

template <class T, class Vector>
[[gnu::always_inline]] inline void store_some(const Vector& from, std::size_t count, T* to) {
  if (count * sizeof(T) >= sizeof from)
    store_vector(from, to);
  else
    std::memcpy(to, &from, count * sizeof(T));
}

/// The least and the largest value of `count` columns; there is a row.
template <std::size_t N>
[[gnu::always_inline]] inline void find_range(const float* x, std::size_t rows, std::size_t stride, std::size_t count,
                                              typename LanesOf<N>::Floats& low, typename LanesOf<N>::Floats& high) {
  typename LanesOf<N>::Floats value;
  load_some(x, count, low);
  high = low;
  for (std::size_t i = 1; i < rows; ++i) {
    load_some(x + i * stride, count, value);
    lesser(value, low);
    greater(value, high);
  }
}

}  // namespace dorm
