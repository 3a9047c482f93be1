// SPDX-License-Identifier: Apache-2.0
// Every ranking of a few documents, and every order of tied ones: the truth measures are held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "dorm/measure.h"

namespace dorm::test {

/// Calls visit for every order of the documents 0..length-1.
inline void for_each_ranking(std::size_t length, const std::function<void(const Ranking&)>& visit) {
  Ranking ranking(length);
  std::iota(ranking.begin(), ranking.end(), 0u);
  do visit(ranking);
  while (std::next_permutation(ranking.begin(), ranking.end()));
}

/// Calls visit for every ranking by decreasing score, i.e. every order of the tied documents.
inline void for_each_tie_order(const std::vector<double>& scores, const std::function<void(const Ranking&)>& visit) {
  for_each_ranking(scores.size(), [&](const Ranking& ranking) {
    const bool sorted = std::is_sorted(ranking.begin(), ranking.end(),
                                       [&](std::uint32_t i, std::uint32_t j) { return scores[i] > scores[j]; });
    if (sorted) visit(ranking);
  });
}

/// Small queries with what goes wrong in real ones: ties, all zero, all equal, unjudged, fractions, one document.
inline std::vector<std::vector<float>> difficult_labels() {
  return {{0},
          {2},
          {1, 0},
          {0, 0, 0},
          {3, 3, 3},
          {0, 2, 1},
          {-1, 0, 2},
          {2, 0, 2, 1},
          {0, 0, 1, 0},
          {0.5f, 1.5f, 0},
          {4, 3, 2, 1, 0},
          {1, 1, 1, 1, 0, 0},
          {0, 4, 0, 4, 1, 2},
          {0, 1, 2, 0, 1, 2, 0}};
}

}  // namespace dorm::test
