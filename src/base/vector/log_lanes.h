// SPDX-License-Identifier: Apache-2.0
// log(1 + u) of vectors, u >= 0 and finite, by arithmetic that every instruction set rounds alike.
//
// 1 + u = 2^k (1 + f) with 1 + f in [1/sqrt 2, sqrt 2); where k = 0, f is u itself, so that small u keep all their
// digits. Elsewhere the rounding of 1 + u is one of the relative error of the result.
#pragma once

#include "base/vector/lanes_of.h"

namespace dorm {

/// Relative error below 2.5e-7, twice the spacing of floats. log(1 + f) = f + f^2 P(f), P a minimax polynomial.
template <std::size_t N>
[[gnu::always_inline]] inline void log1p_floats(const typename LanesOf<N>::Floats& u,
                                                typename LanesOf<N>::Floats& out) {
  using Floats = typename LanesOf<N>::Floats;
  using Integers = typename LanesOf<N>::Integers;
  constexpr std::int32_t kRootOfHalf = 0x3f3504f3;
  constexpr float kLn2 = 0.693147181f;
  const Floats sum = 1.0f + u;
  const Integers bits = reinterpret_cast<Integers>(sum);
  const Integers exponent = (bits - kRootOfHalf) >> 23;
  const Floats reduced = reinterpret_cast<Floats>(bits - (exponent << 23)) - 1.0f;
  const Floats f = exponent == 0 ? u : reduced;
  Floats p = 0.08734841f * f - 0.14307521f;
  p = p * f + 0.14917974f;
  p = p * f - 0.16570508f;
  p = p * f + 0.19962072f;
  p = p * f - 0.25001755f;
  p = p * f + 0.3333395f;
  p = p * f - 0.4999999f;
  out = (f + (f * f) * p) + __builtin_convertvector(exponent, Floats) * kLn2;
}

/// Relative error below 2e-16, less than a unit of the last place. log(1 + f) = f - s (f - s^2 Q(s^2)) with s = f / (2
/// + f), Q a minimax polynomial; log 2 is in two parts, of which the first times k is exact.
template <std::size_t N>
[[gnu::always_inline]] inline void log1p_doubles(const typename LanesOf<N>::Doubles& u,
                                                 typename LanesOf<N>::Doubles& out) {
  using Doubles = typename LanesOf<N>::Doubles;
  using Words = typename LanesOf<N>::LongWords;
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdu;
  constexpr std::uint64_t kWhole = 0x4330000000000000u;  // the bits of 2^52, the spacing there being 1
  constexpr double kLn2 = 0.6931471803691238, kLn2Rest = 1.9082149292705877e-10;
  const Doubles sum = 1.0 + u;
  const Words bits = reinterpret_cast<Words>(sum);
  const Words exponent = (bits - kRootOfHalf) >> 52;
  const Doubles reduced = reinterpret_cast<Doubles>(bits - (exponent << 52)) - 1.0;
  const Doubles f = sum < 1.4142135623730950 ? u : reduced;
  const Doubles s = f / (2.0 + f), z = s * s;
  Doubles q = 0.14795949700582858 * z + 0.15314050552112712;
  q = q * z + 0.18183564326119675;
  q = q * z + 0.22222198573184523;
  q = q * z + 0.2857142874238762;
  q = q * z + 0.39999999999414676;
  q = q * z + 0.6666666666666734;
  const Doubles k = reinterpret_cast<Doubles>(exponent | kWhole) - 4503599627370496.0;
  out = k * kLn2 + (f - (s * (f - z * q) - k * kLn2Rest));
}

/// sign(x) log(1 + |x|) in place of x.
template <std::size_t N>
[[gnu::always_inline]] inline void signed_log1p_doubles(typename LanesOf<N>::Doubles& x) {
  using Doubles = typename LanesOf<N>::Doubles;
  using Words = typename LanesOf<N>::LongWords;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const Words bits = reinterpret_cast<Words>(x);
  log1p_doubles<N>(reinterpret_cast<Doubles>(bits & ~kSign), x);
  x = reinterpret_cast<Doubles>(reinterpret_cast<Words>(x) | (bits & kSign));
}

}  // namespace dorm
