// SPDX-License-Identifier: Apache-2.0
// A measure of a ranking under limits on groups.
#pragma once

#include <optional>
#include <span>

#include "dorm/measure.h"

namespace dorm {

/// The value of the list that `ranking` makes within the limits (or, `as_ranked`, of the ranking as it stands, where
/// documents past the limit of their group gain nothing), against the best list within them. Nothing when there is
/// nothing to find. Throws Error(bad_option) for a measure of pairs.
std::optional<double> value_within(const Measure& measure, Labels labels, const GroupLimits& groups,
                                   std::span<const std::uint32_t> ranking, bool as_ranked);

}  // namespace dorm
