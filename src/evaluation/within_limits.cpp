// SPDX-License-Identifier: Apache-2.0
#include "evaluation/within_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "dorm/ranking/group_lists.h"

namespace dorm {
namespace {

std::vector<bool> shown_in(const Ranking& list, std::size_t documents) {
  std::vector<bool> shown(documents, false);
  for (std::uint32_t i : list) shown[i] = true;
  return shown;
}

std::optional<double> factored_value(const FactoredMeasure& measure, Labels labels, const GroupLimits& groups,
                                     std::span<const std::uint32_t> ranking, bool as_ranked) {
  Factors factors = factor_within(measure, labels, groups);
  if (std::all_of(factors.b.begin(), factors.b.end(), [](double b) { return b == 0; })) return std::nullopt;
  const Ranking list = admit(ranking, groups);
  if (!as_ranked) return value(factors, list);
  const std::vector<bool> shown = shown_in(list, labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!shown[i]) factors.b[i] = 0;
  return value(factors, ranking);
}

}  // namespace

std::optional<double> value_within(const Measure& measure, Labels labels, const GroupLimits& groups,
                                   std::span<const std::uint32_t> ranking, bool as_ranked) {
  if (measure.of_pairs())
    throw Error(ErrorCode::bad_option,
                fmt::format("{} compares all pairs of documents, so that a list with at most k per group has no "
                            "value; leave it out, or do without one-per",
                            measure.name()));
  if (const auto* factored = dynamic_cast<const FactoredMeasure*>(&measure))
    return factored_value(*factored, labels, groups, ranking, as_ranked);
  std::vector<float> reachable, counted(labels.begin(), labels.end());
  const std::vector<double> by_label(labels.begin(), labels.end());
  for (std::uint32_t i : top_ranking(by_label, groups)) reachable.push_back(labels[i]);
  const Ranking list = admit(ranking, groups);
  if (!as_ranked) return measure.expected(labels, {list, {}, reachable});
  const std::vector<bool> shown = shown_in(list, labels.size());
  for (std::uint32_t i : ranking)
    if (!shown[i]) counted[i] = 0;
  return measure.expected(counted, {ranking, {}, reachable});
}

}  // namespace dorm
