// SPDX-License-Identifier: Apache-2.0
// K_U A K_I: first B = A K_I, a row per user who has coefficients, then for every user asked about the mixture of these
// rows, at the items asked for.
#include "recommend/joint/joint_scores.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"

namespace dorm {
namespace {

void check_sizes(const Similarities& items, std::size_t users, const JointRanker& ranker, const Ratings& asked) {
  if (users < asked.num_users() || items.size < asked.num_items())
    throw Error(ErrorCode::bad_input, fmt::format("similarities of {} users and {} items, but {} and {} are asked for",
                                                  users, items.size, asked.num_users(), asked.num_items()));
  for (const PairCoefficient& pair : ranker)
    if (pair.user >= users || pair.item >= items.size)
      throw Error(ErrorCode::bad_input, fmt::format("a coefficient of user {} and item {}; expected less "
                                                    "than {} and {}",
                                                    pair.user, pair.item, users, items.size));
}

}  // namespace

ItemScores::ItemScores(const Similarities& items, const JointRanker& ranker) : num_items_(items.size) {
  for (const PairCoefficient& pair : ranker) users_.push_back(pair.user);
  std::sort(users_.begin(), users_.end());
  users_.erase(std::unique(users_.begin(), users_.end()), users_.end());
  values_.assign(users_.size() * num_items_, 0.0);
  for (const PairCoefficient& pair : ranker) {
    const auto at = std::lower_bound(users_.begin(), users_.end(), pair.user) - users_.begin();
    axpy(pair.value, items.row(pair.item),
         std::span(values_).subspan(static_cast<std::size_t>(at) * num_items_, num_items_));
  }
}

void ItemScores::add(std::span<const double> alike, std::span<const std::uint32_t> wanted,
                     std::span<double> out) const {
  for (std::size_t k = 0; k < users_.size() && !wanted.empty(); ++k) {
    const double share = alike[users_[k]];
    if (share == 0) continue;
    const double* own = values_.data() + k * num_items_;
    for (std::size_t i = 0; i < wanted.size(); ++i) out[i] += share * own[wanted[i]];
  }
}

std::vector<double> joint_scores(const JointKernel& kernel, const JointRanker& ranker, const Ratings& asked,
                                 std::size_t threads) {
  check_sizes(kernel.items, kernel.users.size, ranker, asked);
  const ItemScores by_user(kernel.items, ranker);
  std::vector<double> scores(asked.size());
  parallel_for(asked.num_users(), thread_count(threads), [&](std::size_t u, std::size_t) {
    const std::span<const std::uint32_t> wanted = asked.of_user(u).index;
    by_user.add(kernel.users.row(u), wanted, std::span(scores).subspan(asked.first_of_user(u), wanted.size()));
  });
  return scores;
}

std::vector<double> prank_scores(const Similarities& items, const JointRanker& ranker, const Ratings& asked) {
  check_sizes(items, asked.num_users(), ranker, asked);
  std::vector<double> scores(asked.size());
  for (const PairCoefficient& pair : ranker) {
    const RatingRow row = asked.of_user(pair.user);
    double* out = scores.data() + asked.first_of_user(pair.user);
    for (std::size_t i = 0; i < row.size(); ++i) out[i] += pair.value * items.at(pair.item, row.index[i]);
  }
  return scores;
}

}  // namespace dorm
