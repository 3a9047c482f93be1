// SPDX-License-Identifier: Apache-2.0
// Random limits on groups of every shape, and all lists within them one by one.
#pragma once

#include "dorm/ranking/group_lists.h"
#include "ranking/oracle/instances.h"

namespace dorm::test {

/// Every document alone, one group, few or many groups, groups of one among others; limits of one, of k, or different
/// from group to group (0 too).
inline GroupLimits random_groups(std::size_t l, Rng& rng) {
  GroupLimits out;
  const std::uint64_t shape = rng.below(5);
  const std::size_t groups = shape == 0 ? l : shape == 1 ? 1 : 1 + rng.below(l);
  out.limit.resize(groups);
  const std::uint64_t limits = rng.below(4);
  const auto k = static_cast<std::uint32_t>(1 + rng.below(3));
  for (std::uint32_t& limit : out.limit)
    limit = limits <= 1 ? 1 : limits == 2 ? k : static_cast<std::uint32_t>(rng.below(4));
  for (std::size_t i = 0; i < l; ++i) {
    const bool alone = shape == 3 && rng.below(2) == 0;  // without a group
    if (alone) out.limit.push_back(1);
    out.group_of.push_back(static_cast<std::uint32_t>(alone        ? out.limit.size() - 1
                                                      : shape == 0 ? i
                                                                   : rng.below(groups)));
  }
  if (most_shown(out) == 0) std::fill(out.limit.begin(), out.limit.end(), 1u);
  return out;
}

inline bool within(const GroupLimits& groups, std::span<const std::uint32_t> list) {
  std::vector<std::uint32_t> shown(groups.limit.size(), 0);
  for (std::uint32_t i : list)
    if (++shown[groups.group_of[i]] > groups.limit[groups.group_of[i]]) return false;
  return true;
}

/// Calls visit(list) for every list of `length` distinct documents within the limits.
template <class Visit>
void for_each_list(const GroupLimits& groups, std::size_t length, std::vector<std::uint32_t>& list,
                   const Visit& visit) {
  if (list.size() == length) return visit(list);
  for (std::uint32_t i = 0; i < groups.group_of.size(); ++i) {
    if (std::find(list.begin(), list.end(), i) != list.end()) continue;
    list.push_back(i);
    if (within(groups, list)) for_each_list(groups, length, list, visit);
    list.pop_back();
  }
}

/// V of a list, written out from the definition.
inline double measure_of(const Factors& factors, std::span<const std::uint32_t> list) {
  double sum = 0, first = 0;
  for (std::size_t j = list.size(); j-- > 0;) {
    sum += factors.a[j] * factors.b[list[j]];
    if (factors.b[list[j]] > 0) first = factors.a[j];
  }
  return factors.kind == Factors::Kind::first ? first : sum;
}

inline double score_of(std::span<const double> c, std::span<const double> scores, std::span<const std::uint32_t> list) {
  double sum = 0;
  for (std::size_t j = 0; j < list.size(); ++j) sum += c[j] * scores[list[j]];
  return sum;
}

}  // namespace dorm::test
