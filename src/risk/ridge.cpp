// SPDX-License-Identifier: Apache-2.0
#include "risk/ridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxIterations = 200;
constexpr double kTolerance = 1e-6;  // of the residual's norm
constexpr std::size_t kPieces = 16;  // queries are summed in this many parts, whatever the number of threads

void centre(std::span<double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
}

// sum over queries of body(query, sum), in a fixed order: the result does not depend on the number of
// threads.
template <class Body>
std::vector<double> sum_over_queries(const LinearFeatures& features, std::size_t threads, std::size_t size,
                                     const Body& body) {
  std::vector<std::vector<double>> part(kPieces, std::vector<double>(size, 0.0));
  const std::size_t queries = features.data().num_queries();
  parallel_for(kPieces, threads, [&](std::size_t piece, std::size_t) {
    for (std::size_t q = piece * queries / kPieces; q < (piece + 1) * queries / kPieces; ++q)
      body(q, part[piece]);
  });
  for (std::size_t piece = 1; piece < kPieces; ++piece)
    axpy(1.0, std::span<const double>(part[piece]), part[0]);
  return std::move(part[0]);
}

// X'X v over centred rows: centring the products is enough, since X'P'P X = X'P X for a projection P.
std::vector<double> normal_product(const LinearFeatures& features, std::span<const double> v,
                                   std::size_t threads) {
  return sum_over_queries(features, threads, v.size(), [&](std::size_t q, std::vector<double>& sum) {
    std::vector<double> scores(features.data().query(q).size());
    features.scores(q, v, scores);
    centre(scores);
    features.accumulate(q, scores, sum);
  });
}

std::vector<double> target_product(const LinearFeatures& features, std::span<const double> targets,
                                   std::size_t threads) {
  return sum_over_queries(features, threads, features.dimension(),
                          [&](std::size_t q, std::vector<double>& sum) {
                            const Query query = features.data().query(q);
                            const auto given = targets.subspan(query.first_document, query.size());
                            std::vector<double> centred(given.begin(), given.end());
                            centre(centred);
                            features.accumulate(q, centred, sum);
                          });
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

double centred_row_norm(const LinearFeatures& features, std::size_t threads) {
  const std::vector<double> total =
      sum_over_queries(features, threads, 1, [&](std::size_t q, std::vector<double>& sum) {
        const Query query = features.data().query(q);
        sum[0] += query.rows.dense() ? dense_scatter(query) : sparse_scatter(query);
      });
  const auto documents = static_cast<double>(features.data().num_documents());
  return documents > 0 ? total[0] / documents : 0.0;
}

std::vector<double> ridge(const LinearFeatures& features, double lambda, std::size_t threads) {
  std::vector<double> labels;
  for (std::size_t q = 0; q < features.data().num_queries(); ++q) {
    const Query query = features.data().query(q);
    labels.insert(labels.end(), query.labels.begin(), query.labels.end());
  }
  return ridge(features, labels, lambda, threads);
}

std::vector<double> ridge(const LinearFeatures& features, std::span<const double> targets, double lambda,
                          std::size_t threads) {
  const double penalty =
      lambda * static_cast<double>(features.data().num_documents()) * centred_row_norm(features, threads);
  std::vector<double> w(features.dimension(), 0.0);
  std::vector<double> residual = target_product(features, targets, threads);
  std::vector<double> direction = residual;
  double norm = dot(std::span<const double>(residual), residual);
  const double enough = norm * kTolerance * kTolerance;
  for (std::size_t iteration = 0; iteration < kMaxIterations && norm > enough; ++iteration) {
    std::vector<double> product = normal_product(features, direction, threads);
    axpy(penalty, std::span<const double>(direction), product);
    const double curvature = dot(std::span<const double>(direction), product);
    if (!(curvature > 0)) break;
    const double step = norm / curvature;
    axpy(step, std::span<const double>(direction), w);
    axpy(-step, std::span<const double>(product), residual);
    const double next = dot(std::span<const double>(residual), residual);
    for (std::size_t j = 0; j < direction.size(); ++j)
      direction[j] = residual[j] + next / norm * direction[j];
    norm = next;
  }
  return w;
}

}  // namespace dorm
