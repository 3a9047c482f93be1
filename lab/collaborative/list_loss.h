// SPDX-License-Identifier: Apache-2.0
// Smooth losses of one user's scores, and factorizations that minimise their sum.
#pragma once

#include <span>
#include <vector>

#include "dorm/recommend/factorize.h"

namespace dorm {

class ListLoss {
 public:
  virtual ~ListLoss() = default;
  /// Parameters that a user has beside the factors, where they start, and how they are held there (ridge times lambda).
  virtual std::vector<double> thresholds() const { return {}; }
  virtual double threshold_ridge() const { return 0; }
  /// The loss of the scores of the rated items; both gradients are written, not added to.
  virtual double value(RatingRow ratings, std::span<const double> scores, std::span<const double> thresholds,
                       std::span<double> score_gradient, std::span<double> threshold_gradient) const = 0;
};

/// 1/n sum over pairs i, j with r_i > r_j of log(1 + exp(s_j - s_i)), n the number of ratings.
class PairwiseLogistic : public ListLoss {
 public:
  double value(RatingRow ratings, std::span<const double> scores, std::span<const double> thresholds,
               std::span<double> score_gradient, std::span<double> threshold_gradient) const override;
};

/// Every threshold t between two grades of the scale: h(s - t) when the rating is above it, h(t - s) when below, summed
/// over thresholds and ratings (Rennie and Srebro 2005). Thresholds are the user's own.
class AllThresholds : public ListLoss {
 public:
  enum class Margin { smooth_hinge, logistic };
  /// `grades` increasing; thresholds start halfway between them, in stars.
  AllThresholds(std::vector<double> grades, std::vector<double> start, Margin margin, double ridge)
      : grades_(std::move(grades)), start_(std::move(start)), margin_(margin), ridge_(ridge) {}

  std::vector<double> thresholds() const override { return start_; }
  double threshold_ridge() const override { return ridge_; }
  double value(RatingRow ratings, std::span<const double> scores, std::span<const double> thresholds,
               std::span<double> score_gradient, std::span<double> threshold_gradient) const override;

 private:
  std::vector<double> grades_, start_;
  Margin margin_;
  double ridge_;
};

/// sum_u loss_u(s_u) + lambda/2 (|U - U0|^2 + |V - V0|^2), s_uj = offset_j + <U_u, V_j>, over the learnt coordinates;
/// (U0, V0) is what the model has, or 0.
class FactorLoss {
 public:
  FactorLoss(FactorModel start, const Ratings& ratings, const ListLoss& loss, double lambda, bool centred);

  /// All parameters in one vector: users, items, thresholds.
  std::vector<double> start() const { return start_; }
  double value(std::span<const double> x, std::span<double> gradient);
  /// The factors of x.
  FactorModel model(std::span<const double> x);

 private:
  void unpack(std::span<const double> x);
  double regularise(std::span<const double> x, std::span<double> gradient) const;

  FactorModel model_;
  const Ratings& ratings_;
  const ListLoss& loss_;
  double lambda_;
  std::vector<double> start_, centre_;
  std::size_t first_item_, first_threshold_, thresholds_;
};

/// The factorization that minimises it, by L-BFGS from the start.
FactorModel minimise_factor_loss(const FactorModel& start, const Ratings& ratings, const ListLoss& loss, double lambda,
                                 bool centred);

}  // namespace dorm
