// SPDX-License-Identifier: Apache-2.0
// Options by held-out ratings. docs/ratings.md explains the rule.
#pragma once

#include <functional>

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

struct ChosenOptions {
  FactorizeOptions options;  // as asked for, with what was searched settled
  FactorChoice choice;
};

/// Settles what asked.search names. The same for any number of threads. `go_on(tried)` is called while settings
/// are tried and stops the search with false; the item means alone are then chosen, which need no training. With
/// too few ratings to choose by, and with a model to start from, nothing is tried: the values of `asked`, or of
/// that model, stand.
ChosenOptions choose_options(const Ratings& train, const FactorizeOptions& asked, const FactorizeInputs& inputs,
                             ThreadPool& pool, const std::function<bool(std::size_t tried)>& go_on);

/// `asked` with what it leaves to a search taken from `chosen`.
FactorizeOptions with_choice(FactorizeOptions asked, const FactorizeOptions& chosen);

/// The ridge of the start at which noise alone would have no factors left: the largest singular value to expect of a
/// matrix of independent errors with as many ratings per user and per item, times the spread of the ratings around
/// the item means, in stars. Ridges are searched as multiples of it, so that a choice on a part of the ratings holds
/// for all of them.
double noise_ridge(const FactorModel& model, const Ratings& ratings);

}  // namespace dorm
