// SPDX-License-Identifier: Apache-2.0
// Matrix factorizations by loss: squared, DORM's bound, pairwise, ordinal, maximum margin. All but the last begin with,
// and are regularised towards, the same squared-loss factors.
#include <set>

#include "lab/collaborative/list_loss.h"
#include "lab/collaborative/method.h"
#include "lab/collaborative/stars.h"

namespace dorm {
namespace {

FactorizeOptions base_options(const CollaborativeTask& task) {
  FactorizeOptions options;
  options.rank = task.options.rank;
  options.implicit = task.options.implicit;
  options.neighbours = task.options.neighbours;
  options.measure = task.options.measure;
  options.threads = task.options.threads;
  options.seed = task.options.seed;
  return options;
}

FactorModel fit(const CollaborativeTask& task, const FactorizeOptions& options) {
  FactorizeInputs inputs;
  inputs.item_features = task.inputs.item_features;
  inputs.user_features = task.inputs.user_features;
  return factorize(task.train, options, inputs).model;
}

FactorModel squared_start(const CollaborativeTask& task) {
  FactorizeOptions options = base_options(task);
  options.rounds = 0;
  return fit(task, options);
}

AllThresholds all_thresholds(const Ratings& ratings, AllThresholds::Margin margin, double ridge) {
  std::set<double> present;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const float value : ratings.of_user(u).value) present.insert(value);
  const std::vector<double> grades(present.begin(), present.end());
  const RatingScale scale = scale_of(ratings);
  std::vector<double> halfway;
  for (std::size_t g = 1; g < grades.size(); ++g) halfway.push_back(scale.stars((grades[g - 1] + grades[g]) / 2));
  return AllThresholds(grades, halfway, margin, ridge);
}

}  // namespace

std::vector<double> squared_scores(const CollaborativeTask& task, double ridge) {
  FactorizeOptions options = base_options(task);
  options.rounds = 0;
  options.start_lambda = ridge;
  return score(fit(task, options), task.asked);
}

std::vector<double> dorm_scores(const CollaborativeTask& task, double lambda) {
  FactorizeOptions options = base_options(task);
  options.lambda = lambda;
  return score(fit(task, options), task.asked);
}

std::vector<double> pairwise_scores(const CollaborativeTask& task, double lambda) {
  return score(minimise_factor_loss(squared_start(task), task.train, PairwiseLogistic(), lambda, true), task.asked);
}

std::vector<double> ordinal_scores(const CollaborativeTask& task, double lambda) {
  const AllThresholds loss = all_thresholds(task.train, AllThresholds::Margin::logistic, 1);
  return score(minimise_factor_loss(squared_start(task), task.train, loss, lambda, true), task.asked);
}

// As published: no offsets and no biases, small random factors to begin with, everything held at 0.
std::vector<double> mmmf_scores(const CollaborativeTask& task, double lambda) {
  FactorizeOptions options = base_options(task);
  options.rounds = 0;
  options.start_sweeps = 0;
  FactorModel start = fit(task, options);
  start.offsets.assign(start.offsets.size(), 0.0);
  for (std::size_t u = 0; u < start.user_factors.rows; ++u) start.user_factors.row(u).back() = 0;
  for (std::size_t j = 0; j < start.item_factors.rows; ++j) start.item_factors.row(j).front() = 0;
  const AllThresholds loss = all_thresholds(task.train, AllThresholds::Margin::smooth_hinge, 0);
  return score(minimise_factor_loss(start, task.train, loss, lambda, false), task.asked);
}

}  // namespace dorm
