// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/vector/vector_ops.h"
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

struct Coordinates {
  std::size_t begin = 0, count = 0;
};
/// The n rows of the largest cosine with one of them in some coordinates, without itself.
inline std::vector<Recommendation> nearest_rows(const FactorMatrix& rows, Coordinates of, std::size_t one,
                                                std::size_t n) {
  const auto part = [&](std::size_t r) { return rows.row(r).subspan(of.begin, of.count); };
  const double own = std::sqrt(dot(part(one), part(one)));
  std::vector<Recommendation> candidates;
  for (std::uint32_t r = 0; r < rows.rows; ++r) {
    const double length = own * std::sqrt(dot(part(r), part(r)));
    if (r != one) candidates.push_back({r, length > 0 ? dot(part(one), part(r)) / length : 0});
  }
  return best_of(std::move(candidates), n);
}

}  // namespace dorm
