// SPDX-License-Identifier: Apache-2.0
// Diversity as limits on groups: a maximum number of documents of each group (site, topic, set of near-duplicates) in
// the list that is shown.
//
// A list under limits holds the first `list_length` documents of some ranking; the other documents of the query are not
// shown. Filling it from the best document down, passing over groups that are full, gives every position the best that
// can be there: the sums over each prefix are as large as they can be. So ranking is still a sort, and the best list
// of a measure is found by sorting gains. docs/diversity.md has the proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dorm/measure.h"

namespace dorm {

/// Throws Error(bad_input) unless there is one valid group per document and at least one document may be shown.
void require_valid(const GroupLimits& groups, std::size_t documents);

/// How many documents a list can show: the sum over groups of the smaller of limit and size.
std::size_t most_shown(const GroupLimits& groups);

/// Positions of a list under position weights `a`: those with weight, fewer where groups run out.
std::size_t list_length(std::span<const double> a, const GroupLimits& groups);

/// The documents of `order` in turn, without those whose group is full; at most n, all that fit when n is 0.
Ranking admit(std::span<const std::uint32_t> order, const GroupLimits& groups, std::size_t n = 0);

/// The best of each group, then sorted by score: the n documents a list shows, ties by index.
Ranking top_ranking(std::span<const double> scores, const GroupLimits& groups, std::size_t n = 0);

/// The largest V over the lists within the limits.
double ideal_value(const Factors& factors, const GroupLimits& groups);

/// The factors of a measure whose ideal is itself within the limits: those of measures relative to their ideal are
/// scaled, so that the best list within the limits has value 1.
Factors factor_within(const FactoredMeasure& measure, Labels labels, const GroupLimits& groups);

}  // namespace dorm
