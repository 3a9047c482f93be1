// SPDX-License-Identifier: Apache-2.0
// The sum of the users' losses as a function of one long vector of parameters.
#include <algorithm>

#include "base/vector/vector_ops.h"
#include "lab/collaborative/lbfgs.h"
#include "lab/collaborative/list_loss.h"

namespace dorm {

FactorLoss::FactorLoss(FactorModel start, const Ratings& ratings, const ListLoss& loss, double lambda, bool centred)
    : model_(std::move(start)), ratings_(ratings), loss_(loss), lambda_(lambda) {
  const FactorLayout& layout = model_.layout;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const auto row = model_.user_factors.row(u).first(layout.user_width());
    start_.insert(start_.end(), row.begin(), row.end());
  }
  first_item_ = start_.size();
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const auto row = model_.item_factors.row(j).subspan(layout.item_begin());
    start_.insert(start_.end(), row.begin(), row.end());
  }
  first_threshold_ = start_.size();
  centre_ = centred ? start_ : std::vector<double>(start_.size(), 0.0);
  const std::vector<double> own = loss.thresholds();
  thresholds_ = own.size();
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    start_.insert(start_.end(), own.begin(), own.end());
    centre_.insert(centre_.end(), own.begin(), own.end());
  }
}

void FactorLoss::unpack(std::span<const double> x) {
  const FactorLayout& layout = model_.layout;
  for (std::size_t u = 0; u < ratings_.num_users(); ++u) {
    const auto own = x.subspan(u * layout.user_width(), layout.user_width());
    std::copy(own.begin(), own.end(), model_.user_factors.row(u).begin());
  }
  for (std::size_t j = 0; j < ratings_.num_items(); ++j) {
    const auto own = x.subspan(first_item_ + j * layout.item_width(), layout.item_width());
    std::copy(own.begin(), own.end(), model_.item_factors.row(j).subspan(layout.item_begin()).begin());
  }
}

double FactorLoss::regularise(std::span<const double> x, std::span<double> gradient) const {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ridge = lambda_ * (i < first_threshold_ ? 1 : loss_.threshold_ridge());
    const double distance = x[i] - centre_[i];
    gradient[i] = ridge * distance;
    sum += 0.5 * ridge * distance * distance;
  }
  return sum;
}

double FactorLoss::value(std::span<const double> x, std::span<double> gradient) {
  unpack(x);
  double sum = regularise(x, gradient);
  const FactorLayout& layout = model_.layout;
  std::vector<double> scores, score_gradient, threshold_gradient(thresholds_);
  for (std::size_t u = 0; u < ratings_.num_users(); ++u) {
    const RatingRow row = ratings_.of_user(u);
    if (row.size() == 0) continue;
    scores.resize(row.size());
    score_gradient.resize(row.size());
    const std::span<const double> user = model_.user_factors.row(u);
    for (std::size_t i = 0; i < row.size(); ++i)
      scores[i] =
          model_.offsets[row.index[i]] + dot(user, std::span<const double>(model_.item_factors.row(row.index[i])));
    const std::size_t own = first_threshold_ + u * thresholds_;
    sum += loss_.value(row, scores, x.subspan(own, thresholds_), score_gradient, threshold_gradient);
    for (std::size_t t = 0; t < thresholds_; ++t) gradient[own + t] += threshold_gradient[t];
    const auto user_gradient = gradient.subspan(u * layout.user_width(), layout.user_width());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::span<const double> item = model_.item_factors.row(row.index[i]);
      axpy(score_gradient[i], item.first(layout.user_width()), user_gradient);
      axpy(score_gradient[i], user.subspan(layout.item_begin()),
           gradient.subspan(first_item_ + row.index[i] * layout.item_width(), layout.item_width()));
    }
  }
  return sum;
}

FactorModel FactorLoss::model(std::span<const double> x) {
  unpack(x);
  return model_;
}

FactorModel minimise_factor_loss(const FactorModel& start, const Ratings& ratings, const ListLoss& loss, double lambda,
                                 bool centred) {
  FactorLoss objective(start, ratings, loss, lambda, centred);
  const std::vector<double> first = objective.start();
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(first.data(), static_cast<Eigen::Index>(first.size()));
  const auto as_span = [](auto& vector) { return std::span(vector.data(), static_cast<std::size_t>(vector.size())); };
  minimise([&](const Eigen::VectorXd& at,
               Eigen::VectorXd& gradient) { return objective.value(as_span(at), as_span(gradient)); },
           x);
  return objective.model(as_span(x));
}

}  // namespace dorm
