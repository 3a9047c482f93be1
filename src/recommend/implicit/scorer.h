// SPDX-License-Identifier: Apache-2.0
// The weighted sum of ALS and EASE for one user, and the spread that brings both to one scale.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "dorm/recommend/implicit.h"

namespace dorm {

/// Borrows its parts; a part of weight 0 is not read.
struct ImplicitScorer {
  const FactorMatrix& users;
  const FactorMatrix& items;
  const std::vector<float>& ease;
  double als_weight = 0, ease_weight = 0;

  void fill(std::size_t user, std::span<const std::uint32_t> seen, std::span<double> scores) const {
    fill(users.row(user), seen, scores);
  }
  void fill(std::span<const double> factors, std::span<const std::uint32_t> seen, std::span<double> scores) const;
};

/// Root mean squared score over all items, centred for each user, over up to 500 of the users with events.
double spread_of(const ImplicitScorer& scorer, const Ratings& events, ThreadPool& pool);

}  // namespace dorm
