// SPDX-License-Identifier: Apache-2.0
#include "model/features/linear_features.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/vector/ordered_sum.h"
#include "base/vector/vector_ops.h"
#include "data/scale/scale_rows.h"
#include "model/features/centred_products.h"

namespace dorm {
namespace {

std::span<const float> row_of(const DenseRows& rows, std::size_t i) {
  return {rows.data + i * rows.stride, rows.columns};
}

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

// Queries are summed in this many parts, whatever the number of threads.
constexpr std::size_t kPieces = ScaledRows::kPieces;
static_assert(kPieces == Survey::kPieces);

// sum over queries of body(query, sum, piece), in a fixed order: the result does not depend on the number of threads.
template <class Body>
std::vector<double> sum_over_queries(const Dataset& data, std::size_t threads, std::size_t size, const Body& body) {
  PartialSums sums(kPieces, size);
  const std::size_t queries = data.num_queries();
  parallel_for(kPieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(queries, kPieces, piece + 1);
    for (std::size_t q = piece_begin(queries, kPieces, piece); q < end; ++q) body(q, sums[piece], piece);
  });
  return sums.total();
}

double norm_of(double squares, const Dataset& data) {
  return data.num_documents() > 0 ? squares / static_cast<double>(data.num_documents()) : 0.0;
}

double square(double x) { return x * x; }

// sum_i |x_i - mean|^2 of one query. A background moves the rows and their mean alike.
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

LinearFeatures::LinearFeatures(const Dataset& data, const Scaling& scaling, std::uint64_t kept_bytes,
                               std::size_t threads, Survey* survey)
    : data_(data.dense() ? data : apply_scaling(scaling, data, threads)) {
  const bool scaled = data.dense() && scaling.kind != ScalingKind::none;
  if (survey && (!scaled || kept_bytes == 0)) survey->add_all(threads);
  if (!scaled) return;
  if (kept_bytes == 0) {
    scaled_ = std::make_shared<const ScaledRows>(data, scaling, kept_bytes, threads);
    return;
  }
  PartialSums squares(kPieces, 1);
  std::vector<CentringWorkspace> workspaces(kPieces);
  scaled_ = std::make_shared<const ScaledRows>(data, scaling, kept_bytes, threads,
                                               [&](std::size_t q, const DenseRows& rows, std::size_t piece) {
                                                 squares[piece][0] += centred_squares(rows, workspaces[piece]);
                                                 if (survey) survey->add(q, piece);
                                               });
  norm_ = norm_of(squares.total()[0], data);
}

LinearFeatures LinearFeatures::select(const std::vector<std::size_t>& queries) const {
  LinearFeatures selected(data_.select(queries));
  selected.scaled_ = scaled_;
  selected.signs_ = signs_;
  selected.place_ = queries;
  if (!place_.empty())
    for (std::size_t& place : selected.place_) place = place_[place];
  return selected;
}

ScaledRows::View LinearFeatures::rows(std::size_t q) const {
  if (scaled_ == nullptr) return ScaledRows::View(dense_rows(data_.query(q)));
  return scaled_->query(place_.empty() ? q : place_[q]);
}

const Scaling& LinearFeatures::scaling() const {
  static const Scaling kNone;
  return scaled_ ? scaled_->scaling() : kNone;
}

void LinearFeatures::copy_rows(std::size_t q, bool scaled, float* out, std::size_t stride) const {
  ScaledRows::View view = scaled ? rows(q) : ScaledRows::View(dense_rows(data_.query(q)));
  view.last();
  for (std::size_t i = 0; i < view.rows().rows; ++i, out += stride) {
    const std::span<const float> row = row_of(view.rows(), i);
    std::copy(row.begin(), row.end(), out);
    std::fill(out + row.size(), out + stride, 0.0F);
  }
}

void LinearFeatures::scores(std::size_t q, std::span<const double> w, std::span<double> out) const {
  if (ScoreWorkspace none; data_.dense()) return scores_then(q, q, w, out, none);
  const Query query = data_.query(q);
  const double level = product(own_background(query), w);
  for (std::size_t i = 0; i < query.size(); ++i) out[i] = level + product(query.rows.sparse_row(i), w);
}

void LinearFeatures::scores_then(std::size_t q, std::size_t upcoming, std::span<const double> w, std::span<double> out,
                                 ScoreWorkspace&) const {
  if (!data_.dense()) return scores(q, w, out);
  if (std::all_of(w.begin(), w.end(), [](double x) { return x == 0; })) {
    std::fill(out.begin(), out.end(), 0.0);
    return;
  }
  const ScaledRows::View view = rows(q);
  DenseRows with_next = view.rows();
  if (upcoming != q) {
    const DenseRows next =
        scaled_ ? scaled_->source(place_.empty() ? upcoming : place_[upcoming]) : dense_rows(data_.query(upcoming));
    with_next.upcoming = {next.data, next.rows * next.stride};
  }
  multiply(with_next, w, out);
}

void LinearFeatures::accumulate(std::size_t q, std::span<const double> coefficients, std::span<double> sum) const {
  if (data_.dense()) {
    ScaledRows::View view = rows(q);
    view.last();
    dorm::accumulate(view.rows(), coefficients, sum);
    return;
  }
  const Query query = data_.query(q);
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
  return sum_over_queries(data_, threads, dimension(), [&](std::size_t q, std::vector<double>& sum, std::size_t) {
    accumulate(q, coefficients.subspan(data_.first_document(q), data_.query(q).size()), sum);
  });
}

double LinearFeatures::centred_norm(std::size_t threads) const {
  if (norm_) return *norm_;
  std::vector<CentringWorkspace> workspaces(kPieces);
  const std::vector<double> total =
      sum_over_queries(data_, threads, 1, [&](std::size_t q, std::vector<double>& sum, std::size_t piece) {
        sum[0] += data_.dense() ? centred_squares(rows(q).rows(), workspaces[piece]) : sparse_scatter(data_.query(q));
      });
  return norm_of(total[0], data_);
}

std::optional<CentredProducts> LinearFeatures::centred_products(std::span<const double> targets,
                                                                std::size_t threads) const {
  constexpr std::size_t kMostFeatures = 512;
  if (!data_.dense() || dimension() > kMostFeatures) return std::nullopt;
  CentredProducts products{dimension(), product_width(dimension()), {}};
  std::vector<CentringWorkspace> workspaces(kPieces);
  products.upper = sum_over_queries(
      data_, threads, products.width * products.width, [&](std::size_t q, std::vector<double>& sum, std::size_t piece) {
        const ScaledRows::View view = rows(q);
        add_centred_products(view.rows(), targets.subspan(data_.first_document(q), view.rows().rows), workspaces[piece],
                             sum);
      });
  return products;
}

double LinearFeatures::score(std::size_t q, std::size_t document, std::span<const double> w) const {
  if (data_.dense()) {
    const ScaledRows::View view = rows(q);
    return dorm::dot(row_of(view.rows(), document), w);
  }
  const Query query = data_.query(q);
  return product(own_background(query), w) + product(query.rows.sparse_row(document), w);
}

void LinearFeatures::add_row(std::size_t q, std::size_t document, double scale, std::span<double> w) const {
  if (data_.dense()) {
    const ScaledRows::View view = rows(q);
    return axpy(scale, row_of(view.rows(), document), w);
  }
  const Query query = data_.query(q);
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
