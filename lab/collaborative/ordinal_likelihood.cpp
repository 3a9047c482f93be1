// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "base/numeric.h"
#include "lab/collaborative/likelihood.h"

namespace dorm {
namespace {

constexpr int kNewtonSteps = 50;

double density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }
double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

// P(low < Z < high) from the tail that both ends lie in, so that small probabilities keep their digits.
double mass(double low, double high) {
  return low > 0 ? upper_tail(low) - upper_tail(high) : upper_tail(-high) - upper_tail(-low);
}

// The z below which a standard normal lies with this probability, by bisection.
double quantile(double probability) {
  double low = -10, high = 10;
  for (int step = 0; step < 80; ++step) {
    const double middle = 0.5 * (low + high);
    (upper_tail(-middle) < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

OrdinalLikelihood::OrdinalLikelihood(std::vector<float> grades, std::vector<double> thresholds, double noise)
    : grades_(std::move(grades)), thresholds_(std::move(thresholds)), sigma_(std::sqrt(noise)) {}

OrdinalLikelihood::Point OrdinalLikelihood::at(float rating, double f) const {
  const auto grade =
      static_cast<std::size_t>(std::lower_bound(grades_.begin(), grades_.end(), rating) - grades_.begin());
  const double low = grade == 0 ? -kInfinity : (thresholds_[grade - 1] - f) / sigma_;
  const double high = grade < thresholds_.size() ? (thresholds_[grade] - f) / sigma_ : kInfinity;
  const double p = std::max(mass(low, high), std::numeric_limits<double>::min());
  const double low_density = density(low) / p, high_density = density(high) / p;
  const double slope = (low_density - high_density) / sigma_;
  const double bend = (std::isinf(high) ? 0 : high * high_density) - (std::isinf(low) ? 0 : low * low_density);
  return {std::log(p), slope, std::max(slope * slope + bend / (sigma_ * sigma_), 1e-10)};
}

double OrdinalLikelihood::log_posterior(std::span<const float> ratings, const Eigen::VectorXd& mean,
                                        const Eigen::VectorXd& alpha, const Eigen::VectorXd& f) const {
  double sum = -0.5 * alpha.dot(f - mean);
  for (std::size_t i = 0; i < ratings.size(); ++i) sum += at(ratings[i], f[static_cast<Eigen::Index>(i)]).value;
  return sum;
}

// Newton's method in alpha, with A = (K + W^-1)^-1 = R (I + R K R)^-1 R, R = sqrt(W), W the curvatures.
LocalPosterior OrdinalLikelihood::fit(std::span<const float> ratings, const Eigen::VectorXd& mean,
                                      const Eigen::MatrixXd& K) const {
  const Eigen::Index size = mean.size();
  LocalPosterior out{Eigen::VectorXd::Zero(size), Eigen::MatrixXd()};
  Eigen::VectorXd f = mean, slope(size), root(size);
  double value = log_posterior(ratings, mean, out.alpha, f);
  for (int step = 0; step < kNewtonSteps; ++step) {
    for (Eigen::Index i = 0; i < size; ++i) {
      const Point point = at(ratings[static_cast<std::size_t>(i)], f[i]);
      slope[i] = point.slope;
      root[i] = std::sqrt(point.curvature);
    }
    const Eigen::MatrixXd B = Eigen::MatrixXd::Identity(size, size) + root.asDiagonal() * K * root.asDiagonal();
    out.A = root.asDiagonal() * B.llt().solve(Eigen::MatrixXd(root.asDiagonal()));
    const Eigen::VectorXd b = root.cwiseAbs2().cwiseProduct(f - mean) + slope;
    const Eigen::VectorXd change = b - out.A * (K * b) - out.alpha;
    double length = 1, next = -kInfinity;
    for (; length > 1e-6; length /= 2) {
      const Eigen::VectorXd alpha = out.alpha + length * change;
      next = log_posterior(ratings, mean, alpha, mean + K * alpha);
      if (next >= value) break;
    }
    if (!(next >= value)) break;
    out.alpha += length * change;
    f = mean + K * out.alpha;
    const bool settled = next - value < 1e-9;
    value = next;
    if (settled) break;
  }
  return out;
}

OrdinalLikelihood ordinal_likelihood(const Ratings& ratings, double variance, double noise) {
  std::map<float, double> count;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const float value : ratings.of_user(u).value) ++count[value];
  std::vector<float> grades;
  std::vector<double> thresholds;
  double below = 0;
  for (const auto& [grade, number] : count) {
    if (!grades.empty())
      thresholds.push_back(std::sqrt(variance) * quantile(below / static_cast<double>(ratings.size())));
    grades.push_back(grade);
    below += number;
  }
  return OrdinalLikelihood(std::move(grades), std::move(thresholds), noise);
}

}  // namespace dorm
