// SPDX-License-Identifier: Apache-2.0
// Small ratings, written down by hand or drawn with a taste to find, and options for problems as small.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/recommend/factorize.h"

namespace dorm::test {

/// Users u0, u1, ... by row, items i0, i1, ... by column; 0: not rated.
inline Ratings ratings_from(const std::vector<std::vector<float>>& table) {
  IdTable users, items;
  std::vector<Rating> list;
  for (std::size_t j = 0; j < table.at(0).size(); ++j) items.add(fmt::format("i{}", j));
  for (std::uint32_t u = 0; u < table.size(); ++u) {
    users.add(fmt::format("u{}", u));
    for (std::uint32_t j = 0; j < table[u].size(); ++j)
      if (table[u][j] != 0) list.push_back({u, j, table[u][j]});
  }
  return Ratings(users, items, list);
}

inline double centred_uniform(Rng& rng) { return 2 * rng.uniform() - 1; }

/// `per_user` random items of each user, rated 1 to 5 by offset + two hidden factors.
inline Ratings tasteful_ratings(std::uint32_t users, std::uint32_t items, std::uint32_t per_user, std::uint64_t seed) {
  Rng rng(seed);
  IdTable user_ids, item_ids;
  std::vector<double> taste(2 * users), kind(2 * items), quality(items);
  for (double& x : taste) x = 2 * centred_uniform(rng);
  for (double& x : kind) x = centred_uniform(rng);
  for (double& x : quality) x = centred_uniform(rng);
  for (std::uint32_t u = 0; u < users; ++u) user_ids.add(fmt::format("u{}", u));
  for (std::uint32_t j = 0; j < items; ++j) item_ids.add(fmt::format("i{}", j));
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < users; ++u)
    for (std::uint32_t i = 0; i < per_user; ++i) {
      const auto j = static_cast<std::uint32_t>(rng.below(items));
      const double score = 3 + quality[j] + taste[2 * u] * kind[2 * j] + taste[2 * u + 1] * kind[2 * j + 1];
      list.push_back({u, j, static_cast<float>(std::round(std::fmin(5, std::fmax(1, score))))});
    }
  return Ratings(user_ids, item_ids, list);
}

/// For problems as small as these.
inline FactorizeOptions quick_options() {
  FactorizeOptions options;
  options.rank = 3;
  options.lambda = 2;
  options.start_lambda = 2;
  options.measure = "ndcg@5";
  options.threads = 1;
  return options;
}

}  // namespace dorm::test
