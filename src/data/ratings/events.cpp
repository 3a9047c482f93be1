// SPDX-License-Identifier: Apache-2.0
// Events by user and item, and their splits by time.
#include "dorm/recommend/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/error.h"

namespace dorm {
namespace {

void check_event(const Event& event, const IdTable& users, const IdTable& items, bool timed) {
  if (event.user >= users.size() || event.item >= items.size())
    throw Error(ErrorCode::bad_input, fmt::format("event of item {} by user {}; there are {} items and {} users",
                                                  event.item, event.user, items.size(), users.size()));
  if (!(event.weight >= 0) || !std::isfinite(event.weight))
    throw Error(ErrorCode::bad_input, fmt::format("user \"{}\" and item \"{}\" have weight {}; expected 0 or more",
                                                  users[event.user], items[event.item], event.weight));
  if (std::isnan(event.time) == timed)
    throw Error(ErrorCode::bad_input, "some events have a time and others have none; expected all or none");
}

void require_times(const Events& events, const char* split) {
  if (events.times.empty())
    throw Error(ErrorCode::bad_input, fmt::format("a split by {} needs a time for every event", split));
}

}  // namespace

Events::Events(IdTable users, IdTable items, const std::vector<Event>& events) {
  const bool timed = !events.empty() && !std::isnan(events.front().time);
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < events.size(); ++e) {
    check_event(events[e], users, items, timed);
    if (events[e].weight > 0) order.push_back(e);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const Event &a = events[x], &b = events[y];
    return a.user != b.user ? a.user < b.user : a.item < b.item;
  });
  RatingRows rows;
  rows.begin.assign(users.size() + 1, 0);
  const Event* before = nullptr;
  for (const std::size_t e : order) {
    const Event& event = events[e];
    const bool repeated = before && before->user == event.user && before->item == event.item;
    before = &event;
    if (!repeated) {
      ++rows.begin[event.user + std::size_t{1}];
      rows.index.push_back(event.item);
      rows.value.push_back(0);
    }
    rows.value.back() += event.weight;
    if (!std::isfinite(rows.value.back()))
      throw Error(ErrorCode::bad_input, fmt::format("the weights of user \"{}\" and item \"{}\" sum to {}; expected a "
                                                    "finite number",
                                                    users[event.user], items[event.item], rows.value.back()));
    if (!timed) continue;
    if (!repeated) times.push_back(event.time);
    times.back() = std::max(times.back(), event.time);
  }
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  weights = Ratings(std::move(users), std::move(items), std::move(rows));
}

RatingsSplit split_time(const Events& events, double share) {
  if (!(share > 0 && share < 1))
    throw Error(ErrorCode::bad_option,
                fmt::format("share = {}; expected a number between 0 and 1, both excluded", share));
  require_times(events, "time");
  const std::size_t count = events.weights.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return events.times[x] < events.times[y]; });
  std::vector<char> test(count);
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(count)));
  for (std::size_t i = count - wanted; i < count; ++i) test[order[i]] = 1;
  return {events.weights.filtered([&](std::size_t at) { return test[at] == 0; }),
          events.weights.filtered([&](std::size_t at) { return test[at] != 0; })};
}

RatingsSplit split_leave_last(const Events& events) {
  require_times(events, "the last event");
  std::vector<char> test(events.weights.size());
  for (std::size_t u = 0; u < events.weights.num_users(); ++u) {
    const auto begin = events.times.begin() + static_cast<std::ptrdiff_t>(events.weights.first_of_user(u));
    const auto end = begin + static_cast<std::ptrdiff_t>(events.weights.of_user(u).size());
    if (end - begin > 1) test[static_cast<std::size_t>(std::max_element(begin, end) - events.times.begin())] = 1;
  }
  return {events.weights.filtered([&](std::size_t at) { return test[at] == 0; }),
          events.weights.filtered([&](std::size_t at) { return test[at] != 0; })};
}

}  // namespace dorm
