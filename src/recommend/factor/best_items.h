// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dorm/recommend/factorize.h"

namespace dorm {

/// The n of the largest score, best first, ties by index.
inline std::vector<Recommendation> best_of(std::vector<Recommendation> candidates, std::size_t n) {
  const auto better = [](const Recommendation& x, const Recommendation& y) {
    return x.score > y.score || (x.score == y.score && x.item < y.item);
  };
  const std::size_t kept = std::min(n, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    better);
  candidates.resize(kept);
  return candidates;
}

}  // namespace dorm
