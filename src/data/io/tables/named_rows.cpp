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
  if (added) {
    names_.push_back(feature);
    encoder_.add_column(feature);
  }
  return entry->second;
}

void NamedRows::add_value(std::uint32_t column, Cell kind, double number, std::uint64_t line, std::string_view text) {
  const bool missing = kind == Cell::missing || kind == Cell::too_large,
             refused = encoder_.rule(column) == Missing::error;
  if (kind != Cell::number && (!missing || refused)) problems_.add(names_[column], kind, {file_, line, 0}, text);
  const float value = encoder_.note(column, kind, number);
  // A place is taken by what cannot be read, too: it is no second problem that the row lacks it.
  if (kind == Cell::number || refused) values_.push_back({column, refused && kind != Cell::number ? 0.0f : value});
}

void NamedRows::add_text(std::uint32_t column, std::string_view text, std::uint64_t line) {
  float value = 0;
  const Cell kind = encoder_.note(column, text, value);
  if (kind != Cell::number && (kind != Cell::missing || encoder_.rule(column) == Missing::error))
    problems_.add(names_[column], kind, {file_, line, 0}, text,
                  kind == Cell::missing ? std::string() : encoder_.expected(column));
  values_.push_back({column, value});
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
    if (present[j] < kept && encoder_.rule(j) == Missing::error && !encoder_.takes_gaps(j)) columns.push_back(j);
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

/// A gap is not 0: NaN, or what stands for it in a column that is encoded.
bool NamedRows::keeps_gaps() const {
  if (encoder_.active()) return true;
  for (std::size_t j = 0; j < names_.size(); ++j)
    if (encoder_.rule(j) != Missing::error && encoder_.rule(j) != Missing::zero) return true;
  return false;
}

/// What stands for a value that a row lacks. The encoder is told of each.
std::vector<float> NamedRows::values_of_gaps() {
  std::vector<std::size_t> present(names_.size());
  std::size_t begin = 0, kept = 0;
  for (const auto& [row, end, pruned] : rows_) {
    for (; begin < end; ++begin) present[values_[begin].column] += !pruned;
    kept += !pruned;
  }
  std::vector<float> gaps(names_.size());
  for (std::size_t j = 0; j < gaps.size(); ++j) {
    for (std::size_t k = present[j]; encoder_.encoded(j) && k < kept; ++k) encoder_.note(j, "", gaps[j]);
    if (encoder_.encoded(j) || encoder_.rule(j) == Missing::error || present[j] == kept) continue;
    gaps[j] = encoder_.note(j, Cell::missing, 0);
  }
  return gaps;
}

TableRows NamedRows::whole_rows() {
  const bool means = keeps_gaps();
  if (means) require_room_for_means();
  if (absent_ == Absent::missing) find_missing();
  TableRows out;
  if (!problems_.empty()) return out;
  const std::vector<float> gaps = means ? values_of_gaps() : std::vector<float>();
  if (encoder_.active()) {
    encoder_.require_columns({file_});
    encoder_.fit({file_});
    if (encoder_.keeps_dense()) out.keep_dense();
  }
  std::vector<float> of_column(means ? names_.size() : 0), values;
  std::vector<std::uint32_t> ids(of_column.size());
  std::iota(ids.begin(), ids.end(), 1u);
  std::size_t begin = 0;
  for (const auto& [row, end, pruned] : rows_) {
    const std::span<Value> own(values_.data() + begin, end - begin);
    begin = end;
    if (pruned) continue;
    if (means) {
      of_column = gaps;
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
    if (encoder_.active()) encoder_.encode(of_column, ids, values);
    out.add(row.label, {row.query, row.document, row.group}, ids, means && !encoder_.active() ? of_column : values);
  }
  return out;
}

Dataset NamedRows::finish(const ColumnRoles& roles, ReadReport* report) {
  TableRows rows = whole_rows();
  if (!problems_.empty()) throw problems_.error(any_document_);
  PackedText names;
  if (encoder_.active())
    names = encoder_.names();
  else
    for (const std::string& name : names_) names.push_back(name);
  return rows.finish(file_, std::move(names),
                     {roles, options_.missing, options_.means, options_.missing_by_column, encoder_.encodings()},
                     options_.threads, report);
}

}  // namespace dorm
