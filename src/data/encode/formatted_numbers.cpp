// SPDX-License-Identifier: Apache-2.0
#include "data/encode/formatted_numbers.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/number.h"

namespace dorm {
namespace {

bool same_letters(std::string_view text, std::string_view word) {
  const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [&](char a, char b) { return low(a) == b; });
}

template <std::size_t n>
bool any_word(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return same_letters(text, word); });
}

constexpr std::array<std::string_view, 6> kYes = {"true", "yes", "t", "y", "on", "1"};
constexpr std::array<std::string_view, 6> kNo = {"false", "no", "f", "n", "off", "0"};

bool finite_float(std::string_view text, double& value) {
  return parse_number(text, value) == NumberKind::finite && fits_float(value);
}

std::string_view without_percent(std::string_view text) {
  if (text.empty() || text.back() != '%') return text;
  text.remove_suffix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The digits of [sign]ddd,ddd[decimal ...] without the separators, which are all one character of `separators`; false:
/// groups are not of three.
bool joined_groups(std::string_view text, std::string_view separators, char decimal, std::string& out) {
  out.clear();
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    if (text.front() == '-') out += '-';
    text.remove_prefix(1);
  }
  const std::string_view whole = text.substr(0, text.find(decimal));
  char separator = 0;
  std::size_t run = 0;
  for (const char c : whole) {
    if (is_digit(c)) {
      out += c;
      ++run;
      continue;
    }
    if (separators.find(c) == std::string_view::npos || (separator != 0 && c != separator)) return false;
    if (run == 0 || run > 3 || (separator != 0 && run != 3)) return false;
    separator = c;
    run = 0;
  }
  if (separator != 0 && run != 3) return false;
  if (whole.size() < text.size()) out += '.', out += text.substr(whole.size() + 1);
  return true;
}

}  // namespace

bool parse_formatted(Encode rule, std::string_view text, double& value) {
  std::string digits;
  switch (rule) {
    case Encode::percent:
      return finite_float(without_percent(text), value);
    case Encode::thousands:
      return joined_groups(text, ",' _", '.', digits) ? finite_float(digits, value) : finite_float(text, value);
    case Encode::decimal_comma:
      return joined_groups(without_percent(text), ".' _", ',', digits) && finite_float(digits, value);
    case Encode::boolean:
      value = any_word(text, kYes) ? 1 : 0;
      return value == 1 || any_word(text, kNo);
    default:
      return false;
  }
}

}  // namespace dorm
