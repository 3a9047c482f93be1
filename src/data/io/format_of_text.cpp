// SPDX-License-Identifier: Apache-2.0
// By the first line that is neither blank nor a comment: an object, a row of LETOR, or names between separators.
#include "base/number.h"
#include "data/io/line_reader.h"
#include "data/io/table_cell.h"
#include "data/io/text_formats.h"

namespace dorm {
namespace {

std::string_view first_line(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = without_blanks(line);
    if (!line.empty() && line.front() != '#') return line;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

/// A label, a query or a feature.
bool begins_a_row(std::string_view word) {
  return word.starts_with("qid:") || is_number(word.substr(0, word.find(':')));
}

}  // namespace

DataFormat format_of_text(std::string_view text) {
  const std::string_view line = first_line(text);
  if (line.starts_with('{')) return DataFormat::jsonl;
  if (line.empty() || begins_a_row(line.substr(0, line.find_first_of(kBlanks)))) return DataFormat::letor;
  if (line.find_first_of(",;|") != std::string_view::npos) return DataFormat::csv;
  return line.find('\t') != std::string_view::npos ? DataFormat::tsv : DataFormat::letor;
}

}  // namespace dorm
