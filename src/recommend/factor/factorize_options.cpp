// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "recommend/factor/ranking_lists.h"

namespace dorm {
namespace {

void positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(ErrorCode::bad_option, fmt::format("{} = {}; expected a number above 0", name, value));
}

}  // namespace

void FactorizeOptions::validate() const {
  make_trainable(measure, make_convention(convention));
  static_cast<void>(Decay(decay));  // throws for a name or parameter it does not know
  parse_bound(bound);
  positive("lambda", lambda);
  positive("margin", margin);
  positive("start lambda", start_lambda);
  if (!(implicit >= 0) || !std::isfinite(implicit))
    throw Error(ErrorCode::bad_option, fmt::format("implicit = {}; expected 0 (off) or more", implicit));
  if (neighbours > 1000)
    throw Error(ErrorCode::bad_option, fmt::format("neighbours = {}; expected 0 to 1000", neighbours));
  if (rank > 100000) throw Error(ErrorCode::bad_option, fmt::format("rank = {}; expected 0 to 100000", rank));
  if (!(tolerance > 0 && tolerance < 1))
    throw Error(ErrorCode::bad_option,
                fmt::format("tolerance = {}; expected a number between 0 and 1, both excluded", tolerance));
  if (max_passes == 0) throw Error(ErrorCode::bad_option, "max_passes = 0; expected at least 1");
  if (!(seconds >= 0))
    throw Error(ErrorCode::bad_option, fmt::format("seconds = {}; expected 0 (no limit) or more", seconds));
}

}  // namespace dorm
