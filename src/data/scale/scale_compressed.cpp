// SPDX-License-Identifier: Apache-2.0
// A column that few documents have is only multiplied: x becomes f(x) factor, its zeros stay unstored, and the shift
// common to all documents goes to the background. A column that more than half of the documents have is stored in full,
// shifted: so a large offset loses no precision, and at most twice as many values are stored as before.
#include "data/scale/scale_compressed.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "data/owned_columns.h"
#include "data/scale/column_statistics.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// What is done to each column that occurs in some rows.
class ColumnRules {
 public:
  /// For `columns`, increasing (empty: all columns), of so many documents.
  ColumnRules(std::vector<std::uint32_t> columns, std::size_t size, std::size_t documents)
      : columns_(std::move(columns)), stored_(size), documents_(documents) {}

  void count(const SparseRow& row, bool logarithm) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto x = static_cast<double>(row.values[k]);
      stored_[place(row.columns[k])].add(logarithm ? signed_logarithm(x) : x);
    }
  }

  /// Which columns are stored in full; then shift and factor, from the counted values or as given.
  void settle() {
    for (std::size_t j = 0; j < stored_.size(); ++j) {
      is_full_.push_back(2 * stored_[j].count > documents_);
      if (is_full_[j]) full_.push_back(j);
    }
  }
  void fit(bool range) {
    for (StoredColumn& column : stored_) {
      column.complete(documents_);
      shift.push_back(range ? column.low : column.mean);
      factor.push_back(factor_of({column.low, column.high, column.squares, documents_}, range));
    }
  }

  std::size_t size() const { return stored_.size(); }
  std::uint32_t column(std::size_t j) const { return columns_.empty() ? static_cast<std::uint32_t>(j) : columns_[j]; }
  std::size_t place(std::uint32_t column) const {
    if (columns_.empty()) return column;
    return static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), column) - columns_.begin());
  }
  bool full(std::size_t j) const { return is_full_[j]; }
  std::span<const std::size_t> full() const { return full_; }

  std::vector<double> shift, factor;

 private:
  std::vector<std::uint32_t> columns_;
  std::vector<StoredColumn> stored_;
  std::size_t documents_;
  std::vector<bool> is_full_;
  std::vector<std::size_t> full_;
};

struct SparseRows {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint64_t> end;

  void add(std::uint32_t column, float value) {
    if (value == 0) return;
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row() { end.push_back(columns.size()); }
  void take(SparseRows&& part) {
    const std::uint64_t first = columns.size();
    columns.insert(columns.end(), part.columns.begin(), part.columns.end());
    values.insert(values.end(), part.values.begin(), part.values.end());
    for (const std::uint64_t e : part.end) end.push_back(first + e);
    part = {};
  }
};

void add_background(const ColumnRules& rules, SparseRows& out) {
  for (std::size_t j = 0; j < rules.size(); ++j)
    if (!rules.full(j)) out.add(rules.column(j), scaled_value(0, rules.shift[j], rules.factor[j]));
  out.end_row();
}

void add_rows(const Query& query, const ColumnRules& rules, bool logarithm, SparseRows& out) {
  const std::span<const std::size_t> full = rules.full();
  for (std::size_t i = 0; i < query.size(); ++i) {
    const SparseRow row = query.rows.sparse_row(i);
    auto absent = full.begin();
    const auto add_absent = [&] {
      out.add(rules.column(*absent), scaled_value(0, rules.shift[*absent], rules.factor[*absent]));
      ++absent;
    };
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const std::size_t j = rules.place(row.columns[k]);
      while (absent != full.end() && *absent < j) add_absent();
      if (absent != full.end() && *absent == j) ++absent;
      const auto value = static_cast<double>(row.values[k]);
      const double x = logarithm ? signed_logarithm(value) : value;
      out.add(row.columns[k], scaled_value(x, rules.full(j) ? rules.shift[j] : 0, rules.factor[j]));
    }
    while (absent != full.end()) add_absent();
    out.end_row();
  }
}

ColumnRules rules_of_query(const Query& query, ScalingKind kind) {
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const SparseRow row = query.rows.sparse_row(i);
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const std::size_t size = columns.size();
  ColumnRules rules(std::move(columns), size, query.size());
  for (std::size_t i = 0; i < query.size(); ++i) rules.count(query.rows.sparse_row(i), takes_logarithm(kind));
  rules.settle();
  rules.fit(uses_range(kind));
  return rules;
}

ColumnRules rules_of_all(const Dataset& data, ScalingKind kind) {
  ColumnRules rules({}, data.num_features(), data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) rules.count(query.rows.sparse_row(i), takes_logarithm(kind));
  }
  rules.settle();
  return rules;
}

/// The memory of the scaled data.
struct ScaledRows {
  OwnedColumns columns;
  SparseRows rows, background;
};

}  // namespace

void require_unscaled(const Dataset& data) {
  if (!data.storage().background_end.empty())
    throw Error(ErrorCode::unsupported, "scaling: the data is scaled already; expected it as it was read");
}

void fit_compressed(const Dataset& data, Scaling& scaling) {
  require_unscaled(data);
  column_statistics(data, 0, data.num_queries(), takes_logarithm(scaling.kind))
      .scale(uses_range(scaling.kind), scaling.shift, scaling.factor);
}

Dataset scale_compressed(const Scaling& scaling, const Dataset& data, std::size_t threads) {
  require_unscaled(data);
  auto block = std::make_shared<ScaledRows>();
  const bool logarithm = takes_logarithm(scaling.kind);
  std::vector<SparseRows> rows(data.num_queries()), backgrounds(scaling.per_query() ? data.num_queries() : 0);
  if (scaling.per_query()) {
    parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
      const Query query = data.query(q);
      const ColumnRules rules = rules_of_query(query, scaling.kind);
      add_background(rules, backgrounds[q]);
      add_rows(query, rules, logarithm, rows[q]);
    });
  } else {
    ColumnRules rules = rules_of_all(data, scaling.kind);
    rules.shift = scaling.shift;
    rules.factor = scaling.factor;
    add_background(rules, block->background);
    parallel_for(data.num_queries(), threads,
                 [&](std::size_t q, std::size_t) { add_rows(data.query(q), rules, logarithm, rows[q]); });
  }
  for (SparseRows& part : rows) block->rows.take(std::move(part));
  for (SparseRows& part : backgrounds) block->background.take(std::move(part));
  block->columns = gather_columns(data);
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->dense = false;
  storage->num_features = data.num_features();
  storage->values = block->rows.values;
  storage->columns = block->rows.columns;
  storage->row_end = block->rows.end;
  storage->background_columns = block->background.columns;
  storage->background_values = block->background.values;
  storage->background_end = block->background.end;
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

}  // namespace dorm
