// SPDX-License-Identifier: Apache-2.0
#include "data/encode/column_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/quote.h"
#include "data/encode/dates.h"
#include "data/encode/encoding_words.h"
#include "data/encode/formatted_numbers.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kMostTexts = std::size_t{1} << 24;  // a float counts as far

bool is_formatted(Encode rule) {
  return rule == Encode::percent || rule == Encode::thousands || rule == Encode::decimal_comma ||
         rule == Encode::boolean;
}

}  // namespace

ColumnEncoder::ColumnEncoder(std::vector<ColumnEncoding> rules)
    : rules_(std::move(rules)), formatted_(is_formatted(rules_.front().rule)) {
  dates_ = std::any_of(rules_.begin(), rules_.end(), [](const auto& each) { return is_date_rule(each.rule); });
  if (fitted()) fit();
}

bool ColumnEncoder::fitted() const {
  return std::all_of(rules_.begin(), rules_.end(), [](const auto& each) { return each.fitted; });
}

std::size_t ColumnEncoder::width() const { return std::accumulate(widths_.begin(), widths_.end(), std::size_t{0}); }

ColumnEncoder::Found ColumnEncoder::note(std::string_view text, bool gap, float& stand_in) {
  if (!formatted_) return look_up(gap ? std::string_view() : text, gap, stand_in);
  double value = 0;
  stand_in = kNaN;
  if (gap) return Found::gap;
  if (!parse_formatted(rules_.front().rule, text, value)) return Found::unreadable;
  stand_in = static_cast<float>(value) + 0.0f;
  return Found::value;
}

ColumnEncoder::Found ColumnEncoder::look_up(std::string_view text, bool gap, float& stand_in) {
  std::string key(text);
  const auto known = codes_.find(key);
  std::uint32_t code = 0;
  if (known != codes_.end()) {
    code = known->second;
  } else {
    Text added;
    if (dates_ && !gap) {
      const auto dated =
          std::find_if(rules_.begin(), rules_.end(), [](const auto& each) { return is_date_rule(each.rule); });
      const std::optional<double> days = days_of(text, dated->order);
      if (!days) return Found::unreadable;
      added.days = *days;
    } else {
      added.days = std::numeric_limits<double>::quiet_NaN();
    }
    if (seen_.size() == kMostTexts)
      throw Error(ErrorCode::bad_input, fmt::format("column {} has more than {} different values; expected fewer",
                                                    in_quotes(rules_.front().column), kMostTexts));
    code = static_cast<std::uint32_t>(seen_.size());
    codes_.emplace(std::move(key), code);
    seen_.push_back(added);
    if (widths_.empty())
      texts_.emplace_back(text);
    else
      settle(text, added.days);
  }
  ++seen_[code].count;
  stand_in = static_cast<float>(code);
  const bool number =
      std::any_of(rules_.begin(), rules_.end(), [](const auto& each) { return each.rule == Encode::age; });
  return gap && number ? Found::gap : Found::value;
}

void ColumnEncoder::fit() {
  widths_.clear();
  for (ColumnEncoding& rule : rules_) {
    if (!rule.fitted && rule.rule == Encode::onehot) fit_values(rule);
    if (!rule.fitted && rule.rule == Encode::age) fit_reference(rule);
    rule.fitted = true;
    widths_.push_back(static_cast<std::uint32_t>(encoded_names(rule).size()));
  }
  if (formatted_ || !places_.empty()) return;
  for (std::size_t code = 0; code < texts_.size(); ++code) settle(texts_[code], seen_[code].days);
  texts_.clear();
}

void ColumnEncoder::fit_values(ColumnEncoding& rule) const {
  const std::uint64_t rows = std::accumulate(seen_.begin(), seen_.end(), std::uint64_t{0},
                                             [](std::uint64_t sum, const Text& text) { return sum + text.count; });
  const std::uint64_t fewest =
      rule.fewest > 0
          ? rule.fewest
          : std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::ceil(kFewestShare * static_cast<double>(rows))));
  for (std::size_t code = 0; code < seen_.size(); ++code) {
    const std::string& text = texts_[code];
    if (text == kGapName || text == kOthersName)
      throw Error(ErrorCode::bad_input,
                  fmt::format("column {} has the value {}, which is the name of a feature of its own; expected another",
                              in_quotes(rule.column), in_quotes(text)));
    if (seen_[code].count >= fewest)
      rule.values.push_back(text);
    else
      rule.others = true;
  }
  std::sort(rule.values.begin(), rule.values.end());
}

/// The latest day of the data.
void ColumnEncoder::fit_reference(ColumnEncoding& rule) const {
  double latest = -std::numeric_limits<double>::infinity();
  for (const Text& text : seen_)
    if (!std::isnan(text.days)) latest = std::max(latest, std::floor(text.days));
  rule.reference = std::isfinite(latest) ? latest : 0;
}

std::uint32_t ColumnEncoder::place_of(const ColumnEncoding& rule, std::string_view text) {
  const auto found = std::lower_bound(rule.values.begin(), rule.values.end(), text);
  if (found != rule.values.end() && *found == text) return static_cast<std::uint32_t>(found - rule.values.begin());
  return rule.others ? static_cast<std::uint32_t>(rule.values.size()) : kNone;
}

void ColumnEncoder::settle(std::string_view text, double days) {
  for (const ColumnEncoding& rule : rules_) {
    float place = -1;
    if (rule.rule == Encode::age) {
      place = std::isnan(days) ? kNaN : static_cast<float>(rule.reference - days) + 0.0f;
    } else if (rule.rule == Encode::onehot) {
      const std::uint32_t at = place_of(rule, text);
      if (at != kNone) place = static_cast<float>(at);
    } else if (!std::isnan(days)) {
      place = static_cast<float>(rule.rule == Encode::weekday ? weekday_of(days) : month_of(days));
    }
    places_.push_back(place);
  }
}

bool ColumnEncoder::encode(float stand_in, std::uint32_t first, std::vector<std::uint32_t>& ids,
                           std::vector<float>& values) const {
  const auto add = [&](std::uint32_t id, float value) {
    if (value == 0) return;
    ids.push_back(id);
    values.push_back(value);
  };
  if (formatted_) {
    add(first, stand_in);
    return std::isnan(stand_in);
  }
  const float* const places = places_.data() + static_cast<std::size_t>(stand_in) * rules_.size();
  bool missing = false;
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    if (rules_[k].rule == Encode::age) {
      add(first, places[k]);
      missing = std::isnan(places[k]);
    } else if (places[k] >= 0) {
      add(first + static_cast<std::uint32_t>(places[k]), 1);
    }
    first += widths_[k];
  }
  return missing;
}

std::string ColumnEncoder::expected() const {
  switch (rules_.front().rule) {
    case Encode::percent:
      return "a number with or without a percent sign, such as 12.5%";
    case Encode::thousands:
      return "a number such as 1,234.5, with groups of three digits";
    case Encode::decimal_comma:
      return "a number with a decimal comma, such as 0,5 or 1.234,5";
    case Encode::boolean:
      return "true or false, yes or no, on or off, 1 or 0";
    default:
      return rules_.front().order == DateOrder::unknown
                 ? "a date such as 2024-01-31; for 3/4/2024 say the order, as in age:dmy or age:mdy"
             : rules_.front().order == DateOrder::day_first ? "a date such as 31/1/2024 or 2024-01-31"
                                                            : "a date such as 1/31/2024 or 2024-01-31";
  }
}

}  // namespace dorm
