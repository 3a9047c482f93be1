// SPDX-License-Identifier: Apache-2.0
// The estimators of propensities, each for one context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/clicks/propensity.h"
#include "evaluation/clicks/log_ratios.h"
#include "evaluation/clicks/shown.h"

namespace dorm {

/// Which pairs of positions are compared: all; those with one position; neighbours.
enum class HarvestPairs { all, pivot, adjacent };

/// Intervention harvesting: for documents seen at both positions of a pair, A_ab is the sum of click rates at a, so
/// that log A_ab - log A_ba estimates x_a - x_b.
PositionLogs harvest(const Shown& shown, HarvestPairs pairs, std::uint32_t pivot, PropensityEvidence& evidence);

/// Sessions that put some positions in random order.
struct SwapExperiment {
  std::vector<std::uint32_t> positions;  // empty: all
  Shown shown;
};
/// The positions that a word says, see estimate_propensities(). False: none.
bool parse_swap(const std::string& word, std::vector<std::uint32_t>& positions);
/// Log propensities of `positions`, which are all that occur in the experiments.
PositionLogs compare_swaps(const std::vector<SwapExperiment>& experiments, std::vector<std::uint32_t>& positions,
                           PropensityEvidence& evidence);

/// Regression EM (Wang and others 2018). With `features`, which is by document of `shown` and may lack some (-1).
PositionLogs regression_em(const Shown& shown, const ClickCounts& counts, const Dataset* features,
                           const PropensityOptions& options, PropensityEvidence& evidence);

/// Never increasing, nearest to x by weights 1 / error^2, and nowhere above x_0 = 0.
void make_isotonic(PositionLogs& logs);

}  // namespace dorm
