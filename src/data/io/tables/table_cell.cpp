// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/table_cell.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "data/io/files/line_reader.h"

namespace dorm {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return lower(a) == b; });
}

template <std::size_t n>
bool one_of(std::string_view text, const std::array<std::string_view, n>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return same_word(text, word); });
}

constexpr std::array<std::string_view, 7> kMissingWords = {"na", "n/a", "#n/a", "<na>", "null", "none", "\\n"};

/// Digits in three groups with one of -./ between them, and nothing but a time behind.
bool is_date(std::string_view text) {
  const std::string_view day = text.substr(0, text.find_first_of(" T"));
  std::size_t separators = 0;
  bool digit_before = false;
  for (const char c : day) {
    const bool digit = is_digit(c);
    if (!digit && (!digit_before || (c != '-' && c != '.' && c != '/'))) return false;
    separators += !digit;
    digit_before = digit;
  }
  return separators == 2 && digit_before && day.size() >= 6;
}

bool has_commas(std::string_view text) {
  bool comma = false;
  for (const char c : text) {
    if (!is_digit(c) && std::string_view(",.'+- ").find(c) == std::string_view::npos) return false;
    comma |= c == ',' || c == '\'' || c == ' ';
  }
  return comma && is_digit(text.back());
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Cell parse_cell(std::string_view text, double& value) {
  text = without_blanks(text);
  if (text.empty()) return Cell::missing;
  const NumberKind kind = parse_number(text, value);
  if (kind == NumberKind::finite) return fits_float(value) ? Cell::number : Cell::too_large;
  if (kind == NumberKind::not_finite) return is_digit(text.back()) ? Cell::too_large : Cell::missing;
  if (same_word(text, "true") || same_word(text, "yes")) {
    value = 1;
    return Cell::number;
  }
  if (same_word(text, "false") || same_word(text, "no")) {
    value = 0;
    return Cell::number;
  }
  if (one_of(text, kMissingWords)) return Cell::missing;
  if (is_date(text)) return Cell::date;
  return has_commas(text) ? Cell::commas : Cell::text;
}

}  // namespace dorm
