// SPDX-License-Identifier: Apache-2.0
// Neighbourhoods of items: a user likes what resembles the items the user liked. Similarity is the correlation of what
// is left of the ratings after item means and user means, shrunk by the number of common raters n:
//
//   sim_ij = n / (n + shrink) * sum_u e_ui e_uj / sqrt(sum_u e_ui^2 sum_u e_uj^2)   over users who rated both
//   score_uj = mean_j + sum_i sim_ij e_ui / (1 + sum_i |sim_ij|)                    over items i rated by u
#include <cmath>
#include <cstdint>
#include <vector>

#include "lab/collaborative/method.h"
#include "lab/collaborative/stars.h"

namespace dorm {
namespace {

constexpr double kUserDamping = 5;  // ratings that agree with the item means

/// e_ui by rating, user by user, and the item means it was taken from.
struct Residuals {
  std::vector<double> item_mean, left;
};

Residuals residuals_of(const Ratings& ratings) {
  const RatingScale scale = scale_of(ratings);
  Residuals out{item_means(ratings, kItemDamping), {}};
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += scale.stars(row.value[i]) - out.item_mean[row.index[i]];
    const double user_mean = sum / (static_cast<double>(row.size()) + kUserDamping);
    for (std::size_t i = 0; i < row.size(); ++i)
      out.left.push_back(scale.stars(row.value[i]) - out.item_mean[row.index[i]] - user_mean);
  }
  return out;
}

/// Sums over the users who rated both, for one item against all.
struct CommonRaters {
  std::vector<double> product, own, other;
  std::vector<std::uint32_t> count;
};

void sum_over_raters(const Ratings& ratings, const Residuals& residuals, std::size_t item, CommonRaters& sums) {
  for (auto* column : {&sums.product, &sums.own, &sums.other}) column->assign(ratings.num_items(), 0.0);
  sums.count.assign(ratings.num_items(), 0);
  for (const std::uint32_t user : ratings.of_item(item).index) {
    const RatingRow row = ratings.of_user(user);
    const double* left = residuals.left.data() + ratings.first_of_user(user);
    double e = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row.index[i] == item) e = left[i];
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::uint32_t j = row.index[i];
      sums.product[j] += e * left[i];
      sums.own[j] += e * e;
      sums.other[j] += left[i] * left[i];
      ++sums.count[j];
    }
  }
}

double similarity(const CommonRaters& sums, std::size_t j, double shrink) {
  const double length = std::sqrt(sums.own[j] * sums.other[j]), n = sums.count[j];
  return length > 0 ? n / (n + shrink) * sums.product[j] / length : 0;
}

}  // namespace

std::vector<double> item_knn_scores(const CollaborativeTask& task, double shrink) {
  const Residuals residuals = residuals_of(task.train);
  std::vector<double> scores(task.asked.size());
  std::vector<std::size_t> next(task.asked.num_users());  // of the user's asked items, which come by number
  CommonRaters sums;
  for (std::size_t item = 0; item < task.asked.num_items(); ++item) {
    const RatingRow asking = task.asked.of_item(item);
    if (asking.size() == 0) continue;
    sum_over_raters(task.train, residuals, item, sums);
    for (const std::uint32_t user : asking.index) {
      const RatingRow rated = task.train.of_user(user);
      const double* left = residuals.left.data() + task.train.first_of_user(user);
      double weighted = 0, weights = 1;
      for (std::size_t i = 0; i < rated.size(); ++i) {
        const double weight = similarity(sums, rated.index[i], shrink);
        weighted += weight * left[i];
        weights += std::abs(weight);
      }
      scores[task.asked.first_of_user(user) + next[user]++] = residuals.item_mean[item] + weighted / weights;
    }
  }
  return scores;
}

}  // namespace dorm
