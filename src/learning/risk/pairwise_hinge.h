// SPDX-License-Identifier: Apache-2.0
// The pairwise hinge of one query, by counting instead of enumerating pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dorm {

struct PairwiseWorkspace {
  std::vector<std::uint32_t> order, tree;
  std::vector<double> sums;
};

/// Documents with their labels replaced by ranks: 0 for the smallest label, levels - 1 for the largest.
struct PairwiseQuery {
  std::vector<std::uint32_t> level;
  std::uint32_t levels = 0;
  double pairs = 0;          // with different labels; with gains their total weight
  std::vector<double> gain;  // a pair weighs the difference of its gains; none: all weigh the same
};
PairwiseQuery prepare_pairwise(std::span<const float> labels);

/// The same with gains that never fall when labels rise.
PairwiseQuery prepare_pairwise(std::span<const float> labels, std::span<const double> gains);

/// H = (1 / pairs) sum over i better than k of weight max(0, 1 - (g_i - g_k)), in O(l log l). `coefficients` receives
/// delta_i with H = offset - sum_i delta_i g_i; the offset is returned.
double pairwise_hinge(const PairwiseQuery& query, std::span<const double> scores, std::span<double> coefficients,
                      PairwiseWorkspace& workspace);

}  // namespace dorm
