// SPDX-License-Identifier: Apache-2.0
// Logs whose truth is known: documents with relevance, shown by several rankers, clicked with propensity
// times relevance.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/clicks/clicks.h"

namespace dorm::test {

struct ClickWorld {
  std::size_t queries = 40, documents = 5, rankers = 3;
  double sessions = 20;  // of each query and ranker
  bool expected = false;
  std::vector<double> propensity = {1, .6, .4, .3, .25};
  std::uint64_t seed = 0;
};

inline std::string numbered(const char* prefix, std::size_t i) { return prefix + std::to_string(i); }

/// Relevance of document d of query q; the same for every seed of clicks.
inline double relevance_of(std::size_t q, std::size_t d) { return 0.1 + 0.8 * Rng(1000 * q + d).uniform(); }

/// The documents of query q in the order of a ranker.
inline std::vector<std::uint32_t> order_of(std::size_t q, std::size_t ranker, std::size_t documents) {
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  Rng(77 * q + ranker + 5).shuffle(std::span(order));
  return order;
}

inline ClickCounts log_of(const ClickWorld& world, std::string_view context = {}) {
  ClickCounter counter;
  Rng rng(world.seed ^ 0xC0FFEE);
  for (std::size_t q = 0; q < world.queries; ++q)
    for (std::size_t r = 0; r < world.rankers; ++r) {
      const std::vector<std::uint32_t> order = order_of(q, r, world.documents);
      for (std::size_t k = 0; k < order.size(); ++k) {
        const double rate = world.propensity[k] * relevance_of(q, order[k]);
        double clicks = rate * world.sessions;
        if (!world.expected) {
          clicks = 0;
          for (double s = 0; s < world.sessions; ++s) clicks += rng.uniform() < rate;
        }
        const std::string query = numbered("q", q), document = numbered("d", order[k]);
        counter.add({.query = query,
                     .document = document,
                     .position = static_cast<std::uint32_t>(k + 1),
                     .context = context,
                     .impressions = world.sessions,
                     .clicks = clicks});
      }
    }
  return counter.finish();
}

inline Propensities truth_of(const std::vector<double>& propensity) {
  Propensities out;
  for (std::size_t k = 0; k < propensity.size(); ++k)
    out.add("", {.position = static_cast<std::uint32_t>(k + 1), .propensity = propensity[k]});
  return out;
}

}  // namespace dorm::test
