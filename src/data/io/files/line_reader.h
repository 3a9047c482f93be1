// SPDX-License-Identifier: Apache-2.0
// Text line by line, for the formats that need no more speed than that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/io/files/text_source.h"
#include "dorm/error.h"

namespace dorm {

/// What separates words on a line.
inline constexpr std::string_view kBlanks = " \t";

class LineReader {
 public:
  LineReader(TextSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// The next line without its end ("\n" or "\r\n") and without a byte order mark at the start of the file; false at
  /// the end. Valid until the next call. Throws Error(bad_input) for a line with a NUL byte.
  bool next(std::string_view& line);

  /// How the line at hand ended.
  std::string_view line_end() const { return carriage_return_ ? "\r\n" : "\n"; }

  std::uint64_t line_number() const { return line_number_; }
  std::uint64_t done_bytes() const { return chunk_.done_bytes; }  // of the source, in whole chunks
  const std::string& name() const { return name_; }

  /// An Error about the line at hand; `column` counts from 1.
  Error error(std::uint64_t column, const std::string& message) const {
    return {ErrorCode::bad_input, {name_, line_number_, column}, message};
  }

 private:
  TextSource& source_;
  std::string name_;
  TextChunk chunk_;
  std::size_t at_ = 0;
  std::uint64_t line_number_ = 0;
  bool carriage_return_ = false;
};

}  // namespace dorm
