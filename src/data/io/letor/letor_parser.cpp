// SPDX-License-Identifier: Apache-2.0
// A single pass over the bytes. Every text ends in '\n', which no token contains, so the loops need no other bound;
// what is slow (errors, features out of order, odd numbers) is kept out of line.
#include "data/io/letor/letor_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/letor/letor_comment.h"

namespace dorm {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

inline void skip_blanks(const char*& p) {
  while (*p == ' ' || *p == '\t') ++p;
}

inline bool at_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
inline bool at_token_end(const char* p) { return *p == ' ' || *p == '\t' || *p == '#' || at_line_end(p); }

std::string_view token_at(const char* p) {
  const char* end = p;
  while (*end != ' ' && *end != '\t' && !at_line_end(end)) ++end;
  return {p, static_cast<std::size_t>(end - p)};
}

const char* line_end(const char* p) {
  while (*p != '\n') ++p;
  return p;
}

}  // namespace

ParsedLetor LetorParser::parse(std::string_view text, bool at_start) {
  result_ = ParsedLetor();
  const std::size_t most_features = text.size() / 4 + 1;  // "1:2 " is the shortest there is
  if (ids_.size() < most_features) {
    ids_ = PageBuffer<std::uint32_t>(most_features);
    values_ = PageBuffer<float>(most_features);
  }
  const char* p = text.data();
  const char* const end = p + text.size();
  line_begin_ = p;
  if (at_start && text.starts_with(kUtf8Mark)) p += kUtf8Mark.size();
  while (p != end && parse_row(p)) {
    ++result_.lines;
    line_begin_ = ++p;  // past the '\n'
  }
  return std::move(result_);
}

// Leaves p at the '\n'.
bool LetorParser::parse_row(const char*& p) {
  skip_blanks(p);
  names_ = {};
  if (at_line_end(p) || *p == '#') {
    const char* const newline = line_end(p);
    const void* nul = std::memchr(p, '\0', static_cast<std::size_t>(newline - p));
    if (nul != nullptr) return fail(static_cast<const char*>(nul), "found a NUL byte; expected text");
    p = newline;
    return true;
  }
  if (!parse_label(p) || !parse_query(p) || !parse_cost(p) || !parse_features(p) || !parse_comment(p)) return false;
  writer_.add(label_, names_, {ids_.data(), size_}, {values_.data(), size_});
  return true;
}

bool LetorParser::parse_label(const char*& p) {
  const char* const start = p;
  double label = 0;
  const NumberKind kind = parse_number(p, label);
  if (std::memcmp(start, "qid:", 4) == 0 || (p != start && *p == ':')) {  // a query or a feature
    if (rules_.need_labels) return fail_expecting(start, "a number as label");
    label_ = std::numeric_limits<float>::quiet_NaN();
    p = start;
    return true;
  }
  if (kind == NumberKind::malformed || !at_token_end(p)) return fail_expecting(start, "a number as label");
  if (kind == NumberKind::not_finite || !fits_float(label))
    return fail_expecting(start, "a finite label within the range of float32");
  label_ = static_cast<float>(label) + 0.0f;  // -0 becomes 0
  skip_blanks(p);
  return true;
}

bool LetorParser::parse_query(const char*& p) {
  if (std::memcmp(p, "qid:", 4) != 0) {
    if (rules_.need_query_ids) return fail_expecting(p, std::isnan(label_) ? "qid:ID" : "qid:ID after the label");
    if (result_.line_without_query == 0) result_.line_without_query = result_.lines + 1;
    return true;
  }
  const std::string_view id = token_at(p + 4);
  if (id.empty()) return fail_expecting(p, "an id right after 'qid:'");
  if (id.find('\0') != std::string_view::npos) return fail_expecting(p, "a query id without NUL bytes");
  if (result_.line_with_query == 0) result_.line_with_query = result_.lines + 1;
  names_.query = id;
  p += 4 + id.size();
  skip_blanks(p);
  return true;
}

// As PropSVMrank writes clicks: what a clicked document weighs, the inverse of a propensity. It becomes the gain.
bool LetorParser::parse_cost(const char*& p) {
  if (*p != 'c' || std::memcmp(p, "cost:", 5) != 0) return true;
  const char* const start = p;
  p += 5;
  double cost = 0;
  if (parse_number(p, cost) != NumberKind::finite || !(cost >= 0) || !fits_float(cost) || !at_token_end(p))
    return fail_expecting(start, "cost: with a number 0 or more");
  label_ = static_cast<float>(static_cast<double>(label_) * cost);
  result_.has_costs = true;
  skip_blanks(p);
  return true;
}

bool LetorParser::parse_features(const char*& p) {
  const char* const first_feature = p;
  std::uint32_t* ids = ids_.data();
  float* values = values_.data();
  std::size_t n = 0;
  std::uint64_t previous = 0;
  bool increasing = true;
  while (is_digit(*p)) {
    const char* const start = p;
    std::uint64_t id = 0;
    do id = id * 10 + static_cast<std::uint64_t>(*p++ - '0');
    while (is_digit(*p));
    if (*p != ':') return fail_expecting(start, "a feature as id:value");
    if (id > kMaxFeatureId || p - start > 10)
      return fail_expecting(start, fmt::format("a feature id from 0 to {}", kMaxFeatureId));
    ++p;
    const char* const value_start = p;
    double value;
    if (parse_number(p, value) == NumberKind::finite && fits_float(value) && at_token_end(p)) {
      values[n] = static_cast<float>(value) + 0.0f;  // -0 becomes 0
    } else {
      p = value_start;
      if (!parse_value_slowly(p, id, values[n])) return false;
    }
    increasing &= n == 0 || id > previous;
    previous = id;
    ids[n++] = static_cast<std::uint32_t>(id);
    skip_blanks(p);
  }
  size_ = n;
  if (!at_line_end(p) && *p != '#') return fail_expecting(p, "a feature as id:value");
  return increasing || sort_features(first_feature);
}

// A value that is not an ordinary number: missing, or wrong.
bool LetorParser::parse_value_slowly(const char*& p, std::uint64_t id, float& value) {
  const char* const start = p;
  double number = 0;
  const NumberKind kind = parse_number(p, number);
  if (p == start && at_token_end(p)) return fail(p, "found no value after ':'; expected a number");
  if (kind == NumberKind::malformed || !at_token_end(p)) return fail_expecting(start, "a number");
  Missing rule = rules_.missing;
  if (rules_.by_column != nullptr && !rules_.by_column->empty())
    if (const auto own = rules_.by_column->find(std::to_string(id)); own != rules_.by_column->end()) rule = own->second;
  if (rule == Missing::error) {
    fail_expecting(start, kind == NumberKind::not_finite && !is_digit(token_at(start).back())
                              ? "a finite number (missing values can be read as zero or mean)"
                              : "a number within the range of float32");
    result_.fault->missing = true;
    return false;
  }
  value = rule == Missing::zero ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  return true;
}

// Where feature `id` stands for the second time in the row whose features begin at p.
const char* LetorParser::second_token_of(std::uint32_t id, const char* p) const {
  int seen = 0;
  for (std::size_t k = 0;; ++k) {
    if (ids_[k] == id && ++seen == 2) return p;
    p += token_at(p).size();
    skip_blanks(p);
  }
}

bool LetorParser::sort_features(const char* first_feature) {
  std::vector<std::pair<std::uint32_t, float>> features(size_);
  for (std::size_t k = 0; k < size_; ++k) features[k] = {ids_[k], values_[k]};
  std::stable_sort(features.begin(), features.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto repeated = std::adjacent_find(features.begin(), features.end(),
                                           [](const auto& a, const auto& b) { return a.first == b.first; });
  if (repeated != features.end())
    return fail(
        second_token_of(repeated->first, first_feature),
        fmt::format("found a second value for feature {}; expected each feature once in a row", repeated->first));
  for (std::size_t k = 0; k < size_; ++k) {
    ids_[k] = features[k].first;
    values_[k] = features[k].second;
  }
  return true;
}

bool LetorParser::parse_comment(const char*& p) {
  const char* const newline = line_end(p);
  if (*p == '#') {
    const char* const stop = newline != p && newline[-1] == '\r' ? newline - 1 : newline;
    const std::string_view comment(p + 1, static_cast<std::size_t>(stop - p - 1));
    const std::size_t nul = comment.find('\0');
    if (nul != std::string_view::npos) return fail(p + 1 + nul, "found a NUL byte; expected text");
    const CommentNames names = names_in_comment(comment);
    names_.document = names.document;
    names_.group = names.group;
  }
  p = newline;
  return true;
}

bool LetorParser::fail(const char* at, std::string message) {
  result_.fault = TextFault{result_.lines + 1, static_cast<std::uint64_t>(at - line_begin_) + 1, std::move(message)};
  return false;
}

bool LetorParser::fail_expecting(const char* at, std::string_view expected) {
  const std::string_view token = token_at(at);
  const std::string found = token.empty() ? "the end of the line" : in_quotes(token);
  return fail(at, fmt::format("found {}; expected {}", found, expected));
}

}  // namespace dorm
