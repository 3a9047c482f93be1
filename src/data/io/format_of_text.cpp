// SPDX-License-Identifier: Apache-2.0
// By the first line that is neither blank nor a comment: JSON, a row of LETOR, or names between separators.
#include <algorithm>
#include <array>

#include "base/number.h"
#include "data/io/files/line_reader.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/table_cell.h"

namespace dorm {
namespace {

/// A label, a query or a feature.
bool begins_a_row(std::string_view word) {
  return word.starts_with("qid:") || is_number(word.substr(0, word.find(':')));
}

/// Walks over the members of the object that a text begins with, as far as the text goes: visit(key, first character of
/// the value) until it says true. What stands within values is passed over.
template <class Visit>
bool any_member(std::string_view text, const Visit& visit) {
  std::size_t depth = 0, key = 0, key_end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t begin = i + 1;
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
      if (depth == 1) key = begin, key_end = i;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth-- <= 1) return false;
    } else if (c == ':' && depth == 1) {
      const std::size_t value = std::min(text.find_first_not_of(" \t\r\n", i + 1), text.size());
      if (value < text.size() && visit(text.substr(key, key_end - key), text[value])) return true;
    }
  }
  return false;
}

/// Judged documents have none of these members.
bool is_answer(std::string_view text) {
  return any_member(text, [](std::string_view key, char value) {
    constexpr std::array<std::string_view, 5> kObjects = {"hits", "response", "responseHeader", "_shards", "error"};
    if (value == '[') return key == "responses";
    return value == '{' && std::find(kObjects.begin(), kObjects.end(), key) != kObjects.end();
  });
}

}  // namespace

std::string_view first_line_of(std::string_view text) {
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

DataFormat format_of_text(std::string_view text) {
  const std::string_view line = first_line_of(text);
  if (line.starts_with('{') || line.starts_with('[')) {
    std::string_view object = text.substr(static_cast<std::size_t>(line.data() - text.data()));
    object.remove_prefix(std::min(object.find('{'), object.size()));
    return is_answer(object) ? DataFormat::log : DataFormat::jsonl;
  }
  if (line.empty() || begins_a_row(line.substr(0, line.find_first_of(kBlanks)))) return DataFormat::letor;
  if (line.find_first_of(",;|") != std::string_view::npos) return DataFormat::csv;
  return line.find('\t') != std::string_view::npos ? DataFormat::tsv : DataFormat::letor;
}

}  // namespace dorm
