// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/csv_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"

namespace dorm {

namespace {

char separator_seen_in(std::string_view line) {
  for (const char separator : {',', ';', '\t', '|'}) {
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == separator && !quoted) return separator;
    }
  }
  return ',';
}

}  // namespace

bool CsvRecords::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(' ') == std::string_view::npos);
  if (separator_ == kBySight) separator_ = separator_seen_in(line);
  text_.clear();
  end_.clear();
  at_.clear();
  first_line_ = lines_.line_number();
  for (std::size_t at = 0;; ++at) {
    at_.push_back({{}, lines_.line_number(), at + 1});
    if (at < line.size() && line[at] == '"')
      add_quoted_cell(line, at);
    else
      add_plain_cell(line, at);
    end_.push_back(text_.size());
    if (at == line.size()) return true;
  }
}

// Both leave `at` at the separator or the end of the line.
void CsvRecords::add_plain_cell(std::string_view line, std::size_t& at) {
  const std::size_t end = std::min(line.find(separator_, at), line.size());
  const std::string_view cell = line.substr(at, end - at);
  const std::size_t quote = cell.find('"');
  if (quote != std::string_view::npos)
    throw lines_.error(at + quote + 1, fmt::format("found a quote inside {}; expected the whole cell in quotes, "
                                                   "and quotes in it doubled",
                                                   in_quotes(cell)));
  text_ += cell;
  at = end;
}

void CsvRecords::add_quoted_cell(std::string_view& line, std::size_t& at) {
  const std::uint64_t opened = lines_.line_number();
  const std::size_t column = at + 1;
  for (++at;;) {
    const std::size_t quote = line.find('"', at);
    text_ += line.substr(at, quote - at);
    if (quote == std::string_view::npos) {
      text_ += lines_.line_end();
      at = 0;
      if (text_.size() > kLongestLine)
        throw Error(ErrorCode::bad_input, {lines_.name(), opened, column}, line_too_long());
      if (lines_.next(line)) continue;
      throw Error(ErrorCode::bad_input, {lines_.name(), opened, column},
                  "found a quote that is never closed; expected a second one");
    }
    at = quote + 1;
    if (at == line.size() || line[at] == separator_) return;
    if (line[at] != '"')
      throw lines_.error(
          at + 1, fmt::format("found {} after a closing quote; expected a separator", in_quotes(line.substr(at, 1))));
    text_ += '"';
    ++at;
  }
}

Error CsvRecords::error(std::size_t cell, const std::string& message) const {
  return {ErrorCode::bad_input, position(cell), message};
}

Error CsvRecords::error(const std::string& message) const {
  return {ErrorCode::bad_input, {lines_.name(), first_line_, 0}, message};
}

}  // namespace dorm
