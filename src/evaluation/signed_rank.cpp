// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's signed ranks.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "dorm/evaluation/difference.h"
#include "evaluation/distributions.h"

namespace dorm {
namespace {

constexpr std::size_t kExactRanks = 50;  // 2^50 sign patterns are counted exactly in doubles

/// Twice the rank of each absolute difference, so that mean ranks are whole; and the sizes of the groups of equal ones.
struct DoubledRanks {
  std::vector<std::size_t> rank;
  double tied = 0;  // sum of t^3 - t
};

DoubledRanks doubled_ranks(std::span<const double> differences) {
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::abs(differences[a]) < std::abs(differences[b]); });
  DoubledRanks result{std::vector<std::size_t>(differences.size())};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && std::abs(differences[order[end]]) == std::abs(differences[order[begin]])) ++end;
    for (std::size_t k = begin; k < end; ++k) result.rank[order[k]] = begin + end + 1;
    const double size = real(end - begin);
    result.tied += size * size * size - size;
  }
  return result;
}

std::size_t positive_sum(std::span<const double> differences, const DoubledRanks& ranks) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) sum += differences[i] > 0 ? ranks.rank[i] : 0;
  return sum;
}

// Patterns of signs by their sum of doubled ranks.
double exact_p(const DoubledRanks& ranks, std::size_t seen) {
  const std::size_t total = std::accumulate(ranks.rank.begin(), ranks.rank.end(), std::size_t{0});
  std::vector<double> patterns(total + 1, 0.0);
  patterns[0] = 1;
  for (const std::size_t rank : ranks.rank)
    for (std::size_t sum = total; sum >= rank; --sum) patterns[sum] += patterns[sum - rank];
  const auto at = patterns.begin() + static_cast<std::ptrdiff_t>(seen);
  const double below = std::accumulate(patterns.begin(), at + 1, 0.0), above = std::accumulate(at, patterns.end(), 0.0);
  return std::min(1.0, 2 * std::min(below, above) / std::exp2(real(ranks.rank.size())));
}

}  // namespace

double signed_rank_test(std::span<const double> differences) {
  if (differences.empty()) return 1;
  const DoubledRanks ranks = doubled_ranks(differences);
  const std::size_t seen = positive_sum(differences, ranks);
  if (differences.size() <= kExactRanks) return exact_p(ranks, seen);
  const double n = real(differences.size());
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tied / 48;
  return normal_two_sided((real(seen) / 2 - n * (n + 1) / 4) / std::sqrt(variance));
}

double signed_rank_share(std::span<const double> differences) {
  if (differences.empty()) return 0;
  const double n = real(differences.size());
  return 2 * real(positive_sum(differences, doubled_ranks(differences))) / (n * (n + 1)) - 1;
}

}  // namespace dorm
