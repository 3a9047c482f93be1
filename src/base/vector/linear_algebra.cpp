// SPDX-License-Identifier: Apache-2.0
#include "base/vector/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace dorm {
namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

SymmetricEigen symmetric_eigen(std::span<const double> matrix, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::MatrixXd copy = Eigen::Map<const ByRows>(matrix.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(copy);
  const Eigen::VectorXd& values = solver.eigenvalues();
  const Eigen::MatrixXd& vectors = solver.eigenvectors();
  return {{values.data(), values.data() + values.size()}, {vectors.data(), vectors.data() + vectors.size()}};
}

bool solve_positive(std::span<const double> matrix, std::span<double> x) {
  const auto size = static_cast<Eigen::Index>(x.size());
  const Eigen::Map<const ByRows> map(matrix.data(), size, size);
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(map);
  if (factor.info() != Eigen::Success) return false;
  Eigen::Map<Eigen::VectorXd> right(x.data(), size);
  factor.solveInPlace(right);
  return right.allFinite();
}

void orthonormalise(std::span<double> matrix, std::size_t columns) {
  const auto width = static_cast<Eigen::Index>(columns);
  Eigen::Map<ByRows> map(matrix.data(), static_cast<Eigen::Index>(matrix.size() / columns), width);
  const ByRows q = Eigen::HouseholderQR<ByRows>(map).householderQ() * ByRows::Identity(map.rows(), width);
  map = q;
}

}  // namespace dorm
