// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of the generator, from +, -, *, / and sqrt alone. IEEE arithmetic rounds those exactly, so
// the results are the same bits everywhere; the exp and log of a C library are not. The sources that use it are
// compiled with contraction off, as a fused multiply-add would round differently.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/rng.h"

namespace dorm {

/// 2^x for |x| <= 1000: Taylor polynomial on [-1/2, 1/2], relative error below 1e-9.
inline double exact_exp2(double x) {
  const double whole = std::floor(x + 0.5);
  const double t = (x - whole) * 0.6931471805599453;  // 2^f = e^t, |t| <= 0.35
  double sum = 1.0 / 40320;
  for (const double c : {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0}) sum = sum * t + c;
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023);
  return sum * std::bit_cast<double>(exponent << 52);
}

/// Mean 0, variance 1, close to normal: the sum of eight uniforms of 16 bits, within +-4.9.
inline double near_normal(Rng& rng) {
  std::int64_t sum = 0;
  for (int draw = 0; draw < 2; ++draw) {
    const std::uint64_t bits = rng.next();
    for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int64_t>((bits >> shift) & 0xFFFF);
  }
  constexpr double kScale = 0x1p-16 * 1.2247448713915890;  // a uniform on [0, 1) has variance 1/12; 8/12 in all
  return static_cast<double>(sum - 8 * 0x8000 + 4) * kScale;
}

/// To at most four significant decimals, and at most four after the point, so that text stays short.
inline float round_decimals(double x) {
  const double size = std::fabs(x);
  if (size >= 1e4) {
    double unit = 10;
    while (size >= 1e4 * unit) unit *= 10;
    return static_cast<float>(std::floor(x / unit + 0.5) * unit);
  }
  const double unit = size < 1 ? 1e4 : size < 10 ? 1e3 : size < 100 ? 1e2 : size < 1000 ? 1e1 : 1;
  return static_cast<float>(std::floor(x * unit + 0.5) / unit);
}

/// A generator of its own for each (seed, stream, index), so that pieces can be made in any order.
inline Rng derived_rng(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t mixed = Rng(seed ^ (stream * 0xA0761D6478BD642Fu)).next();
  return Rng(Rng(mixed ^ index).next());
}

}  // namespace dorm
