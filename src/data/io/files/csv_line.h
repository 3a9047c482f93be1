// SPDX-License-Identifier: Apache-2.0
// A line of separated values on its way out, quoted where it would not be read back correctly otherwise.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string_view>

namespace dorm {

class CsvLine {
 public:
  CsvLine(std::ostream& out, char separator) : out_(out), separator_(separator) {}

  template <class Number>
  void add_number(Number value) {
    separate();
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }

  void add_text(std::string_view text) {
    separate();
    const bool plain =
        text.find_first_of("\"\n\r") == std::string_view::npos && text.find(separator_) == std::string_view::npos;
    if (!plain) line_.push_back('"');
    for (char c : text) {
      if (c == '"') line_.push_back('"');
      line_.push_back(c);
    }
    if (!plain) line_.push_back('"');
  }

  void end() {
    line_.push_back('\n');
    out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
    begun_ = false;
  }

 private:
  void separate() {
    if (begun_) line_.push_back(separator_);
    begun_ = true;
  }

  std::ostream& out_;
  char separator_;
  bool begun_ = false;
  fmt::memory_buffer line_;
};

}  // namespace dorm
