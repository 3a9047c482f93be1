// SPDX-License-Identifier: Apache-2.0
// TREC relevance judgments: words separated by blanks, one judgment per line. They may also be a table, or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/line_reader.h"
#include "data/io/files/peeked_text.h"
#include "data/io/records/judgment_table.h"
#include "data/io/records/nested_numbers.h"
#include "data/io/records/trec_line.h"
#include "dorm/read.h"

namespace dorm {
namespace {

float relevance_of(const LineReader& reader, const TrecWord& word) {
  const double label = finite_trec_number(reader, word, "relevance");
  if (!fits_float(label))
    throw reader.error(word.column,
                       fmt::format("found {}; expected a number within the range of float32", in_quotes(word.text)));
  return static_cast<float>(label);
}

/// Room for as many entries as the whole file has if it is like its first chunk: growing would move them many times.
template <class Entry>
void reserve_like_first_chunk(std::vector<Entry>& entries, std::uint64_t chunk, std::uint64_t total) {
  constexpr double kSpare = 1.03;
  const double files = static_cast<double>(total) / static_cast<double>(chunk);
  entries.reserve(static_cast<std::size_t>(kSpare * files * static_cast<double>(entries.size())));
}

/// One entry per line of N words, made by make(reader, words); `expected` says what is missing in a file
/// without entries.
template <std::size_t N, class Make>
auto entries_from(TextSource& source, const std::string& name, std::string_view layout, std::string_view expected,
                  Make make) {
  LineReader reader(source, name);
  std::string_view line;
  std::array<TrecWord, N> words;
  std::vector<std::invoke_result_t<Make, const LineReader&, const std::array<TrecWord, N>&>> entries;
  std::uint64_t first_chunk = 0;  // its bytes
  bool reserved = false;
  while (reader.next(line)) {
    if (first_chunk == 0) first_chunk = reader.done_bytes();
    if (!reserved && reader.done_bytes() > first_chunk) {
      reserve_like_first_chunk(entries, first_chunk, source.total_bytes());
      reserved = true;
    }
    if (split_trec_line(reader, line, layout, Surplus::refused, words)) entries.push_back(make(reader, words));
  }
  if (entries.empty())
    throw Error(ErrorCode::bad_input, {name, 0, 0}, fmt::format("no {}; expected lines of '{}'", expected, layout));
  return entries;
}

std::vector<Judgment> qrels_from(std::unique_ptr<TextSource> given, const std::string& name, const ColumnRoles& roles) {
  PeekedText source(std::move(given));
  if (is_judgment_table(source.first(), name, roles)) return judgment_table_from(source, name, roles);
  return entries_from<4>(
      source, name, "qid iteration docid relevance", "judgments",
      [](const LineReader& reader, const std::array<TrecWord, 4>& words) {
        return Judgment{std::string(words[0].text), std::string(words[2].text), relevance_of(reader, words[3])};
      });
}

std::vector<SubtopicJudgment> subtopics_from(TextSource& source, const std::string& name) {
  return entries_from<4>(source, name, "qid subtopic docid relevance", "judgments",
                         [](const LineReader& reader, const std::array<TrecWord, 4>& words) {
                           return SubtopicJudgment{std::string(words[0].text), std::string(words[1].text),
                                                   std::string(words[2].text), relevance_of(reader, words[3])};
                         });
}

std::vector<Judgment> qrels_from_json(std::string_view text, const std::string& name) {
  std::vector<Judgment> judgments;
  for_each_nested_number(
      text, name, "a number within the range of float32 as relevance",
      [&](const std::string& query, const std::string& document, double label) {
        if (!fits_float(label))
          throw Error(ErrorCode::bad_input, {name},
                      fmt::format("query {}, document {}: found {}; expected a number within the range of float32",
                                  in_quotes(query), in_quotes(document), label));
        judgments.push_back({query, document, static_cast<float>(label)});
      });
  if (judgments.empty()) throw Error(ErrorCode::bad_input, {name}, "no judgments");
  return judgments;
}

}  // namespace

std::vector<Judgment> read_qrels(const std::string& path, const ColumnRoles& roles) {
  if (is_nested_numbers_file(path)) return qrels_from_json(text_of_file(path), path);
  return qrels_from(open_text(path), path, roles);
}
std::vector<Judgment> parse_qrels(std::string_view text, const std::string& name, const ColumnRoles& roles) {
  if (begins_as_numbers(text)) return qrels_from_json(text, name);
  return qrels_from(text_in_memory(text), name, roles);
}

std::vector<SubtopicJudgment> read_subtopics(const std::string& path) { return subtopics_from(*open_text(path), path); }
std::vector<SubtopicJudgment> parse_subtopics(std::string_view text, const std::string& name) {
  return subtopics_from(*text_in_memory(text), name);
}

}  // namespace dorm
