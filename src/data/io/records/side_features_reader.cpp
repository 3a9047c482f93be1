// SPDX-License-Identifier: Apache-2.0
// Features of users or items from a table whose first column is the id.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/records/rating_records.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

// All cells, row by row.
struct Table {
  std::vector<std::string> header;  // empty: none
  std::string separator;
  std::vector<std::vector<std::string>> rows;
  std::size_t width() const { return rows.front().size(); }
};

bool numeric_column(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return is_number(row[column]); });
}

/// A first cell that names a column of ids.
bool calls_ids(std::string_view heading) {
  return heading == "qid" || heading == "docid" || heading == "id" || heading == "user" || heading == "item";
}

Table table_from(TextSource& source, const std::string& name) {
  Table table;
  RatingRecords lines(source, name);
  while (lines.next()) {
    std::vector<std::string> row;
    for (std::size_t cell = 0; cell < lines.size(); ++cell) row.emplace_back(lines[cell]);
    if (!table.rows.empty() && row.size() != table.width())
      throw lines.error(row.size(),
                        fmt::format("found {} cells; expected {} as on the first line", row.size(), table.width()));
    table.rows.push_back(std::move(row));
  }
  table.separator = lines.separator();
  if (table.rows.empty()) throw Error(ErrorCode::bad_input, {name, 0, 0}, "no features");
  const auto& first = table.rows.front();
  if (table.rows.size() > 1 && std::none_of(first.begin(), first.end(), is_number)) {
    Table rest{{}, {}, {table.rows.begin() + 1, table.rows.end()}};
    bool header = calls_ids(first.front());  // or text above numbers; other text above text is a row like the others
    for (std::size_t c = 0; c < rest.width(); ++c) header = header || numeric_column(rest, c);
    if (header) {
      table.header = first;
      table.rows = std::move(rest.rows);
    }
  }
  return table;
}

// "2,4-6" as column numbers from 0.
std::vector<std::size_t> chosen_columns(std::string_view list, std::size_t width) {
  std::vector<std::size_t> columns;
  while (!list.empty()) {
    const std::string_view piece = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), piece.size() + 1));
    const char* const end = piece.data() + piece.size();
    std::size_t first = 0, last = 0;
    auto [at, error] = std::from_chars(piece.data(), end, first);
    last = first;
    if (error == std::errc() && at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    if (error != std::errc() || at != end || first < 2 || last < first || last > width)
      throw Error(
          ErrorCode::bad_option,
          fmt::format("columns \"{}\"; expected numbers and ranges between 2 and {}, e.g. 2,4-6", piece, width));
    for (std::size_t c = first; c <= last; ++c) columns.push_back(c - 1);
  }
  return columns;
}

std::vector<std::size_t> default_columns(const Table& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = table.width(); c-- > 1 && numeric_column(table, c);) columns.insert(columns.begin(), c);
  if (columns.empty() && table.width() > 1) columns.push_back(table.width() - 1);
  return columns;
}

std::vector<std::string_view> values_of(std::string_view cell, bool several) {
  std::vector<std::string_view> values;
  while (!cell.empty()) {
    const std::string_view value = several ? cell.substr(0, cell.find('|')) : cell;
    if (!value.empty()) values.push_back(value);
    cell.remove_prefix(std::min(cell.size(), value.size() + 1));
  }
  return values;
}

// One column of the table: a number per row, or an indicator per value.
void add_column(const Table& table, std::size_t column, std::vector<std::string>& names,
                std::vector<std::vector<double>>& columns) {
  const std::string name = table.header.empty() ? fmt::format("column {}", column + 1) : table.header[column];
  if (numeric_column(table, column)) {
    names.push_back(name);
    columns.emplace_back(table.rows.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) parse_number(table.rows[r][column], columns.back()[r]);
    return;
  }
  IdTable values;
  const std::size_t first = columns.size();
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const std::string_view value : values_of(table.rows[r][column], table.separator != "|")) {
      const std::uint32_t number = values.add(value);
      if (first + number == columns.size()) columns.emplace_back(table.rows.size(), 0.0);
      columns[first + number][r] = 1;
    }
  for (const std::string& value : values.names()) names.push_back(fmt::format("{}: {}", name, value));
}

constexpr double kDifferentTitles = 0.9;  // share of the cells in a column of titles

bool calls_title(std::string_view heading) {
  std::string lower(heading);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower == "title" || lower == "name" || lower.ends_with("_title") || lower.ends_with("_name");
}

/// The column of titles; the width of the table: there is none.
std::size_t title_column(const Table& table, std::span<const std::size_t> features, bool any_text) {
  for (std::size_t c = 1; c < table.header.size(); ++c)
    if (calls_title(table.header[c])) return c;
  for (std::size_t c = 1; c < table.width(); ++c) {
    if (numeric_column(table, c) || std::find(features.begin(), features.end(), c) != features.end()) continue;
    std::set<std::string_view> different;
    for (const auto& row : table.rows) different.insert(row[c]);
    if (any_text || static_cast<double>(different.size()) >= kDifferentTitles * static_cast<double>(table.rows.size()))
      return c;
  }
  return table.width();
}

void add_ids(const Table& table, const std::string& name, SideFeatures& features) {
  for (const auto& row : table.rows) {
    if (features.ids.find(row.front()))
      throw Error(ErrorCode::bad_input, {name, 0, 0}, fmt::format("the id {} appears twice", in_quotes(row.front())));
    features.ids.add(row.front());
  }
}

void add_titles(const Table& table, std::size_t column, SideFeatures& features) {
  if (column == table.width()) return;
  for (const auto& row : table.rows) features.titles.push_back(row[column]);
}

SideFeatures titles_from(TextSource& source, const std::string& name) {
  const Table table = table_from(source, name);
  const std::size_t column = title_column(table, {}, true);
  if (column == table.width())
    throw Error(ErrorCode::bad_input, {name, 0, 0}, "no column of text; expected an id and a title on each line");
  SideFeatures titles;
  add_ids(table, name, titles);
  add_titles(table, column, titles);
  return titles;
}

SideFeatures features_from(TextSource& source, const std::string& name, std::string_view list) {
  const Table table = table_from(source, name);
  if (table.width() < 2)
    throw Error(ErrorCode::bad_input, {name, 0, 0},
                fmt::format("found one cell per line; expected an id and features, separated by ::, tab, |, "
                            "comma, semicolon or blank"));
  const std::vector<std::size_t> chosen = list.empty() ? default_columns(table) : chosen_columns(list, table.width());
  std::vector<std::vector<double>> columns;
  SideFeatures features;
  for (const std::size_t column : chosen) add_column(table, column, features.names, columns);
  add_ids(table, name, features);
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const auto& column : columns) features.values.push_back(column[r]);
  add_titles(table, title_column(table, chosen, false), features);
  return features;
}

}  // namespace

SideFeatures read_side_features(const std::string& path, std::string_view columns) {
  return features_from(*open_text(path), path, columns);
}
SideFeatures read_titles(const std::string& path) { return titles_from(*open_text(path), path); }
SideFeatures parse_titles(std::string_view text, const std::string& name) {
  return titles_from(*text_in_memory(text), name);
}
SideFeatures parse_side_features(std::string_view text, const std::string& name, std::string_view columns) {
  return features_from(*text_in_memory(text), name, columns);
}

}  // namespace dorm
