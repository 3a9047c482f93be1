// SPDX-License-Identifier: Apache-2.0
// Training ratings set apart to choose options by.
#pragma once

#include <cstdint>
#include <vector>

#include "dorm/recommend/ratings.h"

namespace dorm {

/// Two parts of some ratings.
struct HeldOut {
  Ratings train, valid;
};

/// Two folds: 60 % of the ratings of one half of the users are held out, then of the other half. Whole lists of some
/// users and not a little of everybody's: a measure of short lists is near 1 whatever the model does, and does not see
/// items that few have rated.
std::vector<HeldOut> hold_out_halves(const Ratings& ratings, std::uint64_t seed);

/// All ratings of random users, up to about `most` ratings; ids that do not occur are left out. The ratings themselves
/// where there are no more.
Ratings sample_users(const Ratings& ratings, std::size_t most, std::uint64_t seed);

}  // namespace dorm
