// SPDX-License-Identifier: Apache-2.0
// Rules of missing values in text.
#include "data/missing_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/quote.h"
#include "dorm/base/catalog.h"
#include "dorm/data/input.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// In the order of the enumeration.
constexpr std::array<CatalogEntry, 6> kMissingRules = {{
    {.name = "error", .usage = "error", .help = "refuse them"},
    {.name = "zero", .usage = "zero", .help = "become 0"},
    {.name = "mean", .usage = "mean", .help = "become the mean of the column"},
    {.name = "keep", .usage = "keep", .help = "stay missing, for models of trees"},
    {.name = "query-min", .usage = "query-min", .help = "become the smallest value of the query"},
    {.name = "indicator", .usage = "indicator", .help = "become the mean, beside a feature that says so"},
}};

Missing parse_missing_rule(std::string_view name) {
  for (std::size_t i = 0; i < kMissingRules.size(); ++i)
    if (kMissingRules[i].name == name) return static_cast<Missing>(i);
  throw_unknown_name("treatment of missing values", name, kMissingRules);
}

}  // namespace

std::span<const CatalogEntry> missing_catalog() { return kMissingRules; }

const char* name_of(Missing missing) { return kMissingRules[static_cast<std::size_t>(missing)].name.data(); }

bool InputDescription::has_rule(Missing rule) const {
  return missing == rule || std::any_of(missing_by_column.begin(), missing_by_column.end(),
                                        [&](const auto& each) { return each.second == rule; });
}

bool InputDescription::fills() const {
  return has_rule(Missing::mean) || has_rule(Missing::query_min) || has_rule(Missing::indicator);
}

MissingRules parse_missing(std::string_view text) {
  MissingRules out;
  bool said = false;
  std::string piece;
  const auto take = [&] {
    const std::size_t equals = piece.rfind('=');
    if (equals == std::string::npos) {
      out.missing = parse_missing_rule(piece);
      if (std::exchange(said, true))
        throw Error(ErrorCode::bad_option,
                    fmt::format("missing values by {}: found two rules for all columns; expected one, "
                                "and COLUMN=RULE for others",
                                text));
    } else {
      const Missing rule = parse_missing_rule(std::string_view(piece).substr(equals + 1));
      if (equals == 0 || !out.by_column.emplace(piece.substr(0, equals), rule).second)
        throw Error(ErrorCode::bad_option,
                    fmt::format("missing values by {}: found {}; expected each column once, as in "
                                "mean,bm25=query-min",
                                text, in_quotes(piece)));
    }
    piece.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      piece += text[++i];
    else if (text[i] == ',')
      take();
    else
      piece += text[i];
  }
  take();
  return out;
}

std::string missing_text(Missing missing, const MissingByColumn& by_column) {
  std::string text = missing == Missing::error && !by_column.empty() ? "" : name_of(missing);
  for (const auto& [column, rule] : by_column) {
    if (!text.empty()) text += ',';
    for (const char c : column) text += c == ',' ? std::string("\\,") : std::string(1, c);
    text += fmt::format("={}", name_of(rule));
  }
  return text;
}

}  // namespace dorm
