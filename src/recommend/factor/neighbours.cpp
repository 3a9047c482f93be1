// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/neighbours.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "recommend/factor/co_rating.h"

namespace dorm {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kExtra = 8;  // more vectors than wanted, so that the wanted ones converge soon
constexpr int kIterations = 20;

Eigen::Map<Rows> as_eigen(FactorMatrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.width)};
}

void orthonormalise(FactorMatrix& basis) {
  auto map = as_eigen(basis);
  const Rows q = Eigen::HouseholderQR<Rows>(map).householderQ() * Rows::Identity(map.rows(), map.cols());
  map = q;
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
    orthonormalise(basis);
    map.to_users(basis, users);
    map.to_items(users, product);
    if (iteration + 1 < kIterations) std::swap(basis, product);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(as_eigen(basis).transpose() * as_eigen(product));
  const Rows vectors = as_eigen(basis) * ritz.eigenvectors();

  FactorMatrix features(items, count);
  for (std::size_t j = 0; j < items; ++j) {
    if (ratings.of_item(j).size() == 0) continue;
    double squares = 0;
    for (std::size_t c = 0; c < count && c + 1 < width; ++c) {
      const auto k = static_cast<Eigen::Index>(width - 2 - c);  // eigenvalues increase
      double& x = features.row(j)[c];
      x = vectors(static_cast<Eigen::Index>(j), k) * std::sqrt(std::max(0.0, ritz.eigenvalues()[k]));
      squares += x * x;
    }
    if (squares > 0)
      for (double& x : features.row(j)) x /= std::sqrt(squares);
  }
  return features;
}

}  // namespace dorm
