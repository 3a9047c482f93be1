// SPDX-License-Identifier: Apache-2.0
#include "lab/collaborative/item_prior.h"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace dorm {
namespace {

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

Eigen::MatrixXf item_kernel(const Ratings& ratings, const SideFeatures* features, const KernelWeights& weights) {
  const Eigen::Index size = at(ratings.num_items());
  Eigen::MatrixXf K = Eigen::MatrixXf::Constant(size, size, static_cast<float>(weights.constant));
  K.diagonal().array() += static_cast<float>(weights.identity);
  if (features == nullptr) return K;
  const std::size_t width = features->names.size();
  Eigen::MatrixXf phi = Eigen::MatrixXf::Zero(size, at(width));
  for (std::size_t j = 0; j < ratings.num_items(); ++j)
    if (const auto row = features->ids.find(ratings.items()[j])) {
      for (std::size_t c = 0; c < width; ++c)
        phi(at(j), at(c)) = static_cast<float>(features->values[*row * width + c]);
      phi.row(at(j)).normalize();
    }
  K += static_cast<float>(weights.features) * phi * phi.transpose();
  return K;
}

std::vector<LocalPosterior> fit_users(const ItemPrior& prior, const Ratings& ratings, const Likelihood& likelihood,
                                      std::size_t threads) {
  std::vector<LocalPosterior> users(ratings.num_users());
  parallel_for(users.size(), threads, [&](std::size_t u, std::size_t) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) return;
    Eigen::VectorXd mean(at(row.size()));
    Eigen::MatrixXd K(mean.size(), mean.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      mean[at(i)] = prior.mean[row.index[i]];
      for (std::size_t j = 0; j < row.size(); ++j) K(at(i), at(j)) = prior.covariance(row.index[i], row.index[j]);
    }
    users[u] = likelihood.fit(row.value, mean, K);
  });
  return users;
}

std::vector<double> posterior_means(const ItemPrior& prior, const Ratings& ratings,
                                    std::span<const LocalPosterior> users, const Ratings& asked) {
  std::vector<double> scores;
  scores.reserve(asked.size());
  for (std::size_t u = 0; u < asked.num_users(); ++u) {
    const auto rated = ratings.of_user(u).index;
    for (const std::uint32_t item : asked.of_user(u).index) {
      double sum = prior.mean[item];
      for (std::size_t i = 0; i < rated.size(); ++i)
        sum += static_cast<double>(prior.covariance(rated[i], item)) * users[u].alpha[at(i)];
      scores.push_back(sum);
    }
  }
  return scores;
}

void update_prior(ItemPrior& prior, const ItemPrior& base, double weight, const Ratings& ratings,
                  std::span<const LocalPosterior> users) {
  const Eigen::Index size = prior.mean.size();
  double counted = 0;
  Eigen::VectorXf pull = Eigen::VectorXf::Zero(size);  // sum_u S_u alpha_u
  std::vector<Eigen::Triplet<float>> entries;          // of sum_u S_u (alpha alpha' - A) S_u'
  for (std::size_t u = 0; u < users.size(); ++u) {
    const auto items = ratings.of_user(u).index;
    counted += items.empty() ? 0 : 1;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double alpha = users[u].alpha[at(i)];
      pull[items[i]] += static_cast<float>(alpha);
      for (std::size_t j = 0; j < items.size(); ++j)
        entries.emplace_back(static_cast<int>(items[i]), static_cast<int>(items[j]),
                             static_cast<float>(alpha * users[u].alpha[at(j)] - users[u].A(at(i), at(j))));
    }
  }
  Eigen::SparseMatrix<float> change(size, size);
  change.setFromTriplets(entries.begin(), entries.end());
  const Eigen::MatrixXf half = prior.covariance * change;
  const Eigen::VectorXd moved = (prior.covariance * pull).cast<double>();
  prior.mean = (counted * prior.mean + moved + weight * base.mean) / (counted + weight);
  const auto total = static_cast<float>(counted + weight);
  Eigen::MatrixXf next = static_cast<float>(counted) * prior.covariance + static_cast<float>(weight) * base.covariance;
  next.triangularView<Eigen::Lower>() += half * prior.covariance;
  prior.covariance = next.selfadjointView<Eigen::Lower>();
  prior.covariance /= total;
}

}  // namespace dorm
