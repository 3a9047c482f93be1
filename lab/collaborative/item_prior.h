// SPDX-License-Identifier: Apache-2.0
// What Gaussian process methods believe about a user before the first rating: scores of all items are normal with this
// mean and this covariance. Collaborative methods learn both from all users.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dorm/lab/collaborative.h"
#include "lab/collaborative/likelihood.h"

namespace dorm {

struct ItemPrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXf covariance;  // single precision: half the time of the products of its size
};

/// constant + features <phi_i, phi_j> + identity [i = j], phi being the item's known facts at unit length.
struct KernelWeights {
  double constant = 0, features = 0, identity = 0;
};
Eigen::MatrixXf item_kernel(const Ratings& ratings, const SideFeatures* features, const KernelWeights& weights);

/// The posterior of every user by the ratings of the user.
std::vector<LocalPosterior> fit_users(const ItemPrior& prior, const Ratings& ratings, const Likelihood& likelihood,
                                      std::size_t threads);

/// Posterior means of the scores of the items asked for.
std::vector<double> posterior_means(const ItemPrior& prior, const Ratings& ratings,
                                    std::span<const LocalPosterior> users, const Ratings& asked);

/// One step of expectation maximisation for mean and covariance (Yu, Yu, Tresp and Kriegel 2006), the prior of both
/// being `base` with the weight of so many users. With posterior mean m_u and covariance C_u of user u,
///
///   mean       = (sum_u m_u + weight base mean) / (users + weight)
///   covariance = (sum_u C_u + (m_u - mean)(m_u - mean)' + weight base covariance) / (users + weight),
///
/// the old mean standing in the second line. Only users with ratings count. No M x M matrix per user is made: m_u =
/// mean + K S_u alpha_u and C_u = K - K S_u A_u S_u' K, S_u choosing the items that u has rated.
void update_prior(ItemPrior& prior, const ItemPrior& base, double weight, const Ratings& ratings,
                  std::span<const LocalPosterior> users);

}  // namespace dorm
