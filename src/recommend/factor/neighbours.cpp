// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/neighbours.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "base/vector/linear_algebra.h"
#include "base/vector/vector_ops.h"
#include "recommend/factor/co_rating.h"

namespace dorm {
namespace {

constexpr std::size_t kExtra = 8;  // more vectors than wanted, so that the wanted ones converge soon
constexpr int kIterations = 20;

/// left' right, row by row; both have one row per item.
std::vector<double> inner_products(const FactorMatrix& left, const FactorMatrix& right) {
  std::vector<double> products(left.width * right.width);
  for (std::size_t j = 0; j < left.rows; ++j)
    for (std::size_t a = 0; a < left.width; ++a)
      for (std::size_t b = 0; b < right.width; ++b) products[a * right.width + b] += left.row(j)[a] * right.row(j)[b];
  return products;
}

}  // namespace

// Subspace iteration: G = M'M, M being the co-rating map with columns of unit length.
FactorMatrix neighbour_features(const Ratings& ratings, std::size_t count, std::uint64_t seed, ThreadPool& pool) {
  const CoRating map = CoRating::by_item(ratings, pool);
  const std::size_t items = ratings.num_items(), width = std::min(items, count + 1 + kExtra);
  FactorMatrix basis(items, width), users(ratings.num_users(), width), product(items, width);
  Rng rng(seed);
  for (double& x : basis.values) x = 2 * rng.uniform() - 1;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    orthonormalise(basis.values, width);
    map.to_users(basis, users);
    map.to_items(users, product);
    if (iteration + 1 < kIterations) std::swap(basis, product);
  }
  const SymmetricEigen ritz = symmetric_eigen(inner_products(basis, product), width);

  FactorMatrix features(items, count);
  for (std::size_t j = 0; j < items; ++j) {
    if (ratings.of_item(j).size() == 0) continue;
    double squares = 0;
    for (std::size_t c = 0; c < count && c + 1 < width; ++c) {
      const std::size_t k = width - 2 - c;  // eigenvalues increase
      double& x = features.row(j)[c];
      x = dot(basis.row(j), ritz.vector(k)) * std::sqrt(std::max(0.0, ritz.values[k]));
      squares += x * x;
    }
    if (squares > 0)
      for (double& x : features.row(j)) x /= std::sqrt(squares);
  }
  return features;
}

}  // namespace dorm
