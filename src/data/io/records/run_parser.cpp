// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/run_parser.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/number.h"
#include "data/io/records/trec_line.h"

namespace dorm {
namespace {

constexpr std::string_view kRunLayout = "qid Q0 docid rank score tag";
constexpr std::string_view kMarkOfRuns = "\xEF\xBB\xBF";

/// The first byte up to ' ' from p on; there is one. Reads up to seven bytes past it.
inline const char* end_of_word(const char* p) {
  for (;; p += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    constexpr std::uint64_t kHigh = 0x8080808080808080u, kPastSpace = 0x5F5F5F5F5F5F5F5Fu;  // 0x21 + 0x5F = 0x80
    const std::uint64_t up_to_space = ~(((bytes & ~kHigh) + kPastSpace) | bytes) & kHigh;
    if (up_to_space != 0) return p + std::countr_zero(up_to_space) / 8;
  }
}

/// Past blanks, of which there is at least one.
inline const char* past_blanks(const char* p) {
  do ++p;
  while (is_trec_blank(*p));
  return p;
}

struct RunLine {
  std::string_view query, document, tag;
  double score = 0;
};

// False for a blank line or a comment.
bool read_run_line(const LineOfFile& place, std::string_view line, RunLine& out) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos)
    throw place.error(nul + 1, "found a NUL byte; expected text");
  std::array<TrecWord, 6> words;
  if (!split_trec_line(place, line, kRunLayout, Surplus::ignored, words)) return false;
  out = {words[0].text, words[2].text, words[5].text, finite_trec_number(place, words[4], "score")};
  return true;
}

}  // namespace

const ParsedRun& RunParser::parse(std::string_view text, bool at_start) {
  run_.documents.clear();
  run_.scores.clear();
  run_.groups.clear();
  run_.tag = {};
  run_.lines = 0;
  run_.fault = false;
  const char* p = text.data();
  const char* const end = p + text.size();
  if (at_start && text.starts_with(kMarkOfRuns)) p += kMarkOfRuns.size();
  while (p != end && !run_.fault) {
    ++run_.lines;
    if (!parse_plain_line(p, end)) parse_any_line(p, end);
  }
  return run_;
}

// A line as programs write it. False, and p as it was, for any other.
bool RunParser::parse_plain_line(const char*& p, const char* end) {
  const std::string_view last = run_.groups.empty() ? std::string_view() : run_.groups.back().query;
  const bool same = !last.empty() && static_cast<std::size_t>(end - p) > last.size() && is_trec_blank(p[last.size()]) &&
                    std::memcmp(p, last.data(), last.size()) == 0;
  const char* q = same ? p + last.size() : end_of_word(p);
  if (q == p || !is_trec_blank(*q) || *p == '#') return false;
  const std::string_view query(p, static_cast<std::size_t>(q - p));
  std::string_view words[3];  // Q0, the document, its rank
  for (std::string_view& word : words) {
    const char* const begin = past_blanks(q);
    q = end_of_word(begin);
    if (q == begin || !is_trec_blank(*q)) return false;
    word = {begin, static_cast<std::size_t>(q - begin)};
  }
  q = past_blanks(q);
  double score = 0;
  if (parse_number(q, score) != NumberKind::finite || !is_trec_blank(*q)) return false;
  const char* const tag = past_blanks(q);
  q = end_of_word(tag);
  if (q == tag) return false;
  const char* const line_end = *q == '\r' ? q + 1 : q;
  if (*line_end != '\n') return false;
  if (!same) begin_group(query);
  add(words[1], score, {tag, static_cast<std::size_t>(q - tag)});
  p = line_end + 1;
  return true;
}

void RunParser::parse_any_line(const char*& p, const char* end) {
  const char* const begin = p;
  const char* const newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  p = newline + 1;
  const std::string_view line(begin, static_cast<std::size_t>(newline - begin));
  RunLine found;
  try {
    if (!read_run_line({{}, run_.lines}, line, found)) return;
  } catch (const Error&) {
    run_.fault = true;
    run_.faulty_line = line;
    return;
  }
  if (run_.groups.empty() || run_.groups.back().query != found.query) begin_group(found.query);
  add(found.document, found.score, found.tag);
}

void RunParser::begin_group(std::string_view query) { run_.groups.push_back({query, run_.documents.size()}); }

void RunParser::add(std::string_view document, double score, std::string_view tag) {
  if (run_.documents.empty()) run_.tag = tag;
  run_.documents.push_back(document);
  run_.scores.push_back(score);
}

void throw_fault_of_run(const std::string& name, std::uint64_t line_number, std::string_view line) {
  RunLine found;
  read_run_line({name, line_number}, line, found);
  throw Error(ErrorCode::internal, {name, line_number, 0}, "a line that is wrong only in its piece");
}

}  // namespace dorm
