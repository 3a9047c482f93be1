// SPDX-License-Identifier: Apache-2.0
// What a number that a user types may be: rows of option tables hold one each.
#pragma once

#include <limits>
#include <string>

namespace dorm {

struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool whole = false;
  bool above_low = false, below_high = false;  // the end itself is left out
  bool infinite = false;                       // infinity is a value, too

  bool contains(double value) const;  // false for NaN
  std::string text() const;           // "a whole number from 2 on", "a number above 0 and at most 1"
};

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

constexpr NumberRange whole_from(double low, double high = kNoLimit) {
  return {.low = low, .high = high, .whole = true};
}
constexpr NumberRange number_from(double low, double high = kNoLimit) { return {.low = low, .high = high}; }
constexpr NumberRange number_above(double low, double high = kNoLimit) {
  return {.low = low, .high = high, .above_low = true};
}
constexpr NumberRange number_within(double low, double high) {  // both ends left out
  return {.low = low, .high = high, .above_low = true, .below_high = true};
}
constexpr NumberRange any_number() { return {.low = -kNoLimit}; }

}  // namespace dorm
