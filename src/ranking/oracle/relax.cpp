// SPDX-License-Identifier: Apache-2.0
#include "ranking/oracle/relax.h"

#include <limits>

#include "base/numeric.h"
#include "base/vector/lanes.h"

namespace dorm::oracle {
namespace {

[[gnu::always_inline]] inline std::size_t relax_lanes(const PathSearch& s, double name, double g, double b,
                                                      double base) {
  Lanes nearest = Lanes{} + kInfinity, place = Lanes{};
  for (std::size_t j = 0; j < s.positions; j += kLanes) {
    Lanes a, c, price, distance, parent, blocked;
    load_lanes(s.a + j, a);
    load_lanes(s.c + j, c);
    load_lanes(s.price + j, price);
    load_lanes(s.distance + j, distance);
    load_lanes(s.parent + j, parent);
    load_lanes(s.blocked + j, blocked);
    const Lanes length = base + price - (c * g - a * b);
    const auto shorter = length < distance;
    distance = shorter ? length : distance;
    store_lanes(distance, s.distance + j);
    store_lanes(shorter ? Lanes{} + name : parent, s.parent + j);
    const Lanes open = distance + blocked;  // NaN once settled, which compares as not nearer
    const auto nearer = open < nearest;
    place = nearer ? Lanes{} + static_cast<double>(j) : place;
    nearest = nearer ? open : nearest;
  }
  double best[kLanes], at[kLanes];
  store_lanes(nearest, best);
  store_lanes(place, at);
  std::size_t lane = 0, answer = static_cast<std::size_t>(at[0]);
  for (std::size_t k = 1; k < kLanes; ++k) {
    const std::size_t other = static_cast<std::size_t>(at[k]) + k;
    if (best[k] < best[lane] || (best[k] == best[lane] && other < answer)) {
      lane = k;
      answer = other;
    }
  }
  return answer;
}

}  // namespace

std::size_t relax(const PathSearch& search, double name, double g, double b, double base, SimdLevel level) {
  return compiled_for<relax_lanes>(level)(search, name, g, b, base);
}

}  // namespace dorm::oracle
