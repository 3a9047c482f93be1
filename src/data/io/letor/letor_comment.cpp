// SPDX-License-Identifier: Apache-2.0
#include "data/io/letor/letor_comment.h"

#include <algorithm>

#include "data/io/files/line_reader.h"

namespace dorm {
namespace {

std::string_view without_leading_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

std::string_view first_word(std::string_view text) {
  text = without_leading_blanks(text);
  return text.substr(0, text.find_first_of(kBlanks));
}

// The word after `key =`, where key begins a word.
std::string_view value_of(std::string_view comment, std::string_view key) {
  for (std::size_t at = comment.find(key); at != std::string_view::npos; at = comment.find(key, at + 1)) {
    if (at > 0 && kBlanks.find(comment[at - 1]) == std::string_view::npos) continue;
    const std::string_view rest = without_leading_blanks(comment.substr(at + key.size()));
    if (rest.starts_with('=')) return first_word(rest.substr(1));
  }
  return {};
}

}  // namespace

CommentNames names_in_comment(std::string_view comment) {
  CommentNames names{value_of(comment, "docid"), value_of(comment, "group")};
  if (names.document.empty()) {
    const std::string_view word = first_word(comment);
    const bool is_group_key = !names.group.empty() && (word == "group" || word.starts_with("group="));
    if (!is_group_key) names.document = word;
  }
  return names;
}

}  // namespace dorm
