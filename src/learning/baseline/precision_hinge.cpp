// SPDX-License-Identifier: Apache-2.0
// The most violated labelling that chooses n documents: with k relevant ones it takes the k best of those and the n - k
// best of the others, so the prefix sums of both lists give every k at once. O(l log l).
#include <algorithm>

#include "learning/baseline/binary_split.h"

namespace dorm {
namespace {

class PrecisionHinge final : public ScoreLoss {
 public:
  PrecisionHinge(BinarySplit split, std::size_t n) : split_(std::move(split)), n_(n) {}

  double linearize(std::span<const double> scores, std::span<double> coefficients,
                   LossWorkspace& workspace) const override {
    std::vector<std::uint32_t>& sorted = workspace.counts;
    split_.order_by_kind(scores, workspace, sorted);
    const std::size_t hits = most_violated(scores, sorted, workspace.values);
    const double step = 1 / static_cast<double>(n_);
    for (std::size_t i = 0; i < scores.size(); ++i) coefficients[i] = split_.relevant[i] ? step : 0.0;
    for (std::size_t r = 0; r < hits; ++r) coefficients[sorted[r]] -= step;
    for (std::size_t r = 0; r < n_ - hits; ++r) coefficients[sorted[split_.hits + r]] -= step;
    return missed(hits);
  }

 private:
  double missed(std::size_t hits) const {
    return static_cast<double>(std::min(n_, split_.hits) - hits) / static_cast<double>(n_);
  }

  /// How many relevant documents the labelling of the largest loss + score chooses.
  std::size_t most_violated(std::span<const double> scores, std::span<const std::uint32_t> sorted,
                            std::vector<double>& others) const {
    others.assign(1, 0.0);  // others[k]: the sum of the k best scores of documents that are not relevant
    for (std::size_t r = split_.hits; r < sorted.size() && others.size() <= n_; ++r)
      others.push_back(others.back() + scores[sorted[r]]);
    const std::size_t fewest = n_ > split_.others() ? n_ - split_.others() : 0;
    double chosen = 0, best = 0;
    std::size_t best_hits = fewest;
    for (std::size_t hits = 0; hits <= std::min(n_, split_.hits); ++hits) {
      if (hits > 0) chosen += scores[sorted[hits - 1]];
      if (hits < fewest) continue;
      const double value = missed(hits) + (chosen + others[n_ - hits]) / static_cast<double>(n_);
      if (hits == fewest || value > best) {
        best = value;
        best_hits = hits;
      }
    }
    return best_hits;
  }

  BinarySplit split_;
  std::size_t n_;
};

}  // namespace

ScoreLossPtr precision_hinge(Labels labels, std::size_t n, const Convention& convention) {
  BinarySplit split(labels, convention);
  if (!split.mixed() || labels.size() <= n) return nullptr;
  return std::make_unique<PrecisionHinge>(std::move(split), n);
}

}  // namespace dorm
