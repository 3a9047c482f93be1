// SPDX-License-Identifier: Apache-2.0
// The head of a ranking by selection: only the n best are sorted.
#include <algorithm>
#include <numeric>

#include "dorm/model.h"

namespace dorm {
namespace {

constexpr std::size_t kFew = 64;  // up to here the best so far are kept in order

/// Few of many: nearly every document is refused by one comparison. Later ones lose ties.
Ranking best_few(std::span<const double> scores, std::size_t n) {
  Ranking best;
  best.reserve(n);
  double least = 0;  // of the best, once there are n
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double score = scores[i];
    if (best.size() == n) {
      if (!(score > least)) continue;
      best.pop_back();
    }
    const auto place =
        std::upper_bound(best.begin(), best.end(), score, [&](double s, std::uint32_t k) { return s > scores[k]; });
    best.insert(place, static_cast<std::uint32_t>(i));
    least = scores[best.back()];
  }
  return best;
}

}  // namespace

Ranking top_ranking(std::span<const double> scores, std::size_t n) {
  if (n > 0 && n <= kFew && n < scores.size()) return best_few(scores, n);
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
