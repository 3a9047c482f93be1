// SPDX-License-Identifier: Apache-2.0
// Everything is checked here: whatever Python passes, no later read leaves the arrays.
#include "borrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "data/column_numbers.h"
#include "data/encode/proposal.h"
#include "data/owned_columns.h"
#include "data/storage.h"
#include "dorm/error.h"

namespace dorm::python {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::bad_input, message); }

/// The arrays a Dataset reads. The last owner may let go on any thread, with or without the interpreter lock.
struct Lender {
  Matrix<float> rows;
  Vector<float> values;
  OwnedColumns owned;
  std::vector<std::uint32_t> columns;
  std::vector<std::uint64_t> row_end;

  Lender() = default;
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;
  ~Lender() {
    const nb::gil_scoped_acquire lock;
    rows = {};
    values = {};
  }
};

void check_queries(const Documents& documents, std::size_t rows) {
  const std::vector<std::uint64_t>& end = documents.query_end;
  std::uint64_t before = 0;
  for (std::uint64_t e : end) {
    if (e <= before) refuse("a query has no documents");
    before = e;
  }
  if (before != rows) refuse(fmt::format("the queries hold {} documents, but there are {} rows", before, rows));
  if (documents.query_ids.size() != end.size())
    refuse(fmt::format("{} query ids for {} queries", documents.query_ids.size(), end.size()));
  const std::size_t weights = documents.query_weights.size();
  if (weights != 0 && weights != end.size())
    refuse(fmt::format("{} query weights for {} queries", weights, end.size()));
  for (double weight : documents.query_weights)
    if (!(std::isfinite(weight) && weight >= 0))
      refuse(fmt::format("a query weight is {}; expected finite numbers, 0 or more", weight));
}

void check_documents(const Documents& documents, std::size_t rows, std::uint64_t features) {
  if (rows == 0) refuse("there are no documents");
  if (documents.labels.size() != rows) refuse(fmt::format("{} labels for {} rows", documents.labels.size(), rows));
  for (float label : documents.labels)
    if (!std::isfinite(label)) refuse(fmt::format("a label is {}; expected finite numbers", label));
  const std::size_t sources = documents.source_rows.size();
  if (sources != 0 && sources != rows) refuse(fmt::format("{} source rows for {} rows", sources, rows));
  const std::size_t names = documents.feature_names.size();
  if (names != 0 && names != features) refuse(fmt::format("{} feature names for {} features", names, features));
  for (const std::vector<std::string>* each : {&documents.document_ids, &documents.groups})
    if (!each->empty() && each->size() != rows)
      refuse(fmt::format("{} document ids or groups for {} rows", each->size(), rows));
  check_queries(documents, rows);
}

/// The names of rows and columns in messages. `source_rows`: empty, or the row of the caller's X by row. `names`:
/// empty, or of every column.
struct CellNames {
  std::span<const std::uint64_t> source_rows = {};
  std::span<const std::string> names = {};
};

/// The rule that fits the name of the column first.
std::string rules_for_gaps(const std::string& column) {
  const std::string_view rule = proposed_missing(column);
  if (rule == "mean" || column.find_first_of(",=\\\"") != std::string::npos)
    return "missing=\"mean\" or missing=\"zero\"";
  return fmt::format("missing=\"mean,{}={}\" or missing=\"mean\"", column, rule);
}

[[noreturn]] void refuse_value(const CellNames& names, std::size_t row, std::uint64_t column, float value) {
  const std::size_t source = !names.source_rows.empty() ? names.source_rows[row] : row;
  const std::string name = column < names.names.size() ? names.names[column] : "";
  refuse(
      fmt::format("X contains {} at row {}, column {}{} (counted from 0); expected finite float32 numbers: replace it, "
                  "or let the ranker do so with {}",
                  std::isnan(value) ? "NaN" : "infinity", source, column,
                  name.empty() ? "" : fmt::format(" \"{}\"", name), rules_for_gaps(name)));
}

void fill(OwnedColumns& owned, const Documents& documents) {
  owned.labels = documents.labels;
  owned.query_end = documents.query_end;
  owned.query_weights = documents.query_weights;
  owned.source_rows = documents.source_rows;
  for (const std::string& id : documents.query_ids) owned.query_ids.push_back(id);
  for (const std::string& name : documents.feature_names) owned.feature_names.push_back(name);
  for (const std::string& id : documents.document_ids) owned.document_ids.push_back(id);
  owned.input = documents.input;
  std::unordered_map<std::string, std::uint32_t> number;
  for (const std::string& group : documents.groups) {
    if (group.empty()) {
      owned.group_of.push_back(0);
      continue;
    }
    const auto [found, added] = number.try_emplace(group, static_cast<std::uint32_t>(number.size() + 1));
    if (added) owned.group_names.push_back(group);
    owned.group_of.push_back(found->second);
  }
}

Dataset finish(std::shared_ptr<Storage> storage, std::shared_ptr<Lender> lender, const Documents& documents) {
  fill(lender->owned, documents);
  lender->owned.attach(*storage);
  storage->owner = std::move(lender);
  return Dataset(std::shared_ptr<const Storage>(std::move(storage)));
}

bool all_finite(const float* values, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, std::bit_cast<std::uint32_t>(values[k]) << 1);
  return largest < 0xff000000u;  // an exponent of ones: infinite or NaN
}

void check_dense(const DenseRows& rows, const CellNames& names) {
  const float* data = rows.data;
  for (std::size_t row = 0; row < rows.rows; ++row, data += rows.stride) {
    if (all_finite(data, rows.columns)) continue;
    for (std::size_t j = 0; j < rows.columns; ++j)
      if (!std::isfinite(data[j])) refuse_value(names, row, j, data[j]);
  }
}

void check_sparse(const Lender& lender, std::uint64_t num_features, const Documents& documents) {
  const std::vector<std::uint32_t>& columns = lender.columns;
  const bool gaps = documents.input && documents.input->missing == Missing::keep;
  std::uint64_t k = 0;
  for (std::size_t row = 0; row < lender.row_end.size(); ++row) {
    if (lender.row_end[row] < k || lender.row_end[row] > columns.size())
      refuse("X.indptr of the sparse matrix does not increase from 0 to its number of stored values");
    for (std::uint64_t first = k; k < lender.row_end[row]; ++k) {
      if (columns[k] >= num_features)
        refuse(fmt::format("column {} in a sparse matrix of {} columns", columns[k], num_features));
      if (k > first && columns[k] <= columns[k - 1])
        refuse("the columns of a row of the sparse matrix do not increase strictly");
      const float value = lender.values.data()[k];
      if (!gaps && !std::isfinite(value))
        refuse_value({documents.source_rows, documents.feature_names}, row, columns[k], value);
    }
  }
}

void leave_out_numbers(Storage& storage, Lender& lender) {
  std::vector<std::uint32_t>& numbers = lender.owned.feature_numbers;
  numbers = occurring_numbers(storage.columns, storage.num_features);
  if (numbers.empty()) return;
  to_places(lender.columns, numbers, lender.columns);
  lender.owned.feature_range = storage.num_features;
  storage.num_features = numbers.size();
}

}  // namespace

DenseRows checked_rows(const Matrix<float>& values, std::span<const std::uint64_t> source_rows,
                       std::span<const std::string> names, bool gaps) {
  const std::size_t rows = values.shape(0), features = values.shape(1);
  const std::int64_t stride = rows > 1 ? values.stride(0) : static_cast<std::int64_t>(features);
  if (features == 0) refuse("there are no features");
  if ((features > 1 && values.stride(1) != 1) || stride < static_cast<std::int64_t>(features))
    refuse("the rows of X are not contiguous");
  if (reinterpret_cast<std::uintptr_t>(values.data()) % alignof(float) != 0) refuse("X is not aligned");
  const DenseRows checked{values.data(), rows, features, static_cast<std::size_t>(stride)};
  const nb::gil_scoped_release unlocked;
  if (!gaps) check_dense(checked, {source_rows, names});
  return checked;
}

Dataset borrow_dense(const Matrix<float>& values, const Documents& documents) {
  check_documents(documents, values.shape(0), values.shape(1));
  const bool gaps = documents.input && documents.input->missing == Missing::keep;
  const DenseRows rows = checked_rows(values, documents.source_rows, documents.feature_names, gaps);
  auto storage = std::make_shared<Storage>();
  storage->num_features = rows.columns;
  storage->stride = rows.stride;
  storage->values = {rows.data, (rows.rows - 1) * rows.stride + rows.columns};
  auto lender = std::make_shared<Lender>();
  lender->rows = values;
  return finish(std::move(storage), std::move(lender), documents);
}

Dataset borrow_sparse(const Vector<float>& values, const Vector<std::uint32_t>& columns,
                      const Vector<std::uint64_t>& row_end, std::uint64_t num_features, const Documents& documents) {
  check_documents(documents, row_end.shape(0), num_features);
  if (columns.shape(0) != values.shape(0))
    refuse(fmt::format("{} column numbers for {} values of a sparse matrix", columns.shape(0), values.shape(0)));
  auto lender = std::make_shared<Lender>();
  lender->values = values;
  {
    const nb::gil_scoped_release unlocked;
    lender->columns.assign(columns.data(), columns.data() + columns.shape(0));
    lender->row_end.assign(row_end.data(), row_end.data() + row_end.shape(0));
    check_sparse(*lender, num_features, documents);
  }
  auto storage = std::make_shared<Storage>();
  storage->dense = false;
  storage->num_features = num_features;
  storage->values = span_of(values);
  storage->columns = lender->columns;
  storage->row_end = lender->row_end;
  if (documents.feature_names.empty()) leave_out_numbers(*storage, *lender);
  return finish(std::move(storage), std::move(lender), documents);
}

}  // namespace dorm::python
