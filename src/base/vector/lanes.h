// SPDX-License-Identifier: Apache-2.0
// Eight doubles at a time, in the compilers' own vector type: one source for every instruction set. Kernels are
// always_inline templates over raw pointers, wrapped once per target attribute and chosen at run time.
#pragma once

#include <cstddef>
#include <cstring>

namespace dorm {

inline constexpr std::size_t kLanes = 8;
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));

[[gnu::always_inline]] inline void load_lanes(const double* from, Lanes& x) { std::memcpy(&x, from, sizeof x); }
[[gnu::always_inline]] inline void store_lanes(const Lanes& x, double* to) { std::memcpy(to, &x, sizeof x); }

}  // namespace dorm
