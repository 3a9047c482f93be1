// SPDX-License-Identifier: Apache-2.0
// The head of a ranking by selection: only the n best are sorted.
#include <algorithm>
#include <numeric>

#include "dorm/model.h"

namespace dorm {

Ranking top_ranking(std::span<const double> scores, std::size_t n) {
  Ranking order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto better = [scores](std::uint32_t i, std::uint32_t k) {
    return scores[i] > scores[k] || (scores[i] == scores[k] && i < k);
  };
  if (n == 0 || n >= order.size()) {
    std::sort(order.begin(), order.end(), better);
    return order;
  }
  const auto head = order.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(order.begin(), head, order.end(), better);
  std::sort(order.begin(), head, better);
  order.resize(n);
  return order;
}

}  // namespace dorm
