// SPDX-License-Identifier: Apache-2.0
// Bounds of a sum from some of its terms, which were drawn one by one without replacement.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace dorm {

/// A term of the sum: what is known of it in advance, and its value once it is drawn.
struct DrawnTerm {
  double low = 0, high = 0, value = 0;
};

/// Evidence against "the sum is at most `sum`": the number of draws after which it was overwhelming, none while it is
/// not. `terms` in the order of drawing, the first `drawn` with values; each was drawn among those left with a chance
/// in proportion to high - low. A gambler bets that the share (value - low) / (high - low) is larger than it may be
/// under the hypothesis, by a mixture of stakes; if the hypothesis holds, his wealth ever reaches `limit` times the
/// first stake with a probability of 1 / limit at most (Ville).
std::optional<std::size_t> larger_sum(std::span<const DrawnTerm> terms, std::size_t drawn, double sum, double limit);

}  // namespace dorm
