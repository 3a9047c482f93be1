// SPDX-License-Identifier: Apache-2.0
// Events of users and items: likes, plays, purchases. docs/recommend.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "dorm/recommend/ratings.h"

namespace dorm {

struct Event {
  std::uint32_t user, item;
  float weight = 1;
  double time = std::numeric_limits<double>::quiet_NaN();  // NaN: not known
};

/// Users x items: how much of an item a user has had, and when last.
struct Events {
  Ratings weights;            // above 0
  std::vector<double> times;  // in the order of Ratings::first_of_user; empty: not known

  Events() = default;
  /// Weights of repeated events are added, and the latest time counts. Events of weight 0 are left out. Throws
  /// Error(bad_input) for a negative weight, and where only some events have a time.
  Events(IdTable users, IdTable items, const std::vector<Event>& events);
};

/// The latest share of all events to test, 0 < share < 1. Throws Error(bad_input) without times.
RatingsSplit split_time(const Events& events, double share);

/// The latest event of each user to test; users with one event only train. Throws Error(bad_input) without times.
RatingsSplit split_leave_last(const Events& events);

}  // namespace dorm
