// SPDX-License-Identifier: Apache-2.0
#include "lab/collaborative/lbfgs.h"

#include <deque>
#include <vector>

namespace dorm {
namespace {

constexpr double kSufficient = 1e-4;  // share of the promised decrease that a step must keep
constexpr int kHalvings = 30;

struct Pair {
  Eigen::VectorXd step, change;  // of x and of the gradient
  double product;                // <step, change> > 0
};

// -(approximate inverse Hessian) gradient, by the two-loop recursion.
Eigen::VectorXd direction(const Eigen::VectorXd& gradient, const std::deque<Pair>& pairs) {
  Eigen::VectorXd d = -gradient;
  std::vector<double> weight(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    weight[k] = pairs[k].step.dot(d) / pairs[k].product;
    d -= weight[k] * pairs[k].change;
  }
  if (!pairs.empty()) d *= pairs.back().product / pairs.back().change.squaredNorm();
  for (std::size_t k = 0; k < pairs.size(); ++k)
    d += (weight[k] - pairs[k].change.dot(d) / pairs[k].product) * pairs[k].step;
  return d;
}

}  // namespace

double minimise(const SmoothFunction& function, Eigen::VectorXd& x, const LbfgsOptions& options) {
  Eigen::VectorXd gradient(x.size()), next_gradient(x.size()), next(x.size());
  double value = function(x, gradient);
  const double enough = options.tolerance * gradient.norm();
  std::deque<Pair> pairs;
  for (std::size_t iteration = 0; iteration < options.iterations && gradient.norm() > enough; ++iteration) {
    Eigen::VectorXd d = direction(gradient, pairs);
    double slope = gradient.dot(d);
    if (!(slope < 0)) {  // rounding has spoilt the pairs
      pairs.clear();
      d = -gradient;
      slope = -gradient.squaredNorm();
    }
    double length = pairs.empty() ? std::min(1.0, 1 / gradient.norm()) : 1.0, next_value = value;
    int halvings = 0;
    for (; halvings < kHalvings; ++halvings, length /= 2) {
      next = x + length * d;
      next_value = function(next, next_gradient);
      if (next_value <= value + kSufficient * length * slope) break;
    }
    if (halvings == kHalvings) break;
    Pair pair{next - x, next_gradient - gradient, 0};
    pair.product = pair.step.dot(pair.change);
    if (pair.product > 1e-10 * pair.change.squaredNorm()) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > options.memory) pairs.pop_front();
    }
    x.swap(next);
    gradient.swap(next_gradient);
    value = next_value;
  }
  return value;
}

}  // namespace dorm
