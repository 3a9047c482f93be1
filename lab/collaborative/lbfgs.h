// SPDX-License-Identifier: Apache-2.0
// Minimisation of smooth functions of many variables by limited-memory BFGS (Nocedal 1980) with backtracking.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>

namespace dorm {

/// The value at x; writes the gradient, which has the size of x already.
using SmoothFunction = std::function<double(const Eigen::VectorXd& x, Eigen::VectorXd& gradient)>;

struct LbfgsOptions {
  std::size_t memory = 10, iterations = 100;
  double tolerance = 1e-4;  // stop when the gradient is this share of the one at the start
};

/// Moves x downhill; the value never rises. Returns the value at the end.
double minimise(const SmoothFunction& function, Eigen::VectorXd& x, const LbfgsOptions& options = {});

}  // namespace dorm
