// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/user_step.h"

#include <algorithm>

#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxPlanes = 60;

}  // namespace

// The offset is taken at the centre: H(x) >= offset - <p, x - x0>. False when the plane is known.
bool UserStep::add_plane(std::span<const std::uint32_t> items, const FactorMatrix& item_factors) {
  std::fill(pulled_.begin(), pulled_.end(), 0.0);
  double offset = plane_.loss;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (plane_.delta[i] == 0) continue;
    offset -= plane_.delta[i] * centre_scores_[i];
    axpy(plane_.delta[i], item_factors.row(items[i]).first(pulled_.size()), std::span(pulled_));
  }
  return planes_.add(pulled_, offset, kMaxPlanes);
}

// The best weights of the planes at hand; leaves x = x0 + sum alpha p / lambda in trial_, returns the dual.
double UserStep::maximise_dual(std::span<const double> centre, double tolerance) {
  alpha_.assign(planes_.alpha().begin(), planes_.alpha().end());
  h_.resize(planes_.size());
  for (std::size_t k = 0; k < h_.size(); ++k) {
    h_[k] = planes_.loss(k);
    for (std::size_t j = 0; j < h_.size(); ++j) h_[k] -= planes_.gram(k, j) * alpha_[j] / lambda_;
  }
  planes_.improve(h_, 1 / lambda_, tolerance, alpha_);
  std::copy(alpha_.begin(), alpha_.end(), planes_.alpha().begin());

  const auto x = std::span(trial_).first(centre.size());
  std::copy(centre.begin(), centre.end(), x.begin());
  double dual = 0;
  for (std::size_t k = 0; k < alpha_.size(); ++k) {
    if (alpha_[k] == 0) continue;
    axpy(alpha_[k] / lambda_, planes_.vector(k), x);
    dual += alpha_[k] * planes_.loss(k);
  }
  trial_regulariser_ = 0.5 * lambda_ * squared_distance(x, centre);
  return dual - trial_regulariser_;
}

UserStepResult UserStep::solve(RankingLists& lists, std::size_t l, const FactorMatrix& item_factors,
                               std::span<const double> offsets, std::span<const double> centre, std::span<double> row) {
  const auto items = lists.row(l).index;
  const std::size_t width = centre.size();
  scores_.resize(items.size());
  centre_scores_.resize(items.size());
  pulled_.resize(width);
  planes_.clear();

  score_items(items, row, item_factors, offsets, scores_);
  lists.set_reference(l, scores_, workspace_, change_);
  lists.separate(l, scores_, plane_, workspace_);
  UserStepResult result;
  result.before = result.after = plane_.value + 0.5 * lambda_ * squared_distance(row.first(width), centre);

  trial_.assign(row.begin(), row.end());
  std::copy(centre.begin(), centre.end(), trial_.begin());
  trial_regulariser_ = 0;
  score_items(items, trial_, item_factors, offsets, centre_scores_);
  add_plane(items, item_factors);
  scores_ = centre_scores_;
  double reached = 0;  // the dual before the latest plane
  for (std::size_t step = 0; step < kMaxPlanes; ++step) {
    lists.separate(l, scores_, plane_, workspace_);
    const double primal = plane_.value + trial_regulariser_;
    if (primal < result.after) {
      result.after = primal;
      std::copy_n(trial_.begin(), width, row.begin());
    }
    const double gap = result.after - result.dual;
    if (gap <= tolerance_ * result.after) break;
    const bool added = add_plane(items, item_factors);
    if (!added && reached == result.dual && step > 0) break;  // no new plane and no higher dual: exact up to rounding
    reached = result.dual;
    result.dual = std::max(result.dual, maximise_dual(centre, 0.1 * tolerance_ * gap));
    score_items(items, trial_, item_factors, offsets, scores_);
  }
  return result;
}

std::vector<UserStep> user_steps(std::size_t threads, const FactorizeOptions& options) {
  std::vector<UserStep> steps;
  for (std::size_t t = 0; t < threads; ++t) steps.emplace_back(options.lambda, options.tolerance);
  return steps;
}

}  // namespace dorm
