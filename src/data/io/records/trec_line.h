// SPDX-License-Identifier: Apache-2.0
// One line of TREC's formats: words separated by blanks. Lines that begin with # are comments.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/number.h"
#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {

struct TrecWord {
  std::string_view text;
  std::uint64_t column = 0;
};

/// A line of a file, for messages about it; LineReader does as well.
struct LineOfFile {
  std::string_view name;
  std::uint64_t number;

  Error error(std::uint64_t column, const std::string& message) const {
    return {ErrorCode::bad_input, {std::string(name), number, column}, message};
  }
};

/// Words of a line past those of its layout.
enum class Surplus { refused, ignored };

constexpr bool is_trec_blank(char c) { return c == ' ' || c == '\t'; }

/// Splits a line into N words; false for a blank line or a comment. `place.error(column, message)` makes what is
/// thrown.
template <std::size_t N, class Place>
bool split_trec_line(const Place& place, std::string_view line, std::string_view layout, Surplus surplus,
                     std::array<TrecWord, N>& words) {
  if (line.starts_with('#')) return false;
  std::size_t count = 0, at = 0;
  for (;;) {
    while (at < line.size() && is_trec_blank(line[at])) ++at;
    if (at == line.size()) break;
    std::size_t end = at;
    while (end < line.size() && !is_trec_blank(line[end])) ++end;
    if (count == N && surplus == Surplus::ignored) return true;
    if (count == N)
      throw place.error(at + 1, fmt::format("found {}; expected the end of the line after '{}'",
                                            in_quotes(line.substr(at, end - at)), layout));
    words[count++] = {line.substr(at, end - at), at + 1};
    at = end;
  }
  if (count != 0 && count != N)
    throw place.error(line.size() + 1, fmt::format("found {} words; expected {}: '{}'", count, N, layout));
  return count != 0;
}

template <class Place>
double finite_trec_number(const Place& place, const TrecWord& word, std::string_view what) {
  double value = 0;
  if (parse_number(word.text, value) != NumberKind::finite)
    throw place.error(word.column, fmt::format("found {}; expected a finite number as {}", in_quotes(word.text), what));
  return value;
}

}  // namespace dorm
