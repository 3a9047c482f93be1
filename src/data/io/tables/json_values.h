// SPDX-License-Identifier: Apache-2.0
// The JSON values of a text, one after another, each on one line or on many: JSON lines, and what was written for
// people to read, also appended to what was there before.
#pragma once

#include <string>
#include <string_view>

#include "data/io/files/line_reader.h"

namespace dorm {

/// A value is held whole, so that there must be a limit, as for lines.
inline constexpr std::size_t kLongestValue = std::size_t{1} << 28;

class JsonValues {
 public:
  explicit JsonValues(LineReader& lines) : lines_(lines) {}

  /// The text of the next object or list; false at the end. Where it ends is known by its brackets alone. Throws
  /// Error(bad_input), with `expected`, for anything else, and for a value that does not end.
  bool next(std::string& text, std::string_view expected);

  std::uint64_t line() const { return line_; }  // where that text begins

 private:
  bool find_begin(std::string_view expected);
  /// Up to the end of the value or of the line; whether the value has ended.
  bool take_line(std::string& text, std::string_view expected);

  LineReader& lines_;
  std::string_view rest_;  // of the line at hand
  std::uint64_t line_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace dorm
