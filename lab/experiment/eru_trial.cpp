// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/eru_trial.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace dorm {
namespace {

using Members = std::vector<char>;  // 1: belongs to it

/// `count` of the candidates, drawn without replacement.
Members draw(const Members& candidates, std::size_t count, Rng& rng) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i]) order.push_back(i);
  rng.shuffle(std::span(order));
  Members drawn(candidates.size(), 0);
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) drawn[order[k]] = 1;
  return drawn;
}

std::size_t size_of(const Members& members) {
  return static_cast<std::size_t>(std::count(members.begin(), members.end(), 1));
}

/// The ratings for which keep(user, item) holds.
template <class Keep>
Ratings where(const Ratings& ratings, Keep keep) {
  std::vector<Rating> kept;
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    for (std::size_t k = 0; k < row.size(); ++k)
      if (keep(u, row.index[k])) kept.push_back({u, row.index[k], row.value[k]});
  }
  return Ratings(ratings.users(), ratings.items(), kept);
}

Ratings without(const Ratings& ratings, const Ratings& hidden) {
  return where(ratings, [&](std::uint32_t u, std::uint32_t item) {
    const auto index = hidden.of_user(u).index;
    return !std::binary_search(index.begin(), index.end(), item);
  });
}

/// A random half of every user's ratings, rounded down.
Ratings half_of(const Ratings& ratings, Rng& rng) {
  Members taken(ratings.size(), 0);
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    std::vector<std::size_t> order(ratings.of_user(u).size());
    std::iota(order.begin(), order.end(), ratings.first_of_user(u));
    rng.shuffle(std::span(order));
    for (std::size_t k = 0; k < order.size() / 2; ++k) taken[order[k]] = 1;
  }
  return ratings.filtered([&](std::size_t at) { return taken[at] != 0; });
}

/// All but `learners` are ranked for: half of their ratings is known.
EruTrial new_users(const Ratings& known, const Ratings& train, const Members& learners, const Members& ranked,
                   Rng& rng) {
  const auto learnt = [&](std::uint32_t u, std::uint32_t) { return learners[u] != 0; };
  const Ratings theirs = where(known, [&](std::uint32_t u, std::uint32_t) { return ranked[u] != 0; });
  EruTrial trial;
  trial.train = where(train, learnt);
  trial.test = half_of(theirs, rng);
  trial.own = without(theirs, trial.test);
  trial.known = without(known, trial.test);
  return trial;
}

/// Items outside `learnt` are ranked for the users of `train`.
EruTrial new_items(const Ratings& known, const Ratings& train, const Members& learnt) {
  EruTrial trial;
  trial.train = where(train, [&](std::uint32_t, std::uint32_t item) { return learnt[item] != 0; });
  trial.test = without(train, trial.train);
  trial.own = trial.train;
  trial.known = without(known, trial.test);
  return trial;
}

Members complement(Members members) {
  for (char& member : members) member = !member;
  return members;
}

}  // namespace

EruTrial draw_trial(const Ratings& ratings, Unseen unseen, std::size_t users, std::size_t items, std::uint64_t seed) {
  Rng rng(seed);
  const Members learners = draw(Members(ratings.num_users(), 1), users, rng);
  const Members learnt = draw(Members(ratings.num_items(), 1), items, rng);
  const auto of_learners = [&](std::uint32_t u, std::uint32_t) { return learners[u] != 0; };
  if (unseen == Unseen::items) return new_items(ratings, where(ratings, of_learners), learnt);
  const Ratings on_items = where(ratings, [&](std::uint32_t, std::uint32_t item) { return learnt[item] != 0; });
  return new_users(on_items, where(on_items, of_learners), learners, complement(learners), rng);
}

EruTrial validation_of(const EruTrial& trial, Unseen unseen, std::uint64_t seed) {
  Rng rng(seed);
  const Ratings& train = trial.train;
  Members rated(unseen == Unseen::users ? train.num_users() : train.num_items(), 0);
  for (std::size_t i = 0; i < rated.size(); ++i)
    rated[i] = (unseen == Unseen::users ? train.of_user(i) : train.of_item(i)).size() > 0;
  const Members held = draw(rated, size_of(rated) / 4, rng);
  if (unseen == Unseen::items) return new_items(trial.known, train, complement(held));
  return new_users(trial.known, train, complement(held), held, rng);
}

}  // namespace dorm
