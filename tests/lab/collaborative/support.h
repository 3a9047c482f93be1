// SPDX-License-Identifier: Apache-2.0
// Small ratings written down by hand.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "dorm/lab/collaborative.h"
#include "recommend/factor/support.h"

namespace dorm {

/// Users u0, u1, ... by row, items i0, i1, ... by column; 0: not rated.
inline Ratings ratings_from(const std::vector<std::vector<float>>& table) {
  IdTable users, items;
  std::vector<Rating> list;
  for (std::size_t j = 0; j < table.at(0).size(); ++j) items.add(fmt::format("i{}", j));
  for (std::uint32_t u = 0; u < table.size(); ++u) {
    users.add(fmt::format("u{}", u));
    for (std::uint32_t j = 0; j < table[u].size(); ++j)
      if (table[u][j] != 0) list.push_back({u, j, table[u][j]});
  }
  return Ratings(users, items, list);
}

}  // namespace dorm
