// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/json_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "data/io/tables/table_cell.h"

namespace dorm {

bool JsonValues::find_begin(std::string_view expected) {
  rest_ = without_blanks(rest_);
  while (rest_.empty()) {
    if (!lines_.next(rest_)) return false;
    rest_ = without_blanks(rest_);
  }
  line_ = lines_.line_number();
  if (rest_.front() != '{' && rest_.front() != '[')
    throw lines_.error(0, fmt::format("found {}; expected {}", in_quotes(rest_), expected));
  return true;
}

bool JsonValues::take_line(std::string& text, std::string_view expected) {
  bool quoted = false;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const char c = rest_[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else
        quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      ++depth_;
    } else if ((c == ']' || c == '}') && --depth_ == 0) {
      text += rest_.substr(0, i + 1);
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  if (quoted) throw lines_.error(0, fmt::format("found a text that does not end on its line; expected {}", expected));
  text += rest_;
  text += '\n';
  if (text.size() > kLongestValue)
    throw Error(
        ErrorCode::bad_input, {lines_.name(), line_, 0},
        fmt::format("found JSON of more than {} MiB; expected shorter values, one after another", kLongestValue >> 20));
  return false;
}

bool JsonValues::next(std::string& text, std::string_view expected) {
  text.clear();
  depth_ = 0;
  if (!find_begin(expected)) return false;
  while (!take_line(text, expected))
    if (!lines_.next(rest_))
      throw Error(ErrorCode::bad_input, {lines_.name(), line_, 0},
                  fmt::format("the JSON that begins here does not end; expected {}", expected));
  return true;
}

}  // namespace dorm
