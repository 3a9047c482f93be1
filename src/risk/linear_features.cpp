// SPDX-License-Identifier: Apache-2.0
#include "risk/linear_features.h"

#include <algorithm>

#include "base/vector_ops.h"
#include "data/storage.h"

namespace dorm {
namespace {

// Beyond this many columns, weights for unused ones are worth avoiding.
constexpr std::size_t kCompactFrom = std::size_t{1} << 20;

DenseRows dense_rows(const Query& query) {
  return {query.rows.dense_row(0), query.size(), query.rows.num_features(), query.rows.stride()};
}

}  // namespace

LinearFeatures::LinearFeatures(Dataset data) : data_(std::move(data)) {
  if (data_.dense() || data_.num_features() < kCompactFrom) return;
  compacted_ = true;
  const std::span<const std::uint32_t> columns = data_.storage().columns;
  std::vector<bool> occurs(data_.num_features(), false);
  for (std::uint32_t column : columns) occurs[column] = true;
  for (std::size_t column = 0; column < occurs.size(); ++column)
    if (occurs[column]) used_.push_back(static_cast<std::uint32_t>(column));
  compact_.reserve(columns.size());
  for (std::uint32_t column : columns)
    compact_.push_back(
        static_cast<std::uint32_t>(std::lower_bound(used_.begin(), used_.end(), column) - used_.begin()));
}

SparseRow LinearFeatures::row(const Query& query, std::size_t i) const {
  SparseRow row = query.rows.sparse_row(i);
  if (compacted_ && !row.columns.empty()) {
    const std::ptrdiff_t offset = row.columns.data() - data_.storage().columns.data();
    row.columns = {compact_.data() + offset, row.columns.size()};
  }
  return row;
}

void LinearFeatures::scores(std::size_t q, std::span<const double> w, std::span<double> out) const {
  const Query query = data_.query(q);
  if (data_.dense()) {
    multiply(dense_rows(query), w, out);
    return;
  }
  for (std::size_t i = 0; i < query.size(); ++i) {
    const SparseRow sparse = row(query, i);
    out[i] = dot(sparse.columns, sparse.values, w);
  }
}

void LinearFeatures::accumulate(std::size_t q, std::span<const double> coefficients,
                                std::span<double> sum) const {
  const Query query = data_.query(q);
  if (data_.dense()) {
    dorm::accumulate(dense_rows(query), coefficients, sum);
    return;
  }
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (coefficients[i] == 0) continue;
    const SparseRow sparse = row(query, i);
    axpy(coefficients[i], sparse.columns, sparse.values, sum);
  }
}

void LinearFeatures::pull_back(std::size_t q, std::span<const double> coefficients, Plane& out,
                               PullBackWorkspace& workspace) const {
  workspace.sums.resize(dimension(), 0.0);
  accumulate(q, coefficients, workspace.sums);
  out.columns.clear();
  if (data_.dense()) {
    out.direction.assign(workspace.sums.begin(), workspace.sums.end());
    std::fill(workspace.sums.begin(), workspace.sums.end(), 0.0);
    return;
  }
  const Query query = data_.query(q);
  workspace.touched.clear();
  for (std::size_t i = 0; i < query.size(); ++i) {
    if (coefficients[i] == 0) continue;
    const SparseRow sparse = row(query, i);
    workspace.touched.insert(workspace.touched.end(), sparse.columns.begin(), sparse.columns.end());
  }
  std::sort(workspace.touched.begin(), workspace.touched.end());
  workspace.touched.erase(std::unique(workspace.touched.begin(), workspace.touched.end()),
                          workspace.touched.end());
  out.columns.assign(workspace.touched.begin(), workspace.touched.end());
  out.direction.clear();
  for (std::uint32_t column : out.columns) {
    out.direction.push_back(static_cast<float>(workspace.sums[column]));
    workspace.sums[column] = 0;
  }
}

double LinearFeatures::score(std::size_t q, std::size_t document, std::span<const double> w) const {
  const Query query = data_.query(q);
  if (data_.dense()) return dot(std::span(query.rows.dense_row(document), w.size()), w);
  const SparseRow sparse = row(query, document);
  return dot(sparse.columns, sparse.values, w);
}

void LinearFeatures::add_row(std::size_t q, std::size_t document, double scale, std::span<double> w) const {
  const Query query = data_.query(q);
  if (data_.dense()) return axpy(scale, std::span(query.rows.dense_row(document), w.size()), w);
  const SparseRow sparse = row(query, document);
  axpy(scale, sparse.columns, sparse.values, w);
}

double LinearFeatures::work(std::size_t q) const {
  const Query query = data_.query(q);
  if (data_.dense()) return static_cast<double>(query.size() * data_.num_features());
  double stored = 0;
  for (std::size_t i = 0; i < query.size(); ++i)
    stored += static_cast<double>(query.rows.sparse_row(i).values.size());
  return stored;
}

}  // namespace dorm
