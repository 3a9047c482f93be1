// SPDX-License-Identifier: Apache-2.0
// Pairs of documents in the wrong order, and pairs that two rankings order differently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dorm::explore {

/// Pairs with the smaller label above the larger one, the upper one within the first `cutoff` positions (0: any).
std::uint64_t label_swaps(std::span<const float> labels, std::span<const double> scores, std::size_t cutoff);

/// Pairs that two rankings order differently, at least one of the two documents within the first `cutoff` positions of
/// one of the rankings (0: all pairs).
std::uint64_t ranking_swaps(std::span<const double> one, std::span<const double> other, std::size_t cutoff);

}  // namespace dorm::explore
