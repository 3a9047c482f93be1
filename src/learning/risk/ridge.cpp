// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/ridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/vector/linear_algebra.h"
#include "base/vector/vector_ops.h"
#include "learning/risk/targets.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxIterations = 200, kFewIterations = 3;
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

/// One penalty of a path: its residual is zeta times the common one.
struct Shifted {
  double shift;  // beyond the smallest penalty
  std::vector<double> w, direction;
  double zeta = 1, previous = 1;
};

/// How the conjugate gradients of the smallest penalty step, now and before.
struct Steps {
  double length = 1, turn = 0;
};

// The Krylov space of A + s I is that of A, and residuals are collinear, so the coefficients of every shift follow
// from those of one.
void advance(Shifted& each, double step, const Steps& before) {
  const double next =
      each.zeta * each.previous * before.length /
      (step * before.turn * (each.previous - each.zeta) + each.previous * before.length * (1 + each.shift * step));
  axpy(step * next / each.zeta, std::span<const double>(each.direction), each.w);
  each.previous = each.zeta;
  each.zeta = next;
}

void turn(Shifted& each, std::span<const double> residual, double turn) {
  const double ratio = each.zeta / each.previous, kept = turn * ratio * ratio;
  for (std::size_t j = 0; j < each.direction.size(); ++j)
    each.direction[j] = each.zeta * residual[j] + kept * each.direction[j];
}

void drop_wrong(std::span<const std::int8_t> signs, std::span<double> w) {
  for (std::size_t j = 0; j < signs.size(); ++j)
    if (w[j] * signs[j] < 0) w[j] = 0;
}

// Each weight in turn to where it is best, given the others, until none moves any more.
void descend(const CentredProducts& products, double penalty, std::span<const std::int8_t> signs, std::span<double> w) {
  constexpr int kMostRounds = 1000;
  constexpr double kStill = 1e-9;  // of the largest weight
  const std::size_t n = products.size;
  const auto entry = [&](std::size_t k, std::size_t j) { return k < j ? products.at(k, j) : products.at(j, k); };
  drop_wrong(signs, w);
  for (int round = 0; round < kMostRounds; ++round) {
    double moved = 0, largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double rest = products.at(k, n);
      for (std::size_t j = 0; j < n; ++j)
        if (j != k && w[j] != 0) rest -= entry(k, j) * w[j];
      double best = rest / (products.at(k, k) + penalty);
      if (best * signs[k] < 0) best = 0;
      moved = std::max(moved, std::abs(best - w[k]));
      w[k] = best;
      largest = std::max(largest, std::abs(best));
    }
    if (!(moved > kStill * largest)) break;
  }
}

}  // namespace

std::vector<std::vector<double>> ridge_path(const CentredProducts& products, std::span<const double> lambdas,
                                            std::span<const std::int8_t> signs) {
  const std::size_t n = products.size;
  double scale = 0;
  for (std::size_t k = 0; k < n; ++k) scale += products.at(k, k);
  std::vector<std::vector<double>> path;
  std::vector<double> matrix(n * n);
  for (const double lambda : lambdas) {
    std::vector<double> w(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = k; j < n; ++j) matrix[j * n + k] = products.at(k, j);
      matrix[k * n + k] += lambda * scale;
      w[k] = products.at(k, n);
    }
    if (!solve_positive(matrix, w)) return {};
    if (!signs.empty()) descend(products, lambda * scale, signs, w);
    path.push_back(std::move(w));
  }
  return path;
}

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

std::vector<std::vector<double>> ridge_path(const NormalEquations& equations, std::span<const double> lambdas,
                                            const StopAsked& over) {
  const auto least = static_cast<std::size_t>(std::min_element(lambdas.begin(), lambdas.end()) - lambdas.begin());
  const double penalty = lambdas[least] * equations.scale;
  const Geometry& space = equations.space;
  std::vector<double> residual = equations.targets;
  std::vector<Shifted> path;
  for (const double lambda : lambdas)
    path.push_back({lambda * equations.scale - penalty, std::vector<double>(space.dimension(), 0.0), residual});
  Steps before;
  double norm = space.inner(residual, residual);
  const double enough = norm * kTolerance * kTolerance;
  for (std::size_t iteration = 0; iteration < kMaxIterations && norm > enough; ++iteration) {
    if (iteration >= kFewIterations && over && over()) break;
    const std::vector<double>& direction = path[least].direction;
    std::vector<double> product = equations.product(direction);
    axpy(penalty, std::span<const double>(direction), product);
    const double curvature = space.inner(direction, product);
    if (!(curvature > 0)) break;
    const double step = norm / curvature;
    for (Shifted& each : path) advance(each, step, before);
    axpy(-step, std::span<const double>(product), residual);
    const double next = space.inner(residual, residual);
    before = {step, next / norm};
    for (Shifted& each : path) turn(each, residual, before.turn);
    norm = next;
  }
  std::vector<std::vector<double>> weights;
  for (Shifted& each : path) {
    drop_wrong(space.signs(), each.w);
    weights.push_back(std::move(each.w));
  }
  return weights;
}

std::vector<double> ridge(const Representation& features, double lambda, std::size_t threads, const StopAsked& over) {
  return ridge(features, labels_of(features.data()), lambda, threads, over);
}

std::vector<double> ridge(const Representation& features, std::span<const double> targets, double lambda,
                          std::size_t threads, const StopAsked& over) {
  return std::move(ridge_path(features, targets, std::span(&lambda, 1), threads, over).front());
}

std::vector<std::vector<double>> ridge_path(const Representation& features, std::span<const double> targets,
                                            std::span<const double> lambdas, std::size_t threads,
                                            const StopAsked& over) {
  std::vector<std::vector<double>> path;
  if (const std::optional<CentredProducts> products = features.centred_products(targets, threads))
    path = ridge_path(*products, lambdas, features.signs());
  if (!path.empty()) return path;
  const NormalEquations equations{features,
                                  static_cast<double>(features.data().num_documents()) * features.centred_norm(threads),
                                  target_product(features, targets, threads),
                                  [&](std::span<const double> v) { return normal_product(features, v, threads); }};
  return ridge_path(equations, lambdas, over);
}

}  // namespace dorm
