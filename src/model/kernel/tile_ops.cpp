// SPDX-License-Identifier: Apache-2.0
// Written once over vectors of sixteen floats and compiled for each instruction set, without fused operations (see
// CMakeLists.txt).
#include "model/kernel/tile_ops.h"

#include <cstdint>
#include <cstring>

namespace dorm {
namespace {

using Floats = float __attribute__((vector_size(kPanel * sizeof(float))));
using Integers = std::int32_t __attribute__((vector_size(kPanel * sizeof(float))));

[[gnu::always_inline]] inline void load(const float* from, Floats& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void store(const Floats& from, float* to) { std::memcpy(to, &from, sizeof from); }

template <bool kDifference>
[[gnu::always_inline]] inline void sums(const float* const x[kRowsAtOnce], std::size_t columns, const float* panel,
                                        float* out) {
  Floats sum[kRowsAtOnce] = {}, y;
  for (std::size_t column = 0; column < columns; ++column) {
    load(panel + column * kPanel, y);
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
      if constexpr (kDifference) {
        const Floats difference = y - x[r][column];
        const Floats square = difference * difference;
        sum[r] += square;
      } else {
        const Floats product = y * x[r][column];
        sum[r] += product;
      }
    }
  }
  for (std::size_t r = 0; r < kRowsAtOnce; ++r) store(sum[r], out + r * kPanel);
}

// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2: ln 2 in two parts keeps r exact, a polynomial of degree 6 does the rest,
// and n goes straight into the exponent bits.
[[gnu::always_inline]] inline void decay_body(float scale, float* values, std::size_t count) {
  constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves a whole number in the low bits
  constexpr float kSmallest = -87.0f;    // exp of less is below the normal numbers
  for (std::size_t i = 0; i < count; i += kPanel) {
    Floats x;
    load(values + i, x);
    x = x * -scale;
    const Integers vanished = x < kSmallest;
    x = vanished ? Floats{} + kSmallest : x;
    const Floats whole = (x * kLog2E + kRound) - kRound;
    const Floats r = (x - whole * kLn2High) - whole * kLn2Low;
    Floats p = r * 1.3888889e-3f + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.0f;
    const Integers exponent = (__builtin_convertvector(whole, Integers) + 127) << 23;
    Floats power;
    std::memcpy(&power, &exponent, sizeof power);
    store(vanished ? Floats{} : p * power, values + i);
  }
}

constexpr TileOps ops_for(SimdLevel level) {
  return {compiled_for<sums<false>>(level), compiled_for<sums<true>>(level), compiled_for<decay_body>(level)};
}

constexpr TileOps kOps[] = {ops_for(SimdLevel::portable), ops_for(SimdLevel::avx2), ops_for(SimdLevel::avx512)};

}  // namespace

const TileOps& tile_ops(SimdLevel level) { return kOps[static_cast<std::size_t>(level)]; }

}  // namespace dorm
