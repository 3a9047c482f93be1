// SPDX-License-Identifier: Apache-2.0
// A piece of a TREC run, `qid Q0 docid rank score tag` per line: one pass over its bytes, eight at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// Views into the text.
struct ParsedRun {
  struct Group {  // consecutive lines of one query
    std::string_view query;
    std::size_t begin = 0;  // of its documents, up to those of the next group
  };
  std::vector<std::string_view> documents;
  std::vector<double> scores;
  std::vector<Group> groups;
  std::string_view tag;     // of the first line
  std::uint64_t lines = 0;  // those of a fault included
  bool fault = false;       // the last line is wrong:
  std::string faulty_line;

  std::size_t end_of(std::size_t group) const {
    return group + 1 < groups.size() ? groups[group + 1].begin : documents.size();
  }
};

/// Keeps its memory from piece to piece; one per thread.
class RunParser {
 public:
  /// `text` ends in '\n', kTextPadding readable bytes follow it. `at_start`: a byte order mark may stand first. Valid
  /// until the next call.
  const ParsedRun& parse(std::string_view text, bool at_start);

 private:
  bool parse_plain_line(const char*& p, const char* end);
  void parse_any_line(const char*& p, const char* end);
  void begin_group(std::string_view query);
  void add(std::string_view document, double score, std::string_view tag);

  ParsedRun run_;
};

/// Throws what is wrong with a line on which parse() has stopped.
[[noreturn]] void throw_fault_of_run(const std::string& name, std::uint64_t line_number, std::string_view line);

}  // namespace dorm
