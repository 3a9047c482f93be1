// SPDX-License-Identifier: Apache-2.0
// Decimal numbers from text, correctly rounded: one pass over the bytes for the short numbers that fill data files, the
// standard library for the rest. Never depends on the locale. (fast_float in its place takes 1.4 times as long to read
// LETOR text: docs/benchmarks-archive.md.)
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dorm {

enum class NumberKind {
  finite,
  not_finite,  // nan, inf, or beyond the range of double
  malformed,
};

/// The bytes that must be readable past the '\n' which ends a text, for parse_number below.
inline constexpr std::size_t kTextPadding = 16;

inline constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Past this, a double rounds to an infinite float.
inline constexpr double kFloatLimit = 0x1.ffffffp127;
inline constexpr bool fits_float(double x) { return x < kFloatLimit && x > -kFloatLimit; }

/// The whole of `text` as one number: [+-] digits [. digits] [e [+-] digits], or nan, inf, infinity in any case.
NumberKind parse_number(std::string_view text, double& value);

/// Whether `text` is one finite number.
inline bool is_number(std::string_view text) {
  double value = 0;
  return parse_number(text, value) == NumberKind::finite;
}

namespace detail {

inline constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::array<std::uint64_t, 9> kIntegerPowersOfTen = {1,      10,      100,      1000,     10000,
                                                                     100000, 1000000, 10000000, 100000000};

/// Eight characters as eight byte values 0..9, the first character in the lowest byte; other characters
/// become larger values.
inline std::uint64_t load_digits(const char* p) {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
  return x ^ 0x3030303030303030u;
}

/// How many of the bytes, from the lowest, are digits. A carry out of a byte touches only bytes above the first
/// non-digit, which are not looked at.
inline unsigned count_digits(std::uint64_t digits) {
  const std::uint64_t other = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
  return other == 0 ? 8 : static_cast<unsigned>(std::countr_zero(other)) / 8;
}

/// Eight digit values, most significant in the lowest byte, as a number: pairs, then quadruples, then all.
inline std::uint64_t join_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  const std::uint64_t low = (digits & 0x000000FF000000FFu) * 0x000F424000000064u;
  const std::uint64_t high = ((digits >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u;
  return (low + high) >> 32;
}

/// The general case: finds the end of the token that begins at p, parses it and moves p past it.
NumberKind parse_number_slowly(const char*& p, double& value);

}  // namespace detail

/// The number at p, where it is [+-] digits [. digits] and short, as nearly all are: true, and p stands behind it. The
/// text ends in a character that no number has, with kTextPadding readable bytes behind it.
inline bool parse_plain_number(const char*& p, double& value) {
  const char* q = p;
  const bool negative = *q == '-';
  if (negative || *q == '+') ++q;
  const char* const digits = q;
  std::uint64_t mantissa = 0;
  while (is_digit(*q)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*q++ - '0');
  std::size_t count = static_cast<std::size_t>(q - digits);
  std::size_t decimals = 0;
  if (*q == '.') {
    const char* const fraction = ++q;
    for (;;) {
      const std::uint64_t eight = detail::load_digits(q);
      const unsigned n = detail::count_digits(eight);
      if (n == 0) break;
      mantissa = mantissa * detail::kIntegerPowersOfTen[n] + detail::join_digits(eight << (64 - 8 * n));
      q += n;
      if (n < 8) break;
    }
    decimals = static_cast<std::size_t>(q - fraction);
    count += decimals;
  }
  // Up to 19 digits fit 64 bits; a mantissa below 2^53 and a power of ten up to 10^22 are exact doubles, so the one
  // division rounds correctly.
  if (count == 0 || count > 19 || mantissa > (std::uint64_t{1} << 53) || (*q | 0x20) == 'e') return false;
  const double magnitude = static_cast<double>(mantissa) / detail::kPowersOfTen[decimals];
  value = negative ? -magnitude : magnitude;
  p = q;
  return true;
}

/// The number at p, which must stand in a text that ends in '\n' with kTextPadding readable bytes behind it. Moves p
/// past the number, which the caller must then find properly delimited; malformed leaves p as it was.
inline NumberKind parse_number(const char*& p, double& value) {
  return parse_plain_number(p, value) ? NumberKind::finite : detail::parse_number_slowly(p, value);
}

}  // namespace dorm
