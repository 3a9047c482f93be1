// SPDX-License-Identifier: Apache-2.0
// How a rating depends on the score of the item: normal noise, or a noisy score cut at thresholds.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dorm/recommend/ratings.h"

namespace dorm {

/// The posterior of the rated scores f ~ N(mean, K): alpha = K^-1 (posterior mean - mean), and A such that the
/// posterior covariance is K - K A K.
struct LocalPosterior {
  Eigen::VectorXd alpha;
  Eigen::MatrixXd A;
};

class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual LocalPosterior fit(std::span<const float> ratings, const Eigen::VectorXd& mean,
                             const Eigen::MatrixXd& K) const = 0;
};

/// Rating in stars = score + noise of this variance. Exact.
class NormalLikelihood : public Likelihood {
 public:
  NormalLikelihood(double rating_mean, double unit, double noise)
      : rating_mean_(rating_mean), unit_(unit), noise_(noise) {}
  LocalPosterior fit(std::span<const float> ratings, const Eigen::VectorXd& mean,
                     const Eigen::MatrixXd& K) const override;
  double noise() const { return noise_; }
  /// Expectation maximisation: the expected squared error of the ratings under the posteriors.
  void update_noise(std::span<const LocalPosterior> users);

 private:
  double rating_mean_, unit_, noise_;
};

/// P(grade g | f) = Phi((t_g - f) / sigma) - Phi((t_g-1 - f) / sigma), t_-1 = -inf and the last = +inf (Chu and
/// Ghahramani 2005). Laplace's approximation: a normal at the mode of the posterior.
class OrdinalLikelihood : public Likelihood {
 public:
  /// `grades` increasing, one threshold between each two.
  OrdinalLikelihood(std::vector<float> grades, std::vector<double> thresholds, double noise);
  LocalPosterior fit(std::span<const float> ratings, const Eigen::VectorXd& mean,
                     const Eigen::MatrixXd& K) const override;

  /// log P(rating | f), its derivative and minus its second derivative, which is above 0.
  struct Point {
    double value, slope, curvature;
  };
  Point at(float rating, double f) const;

 private:
  double log_posterior(std::span<const float> ratings, const Eigen::VectorXd& mean, const Eigen::VectorXd& alpha,
                       const Eigen::VectorXd& f) const;

  std::vector<float> grades_;
  std::vector<double> thresholds_;
  double sigma_;
};

/// Thresholds at which a normal variable of this variance, score and noise together, falls between grades as
/// often as ratings do.
OrdinalLikelihood ordinal_likelihood(const Ratings& ratings, double variance, double noise);

}  // namespace dorm
