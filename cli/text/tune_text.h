// SPDX-License-Identifier: Apache-2.0
// How a finished tuning is shown: the grid points and the result.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/export.h"
#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::cli {

/// `baseline`: what is said of it, or nothing; `all`: every grid point instead of the ten best.
std::string tune_text(const TuneResult& result, const TuneOptions& options, const std::string& validated_on,
                      const std::string& baseline, bool all);

/// What trees are worth is part of tune_text(); this is what they cost. Empty where none were grown.
std::string cost_text(const TuneResult& result, const Dataset& train);
Json serving_json(const ServingCost& cost);
Json worth_json(const TuneResult& result, const Dataset& train);

Json tune_json(const TuneResult& result, const TuneOptions& options, const std::string& validated_on);

}  // namespace dorm::cli
