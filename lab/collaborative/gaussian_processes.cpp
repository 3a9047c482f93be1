// SPDX-License-Identifier: Apache-2.0
// Gaussian process regression and ordinal regression: one user at a time with a kernel of known facts, and with mean
// and covariance of the items learnt from all users.
#include "lab/collaborative/item_prior.h"
#include "lab/collaborative/method.h"
#include "lab/collaborative/stars.h"

namespace dorm {
namespace {

constexpr KernelWeights kAlone{.constant = 1, .features = 1, .identity = 0};
// Of scores around the item means: what users differ in generally, by facts, by item.
constexpr KernelWeights kShared{.constant = 0.15, .features = 0.15, .identity = 0.15};
constexpr double kBaseWeight = 100;  // users
constexpr int kSteps = 4;

ItemPrior prior_alone(const CollaborativeTask& task) {
  return {Eigen::VectorXd::Zero(static_cast<Eigen::Index>(task.train.num_items())),
          item_kernel(task.train, task.inputs.item_features, kAlone)};
}

ItemPrior prior_shared(const CollaborativeTask& task) {
  const std::vector<double> means = item_means(task.train, kItemDamping);
  return {Eigen::Map<const Eigen::VectorXd>(means.data(), static_cast<Eigen::Index>(means.size())),
          item_kernel(task.train, task.inputs.item_features, kShared)};
}

NormalLikelihood normal(const CollaborativeTask& task, double noise) {
  const RatingScale scale = scale_of(task.train);
  return NormalLikelihood(scale.mean, scale.unit, noise);
}

std::vector<double> means(const CollaborativeTask& task, const ItemPrior& prior, const Likelihood& likelihood) {
  return posterior_means(prior, task.train, fit_users(prior, task.train, likelihood, task.options.threads), task.asked);
}

}  // namespace

std::vector<double> gpr_scores(const CollaborativeTask& task, double noise) {
  return means(task, prior_alone(task), normal(task, noise));
}

std::vector<double> gpor_scores(const CollaborativeTask& task, double noise) {
  return means(task, prior_alone(task),
               ordinal_likelihood(task.train, kAlone.constant + kAlone.features + noise, noise));
}

std::vector<double> cgpr_scores(const CollaborativeTask& task, double noise) {
  const ItemPrior base = prior_shared(task);
  ItemPrior prior = base;
  NormalLikelihood likelihood = normal(task, noise);
  for (int step = 0; step < kSteps; ++step) {
    const auto users = fit_users(prior, task.train, likelihood, task.options.threads);
    update_prior(prior, base, kBaseWeight, task.train, users);
    likelihood.update_noise(users);
  }
  return means(task, prior, likelihood);
}

std::vector<double> cgpor_scores(const CollaborativeTask& task, double noise) {
  const ItemPrior base = prior_shared(task);
  ItemPrior prior = base;
  const OrdinalLikelihood likelihood = ordinal_likelihood(task.train, scale_of(task.train).variance, noise);
  for (int step = 0; step < kSteps; ++step)
    update_prior(prior, base, kBaseWeight, task.train, fit_users(prior, task.train, likelihood, task.options.threads));
  return means(task, prior, likelihood);
}

}  // namespace dorm
