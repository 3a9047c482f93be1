// SPDX-License-Identifier: Apache-2.0
#include "dorm/base/number_range.h"

#include <fmt/format.h>

#include <cmath>

namespace dorm {

bool NumberRange::contains(double value) const {
  if (std::isinf(value)) return infinite && value > 0;
  if (!(value >= low && value <= high)) return false;
  return !(above_low && value == low) && !(below_high && value == high) && (!whole || value == std::floor(value));
}

std::string NumberRange::text() const {
  const auto end = [this](double value) { return whole ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value); };
  std::string text = whole ? "a whole number" : "a number";
  const bool from = std::isfinite(low), to = std::isfinite(high);
  if (from && to && !above_low && !below_high) {
    text += fmt::format(" from {} to {}", end(low), end(high));
  } else {
    if (from) text += fmt::format(" {} {}{}", above_low ? "above" : "from", end(low), above_low || to ? "" : " on");
    if (from && to) text += above_low ? " and" : " to";
    if (to) text += fmt::format(" {} {}", below_high ? "below" : "at most", end(high));
  }
  return infinite ? text + ", or inf" : text;
}

}  // namespace dorm
