// SPDX-License-Identifier: Apache-2.0
#include "factor/user_step.h"

#include <algorithm>

#include "base/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxPlanes = 60;

double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += (x[c] - y[c]) * (x[c] - y[c]);
  return sum;
}

}  // namespace

// The offset is taken at the centre: H(x) >= offset - <p, x - x0>.
void UserStep::add_plane(std::span<const std::uint32_t> items, const FactorMatrix& item_factors) {
  std::fill(pulled_.begin(), pulled_.end(), 0.0);
  double offset = plane_.loss;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (plane_.delta[i] == 0) continue;
    offset -= plane_.delta[i] * centre_scores_[i];
    axpy(plane_.delta[i], item_factors.row(items[i]).first(pulled_.size()), std::span(pulled_));
  }
  if (planes_.add(pulled_, offset, kMaxPlanes)) alpha_.assign(planes_.alpha().begin(), planes_.alpha().end());
}

UserStepResult UserStep::solve(RankingLists& lists, std::size_t l, const FactorMatrix& item_factors,
                               std::span<const double> offsets, std::span<const double> centre,
                               std::span<double> row) {
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
  score_items(items, trial_, item_factors, offsets, centre_scores_);
  add_plane(items, item_factors);
  scores_ = centre_scores_;
  double regulariser = 0, reached = 0;
  for (std::size_t step = 0; step < kMaxPlanes; ++step) {
    lists.separate(l, scores_, plane_, workspace_);
    const double primal = plane_.value + regulariser;
    if (primal < result.after) {
      result.after = primal;
      std::copy_n(trial_.begin(), width, row.begin());
    }
    if (result.after - result.dual <= tolerance_ * result.after) break;
    const std::size_t held = planes_.size();
    add_plane(items, item_factors);
    if (planes_.size() == held && primal - result.dual > 0 && reached == result.dual && step > 0) break;
    reached = result.dual;

    h_.resize(planes_.size());
    for (std::size_t k = 0; k < h_.size(); ++k) {
      h_[k] = planes_.loss(k);
      for (std::size_t j = 0; j < h_.size(); ++j) h_[k] -= planes_.gram(k, j) * alpha_[j] / lambda_;
    }
    planes_.improve(h_, 1 / lambda_, 0.1 * tolerance_ * (result.after - result.dual), alpha_);
    std::copy(alpha_.begin(), alpha_.end(), planes_.alpha().begin());

    std::copy(centre.begin(), centre.end(), trial_.begin());
    double dual = 0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      if (alpha_[k] == 0) continue;
      axpy(alpha_[k] / lambda_, planes_.vector(k), std::span(trial_).first(width));
      dual += alpha_[k] * planes_.loss(k);
    }
    regulariser = 0.5 * lambda_ * squared_distance(std::span<const double>(trial_).first(width), centre);
    result.dual = std::max(result.dual, dual - regulariser);
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
