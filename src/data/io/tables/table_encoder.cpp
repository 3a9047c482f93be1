// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/table_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/quote.h"
#include "base/unknown_name.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool makes_any_of(const ColumnEncoding& encoding, const std::vector<std::string>& features) {
  const std::vector<std::string> made = encoded_names(encoding);
  return std::any_of(made.begin(), made.end(), [&](const auto& name) { return contains(features, name); });
}

Missing rule_of(const ReadOptions& options, const std::string& column) {
  const auto own = options.missing_by_column.find(column);
  return own == options.missing_by_column.end() ? options.missing : own->second;
}

/// Whether training was elsewhere, so that nothing is left to be fitted.
bool by_model(const ReadOptions& options) { return !options.means.empty(); }

bool asks_indicators(const ReadOptions& options) {
  return options.missing == Missing::indicator ||
         std::any_of(options.missing_by_column.begin(), options.missing_by_column.end(),
                     [](const auto& each) { return each.second == Missing::indicator; });
}

bool has_indicator(const ReadOptions& options, const std::string& column) {
  return std::any_of(options.encodings.begin(), options.encodings.end(),
                     [&](const auto& each) { return each.column == column && each.rule == Encode::indicator; });
}

/// Whether there is no number that could be missing.
bool all_values(const std::optional<ColumnEncoder>& encoder) {
  return encoder && std::all_of(encoder->rules().begin(), encoder->rules().end(), [](const ColumnEncoding& each) {
           return each.rule == Encode::onehot || each.rule == Encode::weekday || each.rule == Encode::month;
         });
}

}  // namespace

std::vector<std::string> source_columns(const ReadOptions& options) {
  std::map<std::string, std::string, std::less<>> source_of;
  for (const ColumnEncoding& each : options.encodings)
    for (std::string& name : encoded_names(each)) source_of.emplace(std::move(name), each.column);
  std::set<std::string_view> seen;
  std::vector<std::string> out;
  for (const std::string& feature : options.features) {
    const auto source = source_of.find(feature);
    const std::string& column = source == source_of.end() ? feature : source->second;
    if (seen.insert(column).second) out.push_back(column);
  }
  return out;
}

TableEncoder::TableEncoder(const ReadOptions& options)
    : options_(options), active_(!options.encodings.empty() || asks_indicators(options)) {}

bool TableEncoder::ready() const {
  return (by_model(options_) || !asks_indicators(options_)) &&
         std::all_of(options_.encodings.begin(), options_.encodings.end(),
                     [](const auto& each) { return each.fitted; });
}

void TableEncoder::add_column(const std::string& name) {
  Column column{name, rule_of(options_, name), {}};
  std::vector<ColumnEncoding> rules;
  for (const ColumnEncoding& each : options_.encodings)
    if (each.column == name && each.rule != Encode::indicator) rules.push_back(each);
  if (!rules.empty()) column.encoder.emplace(std::move(rules));
  columns_.push_back(std::move(column));
}

void TableEncoder::require_columns(const SourcePosition& at) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  const auto refuse = [&](const std::string& column, std::string_view option) {
    const std::string near = nearest_name(column, names);
    throw Error(ErrorCode::bad_input, at,
                fmt::format("no feature column {}, which {} names{}", in_quotes(column), option,
                            near.empty() ? "" : fmt::format("; did you mean {}?", in_quotes(near))));
  };
  for (const ColumnEncoding& each : options_.encodings) {
    if (contains(names, each.column)) continue;
    const std::vector<std::string> made = encoded_names(each);  // by someone else already
    if (std::any_of(made.begin(), made.end(), [&](const auto& name) { return contains(names, name); })) continue;
    if (options_.features.empty() || makes_any_of(each, options_.features))
      refuse(each.column, each.rule == Encode::indicator ? "the treatment of missing values" : "the encoding");
  }
  if (by_model(options_) || !options_.features.empty()) return;
  for (const auto& [column, rule] : options_.missing_by_column)
    if (!contains(names, column)) refuse(column, "the treatment of missing values");
}

Cell TableEncoder::note(std::size_t column, std::string_view text, float& stand_in) {
  Column& of = columns_[column];
  text = without_blanks(text);
  double number = 0;
  const Cell kind = parse_cell(text, number);
  if (!of.encoder) {
    stand_in = note(column, kind, number);
    return kind;
  }
  const ColumnEncoder::Found found = of.encoder->note(text, kind == Cell::missing, stand_in);
  if (found == ColumnEncoder::Found::unreadable) return kind == Cell::date ? Cell::date : Cell::text;
  of.gaps |= found == ColumnEncoder::Found::gap;
  return found == ColumnEncoder::Found::gap ? Cell::missing : Cell::number;
}

float TableEncoder::note(std::size_t column, Cell kind, double number) {
  if (kind == Cell::number) return static_cast<float>(number) + 0.0f;
  columns_[column].gaps = true;
  return columns_[column].rule == Missing::zero ? 0.0f : kGap;
}

bool TableEncoder::takes_gaps(std::size_t column) const { return all_values(columns_[column].encoder); }

bool TableEncoder::may_indicate(const Column& column) const {
  if (by_model(options_)) return has_indicator(options_, column.name);
  if (column.rule != Missing::indicator || all_values(column.encoder)) return false;
  return column.gaps || options_.missing_by_column.contains(column.name);
}

void TableEncoder::fit(const SourcePosition& at) {
  std::uint32_t next = 1;
  for (Column& column : columns_) {
    if (column.encoder) {
      column.encoder->fit();
      column.width = static_cast<std::uint32_t>(column.encoder->width());
    }
    column.indicator = may_indicate(column);
    column.first = next;
    next += column.width + column.indicator;
  }
  std::set<std::string, std::less<>> seen;
  const PackedText made = names();
  for (std::size_t j = 0; j < made.size(); ++j)
    if (!seen.emplace(made[j]).second)
      throw Error(
          ErrorCode::bad_input, at,
          fmt::format("two features are named {}, one of them made of another column; rename the column or leave it "
                      "out",
                      in_quotes(made[j])));
}

PackedText TableEncoder::names() const {
  PackedText out;
  for (const Column& column : columns_) {
    if (!column.encoder) out.push_back(column.name);
    if (column.encoder)
      for (const ColumnEncoding& rule : column.encoder->rules())
        for (const std::string& name : encoded_names(rule)) out.push_back(name);
    if (column.indicator) out.push_back(encoded_names({.column = column.name, .rule = Encode::indicator}).front());
  }
  return out;
}

std::vector<ColumnEncoding> TableEncoder::encodings() const {
  std::vector<ColumnEncoding> out;
  for (const Column& column : columns_) {
    if (column.encoder) out.insert(out.end(), column.encoder->rules().begin(), column.encoder->rules().end());
    if (column.indicator) out.push_back({.column = column.name, .rule = Encode::indicator, .fitted = true});
  }
  return out;
}

void TableEncoder::encode(std::span<const float> stand_ins, std::vector<std::uint32_t>& ids,
                          std::vector<float>& values) const {
  ids.clear();
  values.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const std::size_t before = values.size();
    bool missing = std::isnan(stand_ins[c]);
    if (column.encoder) {
      missing = column.encoder->encode(stand_ins[c], column.first, ids, values);
      if (missing && column.rule == Missing::zero)
        for (std::size_t k = before; k < values.size(); ++k)
          if (std::isnan(values[k])) values[k] = 0;
    } else if (stand_ins[c] != 0) {
      ids.push_back(column.first);
      values.push_back(stand_ins[c]);
    }
    if (column.indicator && missing) {
      ids.push_back(column.first + column.width);
      values.push_back(1);
    }
  }
}

}  // namespace dorm
