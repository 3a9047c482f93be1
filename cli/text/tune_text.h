// SPDX-License-Identifier: Apache-2.0
// How a finished tuning is shown: the grid points and the result.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::cli {

/// `all`: every grid point instead of the ten best.
std::string tune_text(const TuneResult& result, const TuneOptions& options, const std::string& validated_on, bool all);

Json tune_json(const TuneResult& result, const TuneOptions& options, const std::string& validated_on);

}  // namespace dorm::cli
