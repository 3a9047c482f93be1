// SPDX-License-Identifier: Apache-2.0
// How long the rest of a set of data takes, by what is done of it.
#pragma once

#include <cstddef>
#include <optional>

#include "dorm/lab/comparison.h"

namespace dorm {

/// Of one comparison, or of several one after the other: a new set begins its own count.
class SetForecast {
 public:
  /// Seconds left of the set at hand; nothing before a first result of it. `now`: seconds by any clock. Results that an
  /// earlier run left, and those that were there when the set was first seen, took no time.
  std::optional<double> left(const ComparisonProgress& progress, double now) {
    const std::size_t fresh = progress.done - progress.found;
    if (!seen_ || progress.set_number != set_ || fresh < last_) {
      began_ = now;
      at_first_ = fresh;
      set_ = progress.set_number;
      seen_ = true;
    }
    last_ = fresh;
    const auto made = static_cast<double>(fresh - at_first_),
               rest = static_cast<double>(progress.total - progress.done);
    return made > 0 ? std::optional((now - began_) * rest / made) : std::nullopt;
  }

 private:
  bool seen_ = false;
  double began_ = 0;
  std::size_t set_ = 0, at_first_ = 0, last_ = 0;
};

}  // namespace dorm
