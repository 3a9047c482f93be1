// SPDX-License-Identifier: Apache-2.0
// Rules of encodings in text, and what they call their features.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/quote.h"
#include "data/encode/dates.h"
#include "data/encode/encoding_words.h"
#include "dorm/data/encoding.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// In the order of the enumeration; `indicator` has no row.
constexpr std::array<CatalogEntry, 8> kRules = {{
    {.name = "onehot",
     .usage = "onehot[:N]",
     .help = "a feature per value; values of fewer than N documents share one"},
    {.name = "age",
     .usage = "age[:dmy|mdy][:DATE]",
     .help = "days before DATE, else before the latest day of the data"},
    {.name = "weekday", .usage = "weekday[:dmy|mdy]", .help = "a feature per day of the week"},
    {.name = "month", .usage = "month[:dmy|mdy]", .help = "a feature per month"},
    {.name = "percent", .usage = "percent", .help = "20% is 20, with or without the sign"},
    {.name = "thousands", .usage = "thousands", .help = "1,234.5: separators between groups of three digits"},
    {.name = "decimal-comma", .usage = "decimal-comma", .help = "0,5 and 1.234,5, perhaps with a percent sign"},
    {.name = "bool", .usage = "bool", .help = "true, yes, t, y, on, 1 and their opposites, in any case"},
}};

[[noreturn]] void refuse_rule(std::string_view text, std::string_view why, std::string_view expected) {
  throw Error(ErrorCode::bad_option, fmt::format("the encoding {}: {}; expected {}", text, why, expected));
}

/// Pieces between separators; a backslash before one makes it part of a piece where `escaped`.
std::vector<std::string> pieces_of(std::string_view text, char separator, bool escaped) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (escaped && text[i] == '\\' && i + 1 < text.size() && text[i + 1] == separator)
      pieces.back() += text[++i];
    else if (text[i] == separator)
      pieces.emplace_back();
    else
      pieces.back() += text[i];
  }
  return pieces;
}

void take_parameter(ColumnEncoding& out, const std::string& parameter, std::string_view text) {
  if (out.rule == Encode::onehot) {
    const auto [end, error] = std::from_chars(parameter.data(), parameter.data() + parameter.size(), out.fewest);
    if (error != std::errc() || end != parameter.data() + parameter.size() || out.fewest == 0)
      refuse_rule(text, fmt::format("found {}", in_quotes(parameter)), "onehot:N with a whole number of documents");
    return;
  }
  if (is_date_rule(out.rule) && (parameter == "dmy" || parameter == "mdy")) {
    out.order = parameter == "dmy" ? DateOrder::day_first : DateOrder::month_first;
    return;
  }
  const std::optional<double> reference =
      out.rule == Encode::age ? days_of(parameter, DateOrder::unknown) : std::nullopt;
  if (!reference)
    refuse_rule(text, fmt::format("found {} behind {}", in_quotes(parameter), rule_name(out.rule)),
                out.rule == Encode::age  ? "dmy, mdy or a date such as 2026-01-31"
                : is_date_rule(out.rule) ? "dmy or mdy"
                                         : "nothing");
  out.reference = *reference;
  out.fitted = true;
}

ColumnEncoding parse_rule(const std::string& column, const std::string& rule) {
  const std::vector<std::string> words = pieces_of(rule, ':', false);
  const auto known =
      std::find_if(kRules.begin(), kRules.end(), [&](const auto& each) { return each.name == words[0]; });
  if (known == kRules.end()) throw_unknown_name("encoding", words[0], kRules);
  ColumnEncoding out;
  out.column = column;
  out.rule = static_cast<Encode>(known - kRules.begin());
  out.fitted = out.rule != Encode::onehot && out.rule != Encode::age;
  for (std::size_t k = 1; k < words.size(); ++k) take_parameter(out, words[k], fmt::format("{}={}", column, rule));
  return out;
}

std::string rule_text(const ColumnEncoding& encoding) {
  std::string text(rule_name(encoding.rule));
  if (encoding.fewest > 0) text += fmt::format(":{}", encoding.fewest);
  if (encoding.order != DateOrder::unknown) text += encoding.order == DateOrder::day_first ? ":dmy" : ":mdy";
  if (encoding.rule == Encode::age && encoding.fitted) text += ":" + date_text(encoding.reference);
  return text;
}

}  // namespace

std::string_view rule_name(Encode rule) {
  return rule == Encode::indicator ? "indicator" : kRules[static_cast<std::size_t>(rule)].name;
}

std::span<const CatalogEntry> encoding_catalog() { return kRules; }

std::vector<ColumnEncoding> parse_encodings(std::string_view list) {
  std::vector<ColumnEncoding> out;
  if (list.empty()) return out;
  for (const std::string& piece : pieces_of(list, ',', true)) {
    const std::size_t equals = piece.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == piece.size())
      refuse_rule(list, fmt::format("found {}", in_quotes(piece)), "COLUMN=RULE, as in category=onehot,published=age");
    const std::string column = piece.substr(0, equals);
    if (std::any_of(out.begin(), out.end(), [&](const auto& each) { return each.column == column; }))
      refuse_rule(list, fmt::format("found {} again", in_quotes(column)),
                  "each column once, as in published=age+month");
    const std::vector<std::string> rules = pieces_of(std::string_view(piece).substr(equals + 1), '+', false);
    for (const std::string& rule : rules) {
      out.push_back(parse_rule(column, rule));
      if (rules.size() > 1 && !is_date_rule(out.back().rule) && out.back().rule != Encode::onehot)
        refuse_rule(piece, fmt::format("found {} beside another rule", rule_name(out.back().rule)),
                    "it alone; age, weekday, month and onehot go together");
    }
  }
  return out;
}

std::string encodings_text(const std::vector<ColumnEncoding>& encodings) {
  std::string text;
  const std::string* before = nullptr;
  for (const ColumnEncoding& each : encodings) {
    if (each.rule == Encode::indicator) continue;
    if (before != nullptr && *before == each.column) {
      text += "+" + rule_text(each);
      continue;
    }
    if (before != nullptr) text += ',';
    for (const char c : each.column) text += c == ',' ? std::string("\\,") : std::string(1, c);
    text += "=" + rule_text(each);
    before = &each.column;
  }
  return text;
}

std::vector<std::string> encoded_names(const ColumnEncoding& encoding) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view value) { names.push_back(fmt::format("{}={}", encoding.column, value)); };
  switch (encoding.rule) {
    case Encode::onehot:
      for (const std::string& value : encoding.values) add(value.empty() ? kGapName : std::string_view(value));
      if (encoding.others) add(kOthersName);
      break;
    case Encode::weekday:
      for (const std::string_view day : kWeekdays) add(day);
      break;
    case Encode::month:
      for (const std::string_view month : kMonths) add(month);
      break;
    case Encode::indicator:
      add(kGapName);
      break;
    default:
      names.push_back(encoding.column);
  }
  return names;
}

std::string encoding_sentence(const ColumnEncoding& encoding) {
  const std::string column = in_quotes(encoding.column);
  switch (encoding.rule) {
    case Encode::onehot:
      return fmt::format("{}: a feature for each of {} values{}", column, encoding.values.size(),
                         encoding.others ? ", and one for all others" : "; all are 0 for a value unseen in training");
    case Encode::age:
      return fmt::format("{}: days before {}", column, date_text(encoding.reference));
    case Encode::weekday:
      return fmt::format("{}: a feature for each day of the week", column);
    case Encode::month:
      return fmt::format("{}: a feature for each month", column);
    case Encode::indicator:
      return fmt::format("{}: a feature that is 1 where it is missing", column);
    default:
      return fmt::format("{}: {}", column, kRules[static_cast<std::size_t>(encoding.rule)].help);
  }
}

}  // namespace dorm
