// SPDX-License-Identifier: Apache-2.0
#include "options/config_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "dorm/error.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// One line, read from the left.
class ConfigLine {
 public:
  ConfigLine(std::string_view text, const std::string& file, std::size_t number)
      : text_(text), file_(file), number_(number) {
    skip_blanks();
  }

  bool at_end() const { return text_.empty() || text_.front() == '#'; }
  bool takes(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  /// Up to one of `ends`, a blank or a comment.
  std::string word(std::string_view ends, const char* expected) {
    const std::string stops = std::string(kBlanks) + "#" + std::string(ends);
    std::string found(text_.substr(0, text_.find_first_of(stops)));
    if (found.empty()) refuse(expected);
    text_.remove_prefix(found.size());
    skip_blanks();
    return found;
  }

  std::string value(std::string_view ends) {
    if (text_.empty() || (text_.front() != '"' && text_.front() != '\'')) return word(ends, "a value");
    const char quote = text_.front();
    std::string found;
    std::size_t k = 1;
    for (; k < text_.size() && text_[k] != quote; ++k) {
      if (quote == '"' && text_[k] == '\\' && k + 1 < text_.size()) ++k;
      found += text_[k];
    }
    if (k >= text_.size()) refuse(quote == '"' ? "a closing \"" : "a closing '");
    text_.remove_prefix(k + 1);
    skip_blanks();
    return found;
  }

  void end() {
    if (!at_end()) refuse("the end of the line");
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ErrorCode::bad_input, {file_, number_},
                fmt::format("found {}; expected {}",
                            text_.empty() ? "the end of the line" : fmt::format("\"{}\"", text_), expected));
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size())); }

  std::string_view text_;
  const std::string& file_;
  std::size_t number_;
};

std::vector<std::string> values_of(ConfigLine& line) {
  if (!line.takes('[')) return {line.value("")};
  std::vector<std::string> values;
  while (!line.takes(']')) {
    values.push_back(line.value(",]"));
    if (line.takes(',')) continue;
    if (!line.takes(']')) line.refuse(", or ]");
    break;
  }
  return values;
}

}  // namespace

std::vector<ConfigEntry> read_config(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw Error(ErrorCode::io, SourcePosition{.file = path},
                fmt::format("cannot open ({})", std::generic_category().message(errno)));
  std::vector<ConfigEntry> entries;
  std::string section, text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    ConfigLine line(text, path, number);
    if (line.at_end()) continue;
    if (line.takes('[')) {
      section = line.word("]", "the name of a command");
      if (!line.takes(']')) line.refuse("]");
    } else {
      ConfigEntry entry{section, line.word("=", "the name of an option"), {}, number};
      if (!line.takes('=')) line.refuse("=");
      entry.values = values_of(line);
      entries.push_back(std::move(entry));
    }
    line.end();
  }
  return entries;
}

}  // namespace dorm::cli
