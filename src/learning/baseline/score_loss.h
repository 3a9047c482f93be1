// SPDX-License-Identifier: Apache-2.0
// Losses that see one query through its scores only. Each is convex and piecewise linear in the scores, so that
// ScoreRisk can hand it to any solver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/vector/sort.h"
#include "dorm/measure.h"
#include "learning/risk/pairwise_hinge.h"

namespace dorm {

/// Scratch of one thread, shared by all losses.
struct LossWorkspace {
  std::vector<std::uint32_t> order, counts;
  std::vector<double> values;
  SortWorkspace sort;
  PairwiseWorkspace pairs;
};

class ScoreLoss {
 public:
  virtual ~ScoreLoss() = default;

  /// A plane that touches the loss H at `scores`: the offset is returned, `coefficients` receive delta with
  /// H(g) >= offset - sum_i delta_i g_i for all g, equal at g = scores. A loss may be negative; ScoreRisk takes
  /// its positive part.
  virtual double linearize(std::span<const double> scores, std::span<double> coefficients,
                           LossWorkspace& workspace) const = 0;
};
using ScoreLossPtr = std::unique_ptr<const ScoreLoss>;  // null: nothing to learn from the query

/// (1/l) sum_i max(0, |y_i - g_i| - epsilon), labels and scores centred within the query.
ScoreLossPtr epsilon_insensitive(Labels labels, double epsilon);

/// (1/l) sum_i s_i max(0, 1 - side_i g_i), side_i = 1 where the label is `positive`, else -1; s by side.
ScoreLossPtr class_hinge(Labels labels, float positive, std::array<double, 2> weights = {1, 1});

/// The mean over pairs with different labels of max(0, 1 - (g_better - g_worse)).
ScoreLossPtr pairwise_mean(Labels labels);

/// The share of (relevant, other) pairs, as a hinge: pairwise_mean of two grades.
ScoreLossPtr roc_area(Labels labels, const Convention& convention);

/// Weights of pairs of grades: weight(a, b) belongs to a document of grade grades[a] above one of grades[b].
struct PairWeights {
  std::vector<float> grades;   // rising
  std::vector<double> weight;  // grades.size() rows and columns
  double at(std::size_t better, std::size_t worse) const { return weight[better * grades.size() + worse]; }
};

/// (1/pairs) sum over pairs of weight(grades) max(0, 1 - (g_better - g_worse)), O(l log l + l grades). Borrows the
/// weights; every label is one of their grades.
ScoreLossPtr pairwise_weighted(Labels labels, const PairWeights& weights);

/// PropSVMrank's bound on the rank of what was clicked: sum_i b_i sum_{k != i} max(0, 1 - (g_i - g_k)), b the labels,
/// each a click over its propensity or a mean of such. Labels at or below 0 are no clicks; where all are equal there is
/// nothing to learn. O(l log l).
ScoreLossPtr clicked_rank(Labels labels);

/// Joachims' multivariate hinge for Precision@n: labellings y choose exactly n documents, f(y) = 1/n times the sum of
/// the scores of those chosen, the reference chooses the relevant ones (however many they are), loss = the precision
/// missed. (1/n is a unit of C: margins are then in scores of one document.)
ScoreLossPtr precision_hinge(Labels labels, std::size_t n, const Convention& convention);

/// The hinge for average precision of Yue, Finley, Radlinski and Joachims: loss 1 - AP, f(y) = 1 / (relevant * others)
/// sum over (relevant i, other k) of +-(g_i - g_k), + where i is ahead of k.
ScoreLossPtr average_precision_hinge(Labels labels, const Convention& convention);

}  // namespace dorm
