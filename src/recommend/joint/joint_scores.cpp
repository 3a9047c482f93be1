// SPDX-License-Identifier: Apache-2.0
// K_U A K_I: first B = A K_I, a row per user who has coefficients, then for every user asked about the mixture of these
// rows, at the items asked for.
#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/vector_ops.h"
#include "dorm/error.h"
#include "dorm/joint.h"

namespace dorm {
namespace {

struct ItemScores {
  std::vector<std::uint32_t> users;  // with coefficients
  std::vector<double> values;        // B: one row of all items for each of them
};

ItemScores item_scores(const Similarities& items, const JointRanker& ranker) {
  ItemScores made;
  for (const PairCoefficient& pair : ranker) made.users.push_back(pair.user);
  std::sort(made.users.begin(), made.users.end());
  made.users.erase(std::unique(made.users.begin(), made.users.end()), made.users.end());
  made.values.assign(made.users.size() * items.size, 0.0);
  for (const PairCoefficient& pair : ranker) {
    const auto at = std::lower_bound(made.users.begin(), made.users.end(), pair.user) - made.users.begin();
    axpy(pair.value, items.row(pair.item),
         std::span(made.values).subspan(static_cast<std::size_t>(at) * items.size, items.size));
  }
  return made;
}

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

std::vector<double> joint_scores(const JointKernel& kernel, const JointRanker& ranker, const Ratings& asked,
                                 std::size_t threads) {
  check_sizes(kernel.items, kernel.users.size, ranker, asked);
  const ItemScores by_user = item_scores(kernel.items, ranker);
  std::vector<double> scores(asked.size());
  parallel_for(asked.num_users(), thread_count(threads), [&](std::size_t u, std::size_t) {
    const RatingRow row = asked.of_user(u);
    for (std::size_t k = 0; k < by_user.users.size() && row.size() > 0; ++k) {
      const double alike = kernel.users.at(u, by_user.users[k]);
      if (alike == 0) continue;
      const double* own = by_user.values.data() + k * kernel.items.size;
      double* out = scores.data() + asked.first_of_user(u);
      for (std::size_t i = 0; i < row.size(); ++i) out[i] += alike * own[row.index[i]];
    }
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
