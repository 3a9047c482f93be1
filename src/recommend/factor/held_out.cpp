// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/held_out.h"

#include <numeric>

#include "base/rng.h"

namespace dorm {
namespace {

constexpr double kShare = 0.6;

enum Fold : char { kTrainOnly, kFirst, kSecond };

std::vector<std::uint32_t> shuffled_users(const Ratings& ratings, Rng& rng) {
  std::vector<std::uint32_t> users(ratings.num_users());
  std::iota(users.begin(), users.end(), 0u);
  rng.shuffle(std::span(users));
  return users;
}

}  // namespace

std::vector<HeldOut> hold_out_halves(const Ratings& ratings, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Fold> held(ratings.size(), kTrainOnly);
  const std::vector<std::uint32_t> users = shuffled_users(ratings, rng);
  for (std::size_t k = 0; k < users.size(); ++k) {
    std::vector<std::size_t> order(ratings.of_user(users[k]).size());
    std::iota(order.begin(), order.end(), ratings.first_of_user(users[k]));
    rng.shuffle(std::span(order));
    const auto count = static_cast<std::size_t>(kShare * static_cast<double>(order.size()));
    for (std::size_t i = 0; i < count; ++i) held[order[i]] = k % 2 == 0 ? kFirst : kSecond;
  }
  std::vector<HeldOut> folds;
  for (const Fold fold : {kFirst, kSecond})
    folds.push_back({ratings.filtered([&](std::size_t at) { return held[at] != fold; }),
                     ratings.filtered([&](std::size_t at) { return held[at] == fold; })});
  return folds;
}

Ratings sample_users(const Ratings& ratings, std::size_t most, std::uint64_t seed) {
  if (ratings.size() <= most) return ratings;
  Rng rng(seed);
  IdTable users, items;
  std::vector<Rating> list;
  for (const std::uint32_t u : shuffled_users(ratings, rng)) {
    if (list.size() >= most) break;
    const RatingRow row = ratings.of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i)
      list.push_back({users.add(ratings.users()[u]), items.add(ratings.items()[row.index[i]]), row.value[i]});
  }
  return Ratings(std::move(users), std::move(items), list);
}

}  // namespace dorm
