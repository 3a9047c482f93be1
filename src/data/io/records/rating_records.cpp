// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/rating_records.h"

#include <algorithm>

#include "data/io/files/line_reader.h"

namespace dorm {
namespace {

std::string_view trimmed(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(kBlanks), cell.size());
  return cell.substr(begin, cell.find_last_not_of(kBlanks) + 1 - begin);
}

std::string separator_of(std::string_view line) {
  for (const std::string_view candidate : {"::", "\t", "|", ",", ";"})
    if (line.find(candidate) != std::string_view::npos) return std::string(candidate);
  return " ";
}

}  // namespace

bool RatingRecords::next() {
  do {
    if (!lines_.next(line_)) return false;
  } while (trimmed(line_).empty());
  if (separator_.empty()) separator_ = separator_of(line_);
  split();
  return true;
}

// Blanks may come several at a time; of the other separators each one ends a cell.
void RatingRecords::split() {
  cells_.clear();
  const bool blanks = separator_ == " ";
  for (std::size_t at = 0;; at += separator_.size()) {
    if (blanks) at = std::min(line_.find_first_not_of(kBlanks, at), line_.size());
    if (separator_ == "," && at < line_.size() && line_[at] == '"') {
      at = add_quoted(at);
    } else {
      const std::size_t end =
          std::min(blanks ? line_.find_first_of(kBlanks, at) : line_.find(separator_, at), line_.size());
      if (!blanks || end > at) cells_.push_back(trimmed(line_.substr(at, end - at)));
      at = end;
    }
    if (at >= line_.size()) return;
  }
}

// Adds what stands between the quotes, where a doubled quote does not end the cell; returns where it ended.
std::size_t RatingRecords::add_quoted(std::size_t at) {
  for (std::size_t quote = line_.find('"', at + 1); quote != std::string_view::npos;
       quote = line_.find('"', quote + 2)) {
    if (quote + 1 < line_.size() && line_[quote + 1] == '"') continue;
    cells_.push_back(line_.substr(at + 1, quote - at - 1));
    return std::min(line_.find(separator_, quote), line_.size());
  }
  throw lines_.error(at + 1, "found a quote that is never closed; expected a second one on the line");
}

Error RatingRecords::error(std::size_t cell, const std::string& message) const {
  const std::size_t column =
      cell < cells_.size() ? static_cast<std::size_t>(cells_[cell].data() - line_.data()) : line_.size();
  return lines_.error(column + 1, message);
}

}  // namespace dorm
