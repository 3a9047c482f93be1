// SPDX-License-Identifier: Apache-2.0
#include "data/encode/proposal.h"

#include <algorithm>
#include <array>

#include "data/encode/dates.h"
#include "data/encode/encoding_words.h"
#include "data/encode/formatted_numbers.h"

namespace dorm {
namespace {

constexpr std::size_t kMostDistinct = 1000;      // features of one column that are worth a proposal
constexpr std::size_t kLongestCategory = 40;     // bytes, on average
constexpr std::uint64_t kFewestRepetitions = 2;  // documents per value, on average

// Scores of retrievers: what one did not return is below what it did.
constexpr std::array<std::string_view, 14> kScoreWords = {"bm25",   "bm25f",      "tfidf",   "score",  "scores",
                                                          "cosine", "similarity", "sim",     "vector", "dense",
                                                          "knn",    "splade",     "colbert", "lm"};
// Counts: what nobody counted did not happen.
constexpr std::array<std::string_view, 10> kCountWords = {"clicks", "count",   "counts", "sales", "orders",
                                                          "views",  "reviews", "num",    "n",     "impressions"};

template <std::size_t n>
bool has_word(std::string_view column, const std::array<std::string_view, n>& words) {
  std::string word;
  const auto known = [&] { return std::find(words.begin(), words.end(), word) != words.end(); };
  bool lower_before = false;
  for (const char c : column) {
    const bool upper = c >= 'A' && c <= 'Z', lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!lower && !(upper && !lower_before)) {
      if (known()) return true;
      word.clear();
    }
    if (upper || lower) word += upper ? static_cast<char>(c - 'A' + 'a') : c;
    lower_before = lower;
  }
  return known();
}

}  // namespace

void ColumnSample::add(std::string_view text, std::string_view query) {
  ++count_;
  letters_ += text.size();
  if (distinct_.size() <= kMostDistinct && distinct_.find(text) == distinct_.end()) distinct_.emplace(text);
  if (!query.empty() && query == last_query_) {
    repeats_query_ = true;
    varies_ |= text != last_text_;
  }
  last_query_ = query;
  last_text_ = text;
}

std::string ColumnSample::proposed_number() const {
  const auto all = [&](const auto& test) { return std::all_of(distinct_.begin(), distinct_.end(), test); };
  const auto dated = [&](DateOrder order) {
    return all([order](const std::string& text) { return days_of(text, order).has_value(); });
  };
  if (dated(DateOrder::unknown)) return "age";
  const bool day_first = dated(DateOrder::day_first), month_first = dated(DateOrder::month_first);
  if (month_first) return "age:mdy";
  if (day_first) return "age:dmy";
  for (const Encode rule : {Encode::percent, Encode::boolean, Encode::thousands, Encode::decimal_comma})
    if (all([rule](const std::string& text) {
          double ignored = 0;
          return parse_formatted(rule, text, ignored);
        }))
      return std::string(rule_name(rule));
  return {};
}

std::string ColumnSample::proposal() const {
  if (count_ == 0) return {};
  if (std::string number = proposed_number(); !number.empty()) return number;
  if (is_of_queries()) return {};
  if (distinct_.size() > kMostDistinct || letters_ > kLongestCategory * count_) return {};
  return distinct_.size() * kFewestRepetitions <= count_ ? "onehot" : "";
}

std::string_view proposed_missing(std::string_view column) {
  if (has_word(column, kScoreWords)) return "query-min";
  return has_word(column, kCountWords) ? "zero" : "mean";
}

}  // namespace dorm
