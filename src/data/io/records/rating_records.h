// SPDX-License-Identifier: Apache-2.0
// Lines of cells whose separator is found on the first line: ratings, and the features of users and items.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/io/files/line_reader.h"

namespace dorm {

class RatingRecords {
 public:
  RatingRecords(TextSource& source, const std::string& name) : lines_(source, name) {}

  /// The next line that is not blank; false at the end. Cells of comma-separated files may stand in quotes; blanks
  /// around cells do not count. Throws Error(bad_input) for a quote that is not closed.
  bool next();

  const std::string& separator() const { return separator_; }  // ::, tab, |, comma, semicolon or blank
  const LineReader& lines() const { return lines_; }
  std::size_t size() const { return cells_.size(); }
  std::string_view operator[](std::size_t cell) const { return cells_[cell]; }
  /// About a cell of the line at hand; about its end when there is no such cell.
  Error error(std::size_t cell, const std::string& message) const;

 private:
  void split();
  std::size_t add_quoted(std::size_t at);

  LineReader lines_;
  std::string separator_;
  std::string_view line_;
  std::vector<std::string_view> cells_;
};

}  // namespace dorm
