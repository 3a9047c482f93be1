// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/ridge.h"

#include <numeric>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxIterations = 200;
constexpr double kTolerance = 1e-6;  // of the residual's norm

void centre(std::span<double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
}

// One number per document: body(query, numbers of its documents), then centred within the query.
template <class Body>
std::vector<double> centred_numbers(const Dataset& data, std::size_t threads, const Body& body) {
  std::vector<double> numbers(data.num_documents());
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const std::span<double> part = std::span(numbers).subspan(data.first_document(q), data.query(q).size());
    body(q, part);
    centre(part);
  });
  return numbers;
}

// X'X v over centred rows: centring the products is enough, since X'P'P X = X'P X for a projection P.
std::vector<double> normal_product(const Representation& features, std::span<const double> v, std::size_t threads) {
  return features.combine(centred_numbers(features.data(), threads,
                                          [&](std::size_t q, std::span<double> out) { features.scores(q, v, out); }),
                          threads);
}

std::vector<double> target_product(const Representation& features, std::span<const double> targets,
                                   std::size_t threads) {
  const Dataset& data = features.data();
  return features.combine(centred_numbers(data, threads,
                                          [&](std::size_t q, std::span<double> out) {
                                            const auto own = targets.subspan(data.first_document(q), out.size());
                                            std::copy(own.begin(), own.end(), out.begin());
                                          }),
                          threads);
}

}  // namespace

std::vector<double> ridge(const Representation& features, double lambda, std::size_t threads, double seconds) {
  std::vector<double> labels;
  for (std::size_t q = 0; q < features.data().num_queries(); ++q) {
    const Query query = features.data().query(q);
    labels.insert(labels.end(), query.labels.begin(), query.labels.end());
  }
  return ridge(features, labels, lambda, threads, seconds);
}

std::vector<double> ridge(const Representation& features, std::span<const double> targets, double lambda,
                          std::size_t threads, double seconds) {
  const TimeLimit limit(seconds);
  const double penalty = lambda * static_cast<double>(features.data().num_documents()) * features.centred_norm(threads);
  std::vector<double> w(features.dimension(), 0.0);
  std::vector<double> residual = target_product(features, targets, threads);
  std::vector<double> direction = residual;
  double norm = features.inner(residual, residual);
  const double enough = norm * kTolerance * kTolerance;
  for (std::size_t iteration = 0; iteration < kMaxIterations && norm > enough && !limit.over(); ++iteration) {
    std::vector<double> product = normal_product(features, direction, threads);
    axpy(penalty, std::span<const double>(direction), product);
    const double curvature = features.inner(direction, product);
    if (!(curvature > 0)) break;
    const double step = norm / curvature;
    axpy(step, std::span<const double>(direction), w);
    axpy(-step, std::span<const double>(product), residual);
    const double next = features.inner(residual, residual);
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = residual[j] + next / norm * direction[j];
    norm = next;
  }
  return w;
}

}  // namespace dorm
