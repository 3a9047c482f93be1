// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/simplex_qp.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace dorm {
namespace {

constexpr std::size_t kSlack = static_cast<std::size_t>(-1);  // the variable that fills a capped simplex

// The point, its gradient and the implicit slack variable, whose row of G and gradient are zero.
class SimplexPoint {
 public:
  SimplexPoint(const GramView& gram, double total, std::span<double> h, std::span<double> a, bool capped)
      : gram_(gram), total_(total), h_(h), a_(a), capped_(capped) {
    slack_ = capped ? std::max(0.0, total - std::accumulate(a.begin(), a.end(), 0.0)) : 0.0;
  }

  /// Finds the variable with the largest gradient, the gap and the residual.
  void inspect() {
    top_ = capped_ ? kSlack : 0;
    double highest = capped_ ? 0.0 : h_[0], lowest = INFINITY, inner = 0;
    for (std::size_t k = 0; k < a_.size(); ++k) {
      if (h_[k] > highest) {
        highest = h_[k];
        top_ = k;
      }
      if (a_[k] > 0) lowest = std::min(lowest, h_[k]);
      inner += a_[k] * h_[k];
    }
    if (slack_ > 0) lowest = std::min(lowest, 0.0);
    gap_ = std::max(0.0, total_ * highest - inner);
    residual_ = std::max(0.0, highest - lowest);
    highest_ = highest;
  }

  /// Moves weight to the top variable from the one that promises most. Returns the gain; 0 if none is left.
  double step() {
    const double top_diagonal = top_ == kSlack ? 0.0 : gram_.row(top_)[top_];
    const double* top_row = top_ == kSlack ? nullptr : gram_.row(top_);
    std::size_t from = top_;
    double best = 0, best_step = 0;
    const auto consider = [&](std::size_t k, double weight, double h, double curvature) {
      const double slope = highest_ - h;
      if (weight <= 0 || slope <= 0) return;
      const double move = curvature * weight > slope ? slope / curvature : weight;
      const double gain = move * (slope - 0.5 * curvature * move);
      if (gain <= best) return;
      best = gain;
      best_step = move;
      from = k;
    };
    for (std::size_t k = 0; k < a_.size(); ++k) {
      const double cross = top_row ? top_row[k] : 0.0;
      consider(k, a_[k], h_[k], std::max(0.0, top_diagonal + gram_.row(k)[k] - 2 * cross));
    }
    consider(kSlack, slack_, 0.0, top_diagonal);
    if (best > 0) move(from, best_step);
    return best;
  }

  double gap() const { return gap_; }
  double residual() const { return residual_; }

 private:
  double& weight(std::size_t k) { return k == kSlack ? slack_ : a_[k]; }

  void move(std::size_t from, double amount) {
    const double left = weight(from) - amount;
    weight(from) = left > 0 ? left : 0;
    weight(top_) += amount;
    if (top_ != kSlack) shift(gram_.row(top_), -amount);
    if (from != kSlack) shift(gram_.row(from), amount);
  }

  void shift(const double* row, double amount) {
    for (std::size_t k = 0; k < h_.size(); ++k) h_[k] += amount * row[k];
  }

  const GramView& gram_;
  double total_, slack_ = 0, highest_ = 0, gap_ = 0, residual_ = 0;
  std::span<double> h_, a_;
  bool capped_;
  std::size_t top_ = kSlack;
};

}  // namespace

SimplexQpReport improve_simplex(const GramView& gram, double total, std::span<double> h, std::span<double> a,
                                const SimplexQpOptions& options) {
  assert(gram.size == a.size() && h.size() == a.size());
  SimplexQpReport report;
  if (a.empty() || !(total > 0)) return report;
  SimplexPoint point(gram, total, h, a, options.kind == SimplexKind::capped);
  point.inspect();
  while (point.gap() > options.tolerance && report.steps < options.max_steps) {
    const double gain = point.step();
    if (!(gain > 0)) break;
    report.gain += gain;
    ++report.steps;
    point.inspect();
  }
  report.gap = point.gap();
  report.residual = point.residual();
  return report;
}

SimplexQpReport solve_simplex_qp(const GramView& gram, std::span<const double> b, double total, std::span<double> a,
                                 const SimplexQpOptions& options) {
  double sum = 0;
  for (double& x : a) sum += x = x > 0 ? x : 0;
  if (sum > total || (options.kind == SimplexKind::full && sum > 0))
    for (double& x : a) x *= total / sum;
  else if (options.kind == SimplexKind::full && !a.empty())
    a[0] = total;
  std::vector<double> h(b.begin(), b.end());
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] > 0)
      for (std::size_t j = 0; j < a.size(); ++j) h[j] -= a[k] * gram.row(k)[j];
  return improve_simplex(gram, total, h, a, options);
}

}  // namespace dorm
