// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/named_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

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

TableRows NamedRows::whole_rows() {
  const bool refused = absent_ == Absent::missing && options_.missing == Missing::error;
  const bool filled_later = options_.missing == Missing::mean || options_.missing == Missing::keep;
  const bool zero = options_.missing == Missing::zero || (absent_ == Absent::zero && !filled_later);
  std::vector<std::uint32_t> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 1u);
  std::vector<float> values(names_.size());
  TableRows out;
  std::size_t begin = 0;
  for (const auto& [row, end, pruned] : rows_) {
    std::fill(values.begin(), values.end(), zero ? 0.0f : std::numeric_limits<float>::quiet_NaN());
    for (; begin < end; ++begin) values[values_[begin].column] = values_[begin].value;
    if (pruned) continue;
    for (std::size_t j = 0; refused && j < values.size(); ++j)
      if (values[j] != values[j]) problems_.add(names_[j], Cell::missing, {file_, row.line, 0}, "");
    if (row.weight)
      if (const std::optional<std::string> conflict = out.set_weight(row.query, *row.weight))
        throw Error(ErrorCode::bad_input, {file_, row.line, 0}, *conflict);
    out.add(row.label, {row.query, row.document, row.group}, ids, values);
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
