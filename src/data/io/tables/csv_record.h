// SPDX-License-Identifier: Apache-2.0
// Records of separated values (RFC 4180): cells may be quoted, a doubled quote stands for one, and a quoted cell may
// hold separators and line ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/files/line_reader.h"

namespace dorm {

class CsvRecords {
 public:
  /// As separator: that of the first line, comma, semicolon, tab or bar, in this order.
  static constexpr char kBySight = '\0';

  CsvRecords(LineReader& lines, char separator) : lines_(lines), separator_(separator) {}

  /// The next record that is not a blank line; false at the end. Throws Error(bad_input) for a quote that is not closed
  /// or stands inside a cell.
  bool next();

  std::size_t size() const { return end_.size(); }
  std::string_view operator[](std::size_t cell) const {
    const std::size_t begin = cell == 0 ? 0 : end_[cell - 1];
    return std::string_view(text_).substr(begin, end_[cell] - begin);
  }

  /// Where a cell begins.
  SourcePosition position(std::size_t cell) const { return {lines_.name(), at_[cell].line, at_[cell].column}; }

  /// An Error about a cell of the record at hand, where it begins.
  Error error(std::size_t cell, const std::string& message) const;
  /// About the record as a whole.
  Error error(const std::string& message) const;

 private:
  void add_plain_cell(std::string_view line, std::size_t& at);
  void add_quoted_cell(std::string_view& line, std::size_t& at);

  LineReader& lines_;
  char separator_;
  std::string text_;                // the cells, unquoted, one after another
  std::vector<std::size_t> end_;    // of each cell in text_
  std::vector<SourcePosition> at_;  // line and column of each cell; the file's name is left out
  std::uint64_t first_line_ = 0;
};

}  // namespace dorm
