// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/named_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "data/io/tables/table_rows.h"

namespace dorm {

std::uint32_t NamedRows::column(const std::string& feature) {
  const auto [entry, added] = numbers_.try_emplace(feature, static_cast<std::uint32_t>(names_.size()));
  if (added) names_.push_back(feature);
  return entry->second;
}

void NamedRows::add_value(std::uint32_t column, Cell kind, double number, std::uint64_t line, std::string_view text) {
  const bool missing = kind == Cell::missing || kind == Cell::too_large;
  if (kind != Cell::number && (!missing || options_.missing == Missing::error))
    problems_.add(names_[column], kind, {file_, line, 0}, text);
  // A place is taken by what cannot be read, too: it is no second problem that the row lacks it.
  if (kind == Cell::number || options_.missing == Missing::error)
    values_.push_back({column, static_cast<float>(number) + 0.0f});
}

void NamedRows::add_row(Row row) {
  any_document_ |= !row.document.empty();
  rows_.push_back({std::move(row), values_.size()});
}

// Each column that some row lacks, at the first such row: counted by the values there are, since rows times columns may
// be far more.
void NamedRows::find_missing() {
  std::vector<std::size_t> present(names_.size()), first_without(names_.size());
  std::size_t begin = 0, kept = 0;
  std::vector<std::uint64_t> lines;
  for (const auto& [row, end, pruned] : rows_) {
    for (; begin < end; ++begin) {
      if (pruned) continue;
      const std::uint32_t column = values_[begin].column;
      if (first_without[column] == kept) ++first_without[column];
      ++present[column];
    }
    if (pruned) continue;
    lines.push_back(row.line);
    ++kept;
  }
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < names_.size(); ++j)
    if (present[j] < kept) columns.push_back(j);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return first_without[a] < first_without[b]; });
  for (const std::size_t j : columns) problems_.add(names_[j], Cell::missing, {file_, lines[first_without[j]], 0}, "");
}

void NamedRows::require_room_for_means() const {
  constexpr std::size_t kHarmless = std::size_t{1} << 26, kMostPerValue = 64;
  const std::size_t cells = rows_.size() * names_.size();
  if (cells > kHarmless && cells / kMostPerValue > values_.size())
    throw Error(ErrorCode::bad_input, {file_},
                fmt::format("found {} values for {} documents and {} features; expected no more than {} missing values "
                            "for each that is there, where they become means: read them as zero",
                            values_.size(), rows_.size(), names_.size(), kMostPerValue));
}

TableRows NamedRows::whole_rows() {
  const bool means =
      options_.missing == Missing::mean || options_.missing == Missing::keep;  // NaN where one is missing
  if (means) require_room_for_means();
  if (absent_ == Absent::missing && options_.missing == Missing::error) find_missing();
  TableRows out;
  std::vector<float> of_column(means ? names_.size() : 0), values;
  std::vector<std::uint32_t> ids(of_column.size());
  std::iota(ids.begin(), ids.end(), 1u);
  std::size_t begin = 0;
  for (const auto& [row, end, pruned] : rows_) {
    const std::span<Value> own(values_.data() + begin, end - begin);
    begin = end;
    if (pruned) continue;
    if (means) {
      std::fill(of_column.begin(), of_column.end(), std::numeric_limits<float>::quiet_NaN());
      for (const Value& value : own) of_column[value.column] = value.value;
    } else {
      ids.clear();
      values.clear();
      const auto before = [](const Value& a, const Value& b) { return a.column < b.column; };
      if (!std::is_sorted(own.begin(), own.end(), before)) std::sort(own.begin(), own.end(), before);
      for (const Value& value : own) {
        ids.push_back(value.column + 1);
        values.push_back(value.value);
      }
    }
    if (row.weight)
      if (const std::optional<std::string> conflict = out.set_weight(row.query, *row.weight))
        throw Error(ErrorCode::bad_input, {file_, row.line, 0}, *conflict);
    out.add(row.label, {row.query, row.document, row.group}, ids, means ? of_column : values);
  }
  return out;
}

Dataset NamedRows::finish(const ColumnRoles& roles, ReadReport* report) {
  TableRows rows = whole_rows();
  if (!problems_.empty()) throw problems_.error(any_document_);
  PackedText names;
  for (const std::string& name : names_) names.push_back(name);
  return rows.finish(file_, std::move(names), {roles, options_.missing, options_.means}, options_.threads, report);
}

}  // namespace dorm
