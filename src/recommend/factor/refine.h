// SPDX-License-Identifier: Apache-2.0
// Rounds without what surrounds them: no checkpoint, no validation.
#pragma once

#include <functional>

#include "base/parallel.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// The factors after the rounds that start.options ask for, regularised towards the start. `go_on` may stop it.
FactorModel refined(FactorModel start, const Ratings& train, ThreadPool& pool, const std::function<bool()>& go_on);

}  // namespace dorm
