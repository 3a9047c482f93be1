// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace dorm {
namespace {

bool equals_lowercase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<char>(text[i] | 0x20) != lower[i]) return false;
  return true;
}

// Whether digits [. digits] [e exponent], known to lie outside the range of double, lies above it: compares the decimal
// exponent of the leading digit with 0, the exponent part saturating.
bool is_huge(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view tail = number.substr(e + 1);
    const bool negative = tail.starts_with('-');
    if (negative || tail.starts_with('+')) tail.remove_prefix(1);
    for (char c : tail)
      if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (c - '0');
    if (negative) exponent = -exponent;
  }
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading) + exponent > 0;
}

}  // namespace

NumberKind parse_number(std::string_view text, double& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (equals_lowercase(text, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
    return NumberKind::not_finite;
  }
  const double infinite = std::numeric_limits<double>::infinity();
  if (equals_lowercase(text, "inf") || equals_lowercase(text, "infinity")) {
    value = negative ? -infinite : infinite;
    return NumberKind::not_finite;
  }
  if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) return NumberKind::malformed;
  const char* const end = text.data() + text.size();
  double magnitude = 0;
  const std::from_chars_result result = std::from_chars(text.data(), end, magnitude);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return NumberKind::malformed;
  const bool huge = result.ec == std::errc::result_out_of_range && is_huge(text);
  if (huge) magnitude = infinite;
  value = negative ? -magnitude : magnitude;
  return huge ? NumberKind::not_finite : NumberKind::finite;
}

NumberKind detail::parse_number_slowly(const char*& p, double& value) {
  const auto in_token = [](char c) {
    return is_digit(c) || c == '.' || c == '+' || c == '-' ||
           (static_cast<char>(c | 0x20) >= 'a' && static_cast<char>(c | 0x20) <= 'z');
  };
  const char* end = p;
  while (in_token(*end)) ++end;
  const NumberKind kind = parse_number(std::string_view(p, static_cast<std::size_t>(end - p)), value);
  if (kind != NumberKind::malformed) p = end;
  return kind;
}

}  // namespace dorm
