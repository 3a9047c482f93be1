// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/vector/vector_ops.h"
#include "learning/matching/local_search.h"

namespace dorm {
namespace {

constexpr std::size_t kMostSteps = 50;
constexpr double kLeastRise = 1e-6;  // relative to the value
constexpr double kMix = 0.5;         // share of the start in the first point

/// The score as a function of any matrix X: <node, X> + sum over edges of edge * (both ends' entries).
class QuadraticForm {
 public:
  QuadraticForm(const PairShape& shape, const PairScores& scores) : shape_(shape), scores_(scores) {}

  /// Of the quadratic part.
  std::vector<double> gradient(std::span<const double> x) const {
    std::vector<double> out(x.size(), 0);
    const std::size_t m = shape_.columns;
    for (std::size_t e = 0; e < shape_.row_edges.size(); ++e) {
      const auto [a, b] = shape_.row_edges[e];
      const double* const score = scores_.edge.data() + e * shape_.column_edges.size();
      for (std::size_t f = 0; f < shape_.column_edges.size(); ++f) {
        const auto [c, d] = shape_.column_edges[f];
        out[a * m + c] += score[f] * x[b * m + d];
        out[b * m + d] += score[f] * x[a * m + c];
        if (shape_.directed) continue;
        out[a * m + d] += score[f] * x[b * m + c];
        out[b * m + c] += score[f] * x[a * m + d];
      }
    }
    return out;
  }

 private:
  const PairShape& shape_;
  const PairScores& scores_;
};

std::vector<double> matrix_of(const PairShape& shape, const Match& match) {
  std::vector<double> x(shape.rows * shape.columns, 0);
  for (std::size_t i = 0; i < shape.rows; ++i)
    if (match[i] != kUnmatched) x[i * shape.columns + match[i]] = 1;
  return x;
}

/// The step from 0 to 1 that maximises slope t + curvature t^2.
double best_step(double slope, double curvature) {
  if (curvature < 0) return std::clamp(-slope / (2 * curvature), 0.0, 1.0);
  return slope + curvature > 0 ? 1.0 : 0.0;
}

}  // namespace

Match frank_wolfe(const PairShape& shape, const PairScores& scores, const Match& start) {
  const QuadraticForm form(shape, scores);
  std::vector<double> x(shape.rows * shape.columns, 1.0 / static_cast<double>(std::max(shape.rows, shape.columns)));
  if (!start.empty()) {
    const std::vector<double> vertex = matrix_of(shape, start);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = (1 - kMix) * x[k] + kMix * vertex[k];
  }
  Match match;
  double value = 0;
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    std::vector<double> gradient = form.gradient(x);
    value = dot(scores.node, x) + 0.5 * dot(gradient, x);
    axpy(1, scores.node, gradient);
    match = best_by_nodes(shape, gradient).match;
    std::vector<double> direction = matrix_of(shape, match);
    axpy(-1, x, direction);
    const double slope = dot(gradient, direction), curvature = 0.5 * dot(form.gradient(direction), direction);
    const double t = best_step(slope, curvature);
    axpy(t, direction, x);
    if (slope * t + curvature * t * t <= kLeastRise * (1 + std::abs(value))) break;
  }
  return match;
}

}  // namespace dorm
