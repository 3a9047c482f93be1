// SPDX-License-Identifier: Apache-2.0
// The mean rating of an item, damped by a prior, and the prior that the ratings themselves support.
#pragma once

#include "dorm/recommend/factorize.h"

namespace dorm {

/// (sum + damping prior) / (count + damping), in stars above the mean of all ratings.
double damped_offset(const FactorizeOptions& options, double sum, std::size_t count);

struct ItemPrior {
  double damping = 5, centre = -1;
};
/// By empirical Bayes: the means m_j of items are normal around c with variance t^2, ratings of an item normal around
/// m_j with variance s^2; c and t by maximum likelihood. The damping is s^2 / t^2. The centre is c - 2 t: at the top of
/// a long list, an item that few have rated is more often a lucky draw than a discovery. The fixed prior where no item
/// has two ratings or all means are alike.
ItemPrior learn_item_prior(const Ratings& ratings, double mean, double unit);

}  // namespace dorm
