// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dorm/error.h"
#include "dorm/measure.h"
#include "dorm/ranking/group_lists.h"

namespace dorm {
namespace {

Ranking by_descending(std::span<const double> keys) {
  Ranking order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [keys](std::uint32_t i, std::uint32_t k) { return keys[i] > keys[k]; });
  return order;
}

}  // namespace

void require_valid(const GroupLimits& groups, std::size_t documents) {
  if (groups.group_of.size() != documents)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} groups given for {} documents; expected one each", groups.group_of.size(), documents));
  for (std::size_t i = 0; i < documents; ++i)
    if (groups.group_of[i] >= groups.limit.size())
      throw Error(ErrorCode::bad_input, fmt::format("document {} is in group {}, but there are {} groups", i,
                                                    groups.group_of[i], groups.limit.size()));
  if (most_shown(groups) == 0)
    throw Error(ErrorCode::bad_input,
                "the limits bar every document of the query; expected a limit of 1 or more for one group");
}

std::size_t most_shown(const GroupLimits& groups) {
  std::vector<std::uint32_t> size(groups.limit.size(), 0);
  for (std::uint32_t s : groups.group_of) ++size[s];
  std::size_t total = 0;
  for (std::size_t s = 0; s < size.size(); ++s) total += std::min(size[s], groups.limit[s]);
  return total;
}

std::size_t list_length(std::span<const double> a, const GroupLimits& groups) {
  const auto weighted = static_cast<std::size_t>(std::find(a.begin(), a.end(), 0.0) - a.begin());
  return std::min(weighted, most_shown(groups));
}

Ranking admit(std::span<const std::uint32_t> order, const GroupLimits& groups, std::size_t n) {
  std::vector<std::uint32_t> room = groups.limit;
  Ranking list;
  for (std::uint32_t i : order) {
    if (n > 0 && list.size() == n) break;
    if (room[groups.group_of[i]] == 0) continue;
    --room[groups.group_of[i]];
    list.push_back(i);
  }
  return list;
}

Ranking top_ranking(std::span<const double> scores, const GroupLimits& groups, std::size_t n) {
  return admit(by_descending(scores), groups, n);
}

double ideal_value(const Factors& factors, const GroupLimits& groups) {
  const std::size_t length = list_length(factors.a, groups);
  return length == 0 ? 0 : value(factors, top_ranking(factors.b, groups, length));
}

Factors factor_within(const FactoredMeasure& measure, Labels labels, const GroupLimits& groups) {
  Factors factors = measure.factor(labels);
  if (!measure.relative_to_ideal()) return factors;
  const double ideal = ideal_value(factors, groups);
  if (ideal > 0)
    for (double& b : factors.b) b /= ideal;
  return factors;
}

}  // namespace dorm
