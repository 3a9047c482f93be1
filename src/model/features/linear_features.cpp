// SPDX-License-Identifier: Apache-2.0
#include "model/features/linear_features.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ordered_sum.h"
#include "base/vector_ops.h"
#include "data/scale_rows.h"

namespace dorm {
namespace {

double product(const SparseRow& row, std::span<const double> w) { return dot(row.columns, row.values, w); }

void add_multiple(double scale, const SparseRow& row, std::span<double> sum) {
  axpy(scale, row.columns, row.values, sum);
}

// What the documents of this query have in common, but not all documents.
SparseRow own_background(const Query& query) {
  return query.rows.common_background() ? SparseRow() : query.rows.background();
}

// How often coefficients take the background: their sum. Where a ranking is compared with another it is 0 but for
// rounding, and planes stay as short as their documents.
double level_of(const Query& query, std::span<const double> coefficients) {
  constexpr double kRounding = 1e-12;
  if (own_background(query).columns.empty()) return 0;
  double sum = 0, size = 0;
  for (const double x : coefficients) {
    sum += x;
    size += std::abs(x);
  }
  return std::abs(sum) > kRounding * size ? sum : 0.0;
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

// sum_i |x_i - mean|^2 of one query, in two passes: a feature that is constant gives 0 exactly. A background moves the
// rows and their mean alike.
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

void LinearFeatures::scores(std::size_t q, std::span<const double> w, std::span<double> out) const {
  const Query query = data_.query(q);
  if (data_.dense()) {
    multiply(dense_rows(query), w, out);
    return;
  }
  const double level = product(own_background(query), w);
  for (std::size_t i = 0; i < query.size(); ++i) out[i] = level + product(query.rows.sparse_row(i), w);
}

void LinearFeatures::scores_then(std::size_t q, std::size_t upcoming, std::span<const double> w,
                                 std::span<double> out) const {
  if (!data_.dense() || upcoming == q) return scores(q, w, out);
  DenseRows rows = dense_rows(data_.query(q));
  const Query next = data_.query(upcoming);
  rows.upcoming = {next.rows.dense_row(0), next.size() * next.rows.stride()};
  multiply(rows, w, out);
}

void LinearFeatures::accumulate(std::size_t q, std::span<const double> coefficients, std::span<double> sum) const {
  const Query query = data_.query(q);
  if (data_.dense()) {
    dorm::accumulate(dense_rows(query), coefficients, sum);
    return;
  }
  for (std::size_t i = 0; i < query.size(); ++i)
    if (coefficients[i] != 0) add_multiple(coefficients[i], query.rows.sparse_row(i), sum);
  if (const double level = level_of(query, coefficients); level != 0) add_multiple(level, own_background(query), sum);
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
    const SparseRow sparse = query.rows.sparse_row(i);
    workspace.touched.insert(workspace.touched.end(), sparse.columns.begin(), sparse.columns.end());
  }
  if (level_of(query, coefficients) != 0) {
    const SparseRow background = own_background(query);
    workspace.touched.insert(workspace.touched.end(), background.columns.begin(), background.columns.end());
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
  return product(own_background(query), w) + product(query.rows.sparse_row(document), w);
}

void LinearFeatures::add_row(std::size_t q, std::size_t document, double scale, std::span<double> w) const {
  const Query query = data_.query(q);
  if (data_.dense()) return axpy(scale, std::span(query.rows.dense_row(document), w.size()), w);
  add_multiple(scale, own_background(query), w);
  add_multiple(scale, query.rows.sparse_row(document), w);
}

double LinearFeatures::level(std::span<const double> w) const {
  if (data_.num_queries() == 0) return 0;
  const Query query = data_.query(0);
  return query.rows.common_background() ? product(query.rows.background(), w) : 0.0;
}

double LinearFeatures::work(std::size_t q) const {
  const Query query = data_.query(q);
  if (data_.dense()) return static_cast<double>(query.size() * data_.num_features());
  double stored = 0;
  for (std::size_t i = 0; i < query.size(); ++i) stored += static_cast<double>(query.rows.sparse_row(i).values.size());
  return stored;
}

}  // namespace dorm
