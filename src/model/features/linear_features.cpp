// SPDX-License-Identifier: Apache-2.0
#include "model/features/linear_features.h"

#include <algorithm>
#include <utility>

#include "base/ordered_sum.h"
#include "base/vector_ops.h"
#include "data/storage.h"

namespace dorm {
namespace {

// Beyond this many columns, weights for unused ones are worth avoiding.
constexpr std::size_t kCompactFrom = std::size_t{1} << 20;

DenseRows dense_rows(const Query& query) {
  return {query.rows.dense_row(0), query.size(), query.rows.num_features(), query.rows.stride()};
}

constexpr std::size_t kPieces = 16;  // queries are summed in this many parts, whatever the number of threads

// sum over queries of body(query, sum), in a fixed order: the result does not depend on the number of threads.
template <class Body>
std::vector<double> sum_over_queries(const Dataset& data, std::size_t threads, std::size_t size, const Body& body) {
  PartialSums sums(kPieces, size);
  const std::size_t queries = data.num_queries();
  parallel_for(kPieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(queries, kPieces, piece + 1);
    for (std::size_t q = piece_begin(queries, kPieces, piece); q < end; ++q) body(q, sums[piece]);
  });
  return sums.total();
}

double square(double x) { return x * x; }

// sum_i |x_i - mean|^2 of one query, in two passes: a feature that is constant gives 0 exactly.
double dense_scatter(const Query& query) {
  std::vector<double> mean(query.rows.num_features(), 0.0);
  const auto documents = static_cast<double>(query.size());
  for (std::size_t i = 0; i < query.size(); ++i)
    axpy(1.0, std::span<const float>(query.rows.dense_row(i), mean.size()), mean);
  for (double& x : mean) x /= documents;
  double sum = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const float* row = query.rows.dense_row(i);
    for (std::size_t j = 0; j < mean.size(); ++j) sum += square(static_cast<double>(row[j]) - mean[j]);
  }
  return sum;
}

double sparse_scatter(const Query& query) {
  std::vector<std::pair<std::uint32_t, float>> stored;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const SparseRow row = query.rows.sparse_row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) stored.emplace_back(row.columns[k], row.values[k]);
  }
  std::sort(stored.begin(), stored.end());
  const auto documents = static_cast<double>(query.size());
  double sum = 0;
  for (std::size_t first = 0, last = 0; first < stored.size(); first = last) {
    double mean = 0;
    for (; last < stored.size() && stored[last].first == stored[first].first; ++last)
      mean += static_cast<double>(stored[last].second);
    mean /= documents;
    for (std::size_t k = first; k < last; ++k) sum += square(static_cast<double>(stored[k].second) - mean);
    sum += (documents - static_cast<double>(last - first)) * square(mean);
  }
  return sum;
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
    out[i] = dorm::dot(sparse.columns, sparse.values, w);
  }
}

void LinearFeatures::accumulate(std::size_t q, std::span<const double> coefficients, std::span<double> sum) const {
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
  workspace.touched.erase(std::unique(workspace.touched.begin(), workspace.touched.end()), workspace.touched.end());
  out.columns.assign(workspace.touched.begin(), workspace.touched.end());
  out.direction.clear();
  for (std::uint32_t column : out.columns) {
    out.direction.push_back(static_cast<float>(workspace.sums[column]));
    workspace.sums[column] = 0;
  }
}

std::vector<double> LinearFeatures::combine(std::span<const double> coefficients, std::size_t threads) const {
  return sum_over_queries(data_, threads, dimension(), [&](std::size_t q, std::vector<double>& sum) {
    accumulate(q, coefficients.subspan(data_.first_document(q), data_.query(q).size()), sum);
  });
}

double LinearFeatures::centred_norm(std::size_t threads) const {
  const std::vector<double> total = sum_over_queries(data_, threads, 1, [&](std::size_t q, std::vector<double>& sum) {
    const Query query = data_.query(q);
    sum[0] += query.rows.dense() ? dense_scatter(query) : sparse_scatter(query);
  });
  const auto documents = static_cast<double>(data_.num_documents());
  return documents > 0 ? total[0] / documents : 0.0;
}

double LinearFeatures::score(std::size_t q, std::size_t document, std::span<const double> w) const {
  const Query query = data_.query(q);
  if (data_.dense()) return dorm::dot(std::span(query.rows.dense_row(document), w.size()), w);
  const SparseRow sparse = row(query, document);
  return dorm::dot(sparse.columns, sparse.values, w);
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
  for (std::size_t i = 0; i < query.size(); ++i) stored += static_cast<double>(query.rows.sparse_row(i).values.size());
  return stored;
}

}  // namespace dorm
