// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/validate.h"
#include "dorm/error.h"
#include "dorm/objective.h"

namespace dorm {

void ObjectiveOptions::validate() const {
  if (reference != "best" && reference != "predicted")
    throw Error(ErrorCode::unknown_name,
                fmt::format("unknown reference \"{}\"; expected best (hinge), predicted (ramp)", reference));
  require(std::isfinite(sigma) && sigma >= 0, "sigma", sigma, "a number, 0 or more");
  require(std::isfinite(margin) && margin > 0, "margin", margin, "a positive number");
  require(sigma / margin <= kLargestScore, "sigma", sigma, fmt::format("at most {:g} times the margin", kLargestScore));
  require(std::isfinite(curvature_floor) && curvature_floor >= 0, "curvature_floor", curvature_floor,
          "a number, 0 or more");
  require(pairs >= 1 && pairs <= 1000, "pairs", static_cast<double>(pairs), "1 to 1000");
}

}  // namespace dorm
