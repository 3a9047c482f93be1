// SPDX-License-Identifier: Apache-2.0
// Who learns from what in the experiment with joint kernels: 100 training users, 800 training items, and input users,
// whose ratings say how alike users and items are but are not learnt from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dorm/recommend/ratings.h"

namespace dorm {

/// What a learner has to rank: items for users it has not seen, or items it has not seen for its own users.
enum class Unseen { users, items };

struct EruTrial {
  Ratings train;  // of training users on training items: what is learnt from
  Ratings known;  // these, and what is known of input users: what similarities are made of
  Ratings own;    // of the users who are ranked for, as far as they are known: what PRank learns from
  Ratings test;   // what is ranked; none of it is known
};

/// Users: training items only; of every input user one half of the ratings is known, the other is ranked. Items: all
/// ratings of input users are known; ranked are the training users' ratings of the other items.
EruTrial draw_trial(const Ratings& ratings, Unseen unseen, std::size_t users, std::size_t items, std::uint64_t seed);

/// The same question inside the training ratings, to choose parameters by: a fourth of the training users, or of the
/// training items, are held out.
EruTrial validation_of(const EruTrial& trial, Unseen unseen, std::uint64_t seed);

}  // namespace dorm
