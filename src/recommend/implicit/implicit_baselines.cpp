// SPDX-License-Identifier: Apache-2.0
// Popularity, and item-based nearest neighbours by cosine.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/recommend/implicit.h"
#include "recommend/factor/best_items.h"

namespace dorm {

CatalogueScores popularity_scores(const Ratings& train) {
  std::vector<double> users(train.num_items());
  for (std::size_t j = 0; j < users.size(); ++j) users[j] = real(train.of_item(j).size());
  return [users](std::size_t, std::span<double> scores) { std::copy(users.begin(), users.end(), scores.begin()); };
}

CatalogueScores item_knn_scores(const Ratings& train, std::size_t neighbours, std::size_t threads) {
  const auto nearest = std::make_shared<std::vector<std::vector<Recommendation>>>(train.num_items());
  ThreadPool pool(thread_count(threads));
  pool.run(train.num_items(), [&](std::size_t j, std::size_t) {
    std::vector<double> common(train.num_items());
    for (const std::uint32_t user : train.of_item(j).index)
      for (const std::uint32_t item : train.of_user(user).index) ++common[item];
    std::vector<Recommendation> candidates;
    for (std::uint32_t i = 0; i < common.size(); ++i)
      if (i != j && common[i] > 0)
        candidates.push_back({i, common[i] / std::sqrt(real(train.of_item(i).size()) * real(train.of_item(j).size()))});
    (*nearest)[j] = best_of(std::move(candidates), neighbours);
  });
  // The neighbours of an item vote for it where the user has them.
  std::vector<std::vector<std::uint32_t>> rows(train.num_users());
  for (std::size_t u = 0; u < rows.size(); ++u)
    rows[u].assign(train.of_user(u).index.begin(), train.of_user(u).index.end());
  return [nearest, rows = std::move(rows)](std::size_t user, std::span<double> scores) {
    std::vector<char> has(scores.size());
    for (const std::uint32_t item : rows[user]) has[item] = 1;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = 0;
      for (const Recommendation& near : (*nearest)[i])
        if (has[near.item]) scores[i] += near.score;
    }
  };
}

}  // namespace dorm
