// SPDX-License-Identifier: Apache-2.0
// The most violated ranking keeps each kind of document in order of score, so it is known by how many relevant
// documents, k_j, are ahead of the j-th other. Both the loss and the scores are sums over pairs (i > k_j, j):
//
//   1 - AP = (1/R) sum i / ((i + j - 1)(i + j)),    f(ideal) - f(y) = 2 / (R N) sum (s_i - t_j),
//
// so each k_j is the start of a best suffix, and the best k_j never fall with j. O(R N).
#include "learning/baseline/binary_split.h"

namespace dorm {
namespace {

class AveragePrecisionHinge final : public ScoreLoss {
 public:
  explicit AveragePrecisionHinge(BinarySplit split) : split_(std::move(split)) {}

  double linearize(std::span<const double> scores, std::span<double> coefficients,
                   LossWorkspace& workspace) const override {
    std::vector<std::uint32_t>& sorted = workspace.counts;
    split_.order_by_kind(scores, workspace, sorted);
    const std::size_t R = split_.hits, N = split_.others();
    const double step = 2 / (static_cast<double>(R) * static_cast<double>(N));
    std::vector<double>& overtaken = workspace.values;  // [i]: others ahead of relevant i + 1,
    overtaken.assign(R + 1, 0.0);                       // as differences
    double offset = 0;
    for (std::size_t j = 1; j <= N; ++j) {
      const std::uint32_t other = sorted[R + j - 1];
      double sum = 0, loss = 0, best = 0, best_loss = 0;
      std::size_t ahead = R;
      for (std::size_t i = R; i > 0; --i) {
        const double lost =
            static_cast<double>(i) / (static_cast<double>(i + j - 1) * static_cast<double>((i + j) * R));
        loss += lost;
        sum += lost - step * (scores[sorted[i - 1]] - scores[other]);
        if (sum <= best) continue;
        best = sum;
        best_loss = loss;
        ahead = i - 1;
      }
      offset += best_loss;
      coefficients[other] = -step * static_cast<double>(R - ahead);
      overtaken[ahead] += 1;
    }
    double passed = 0;
    for (std::size_t i = 0; i < R; ++i) {
      passed += overtaken[i];
      coefficients[sorted[i]] = step * passed;
    }
    return offset;
  }

 private:
  BinarySplit split_;
};

}  // namespace

ScoreLossPtr average_precision_hinge(Labels labels, const Convention& convention) {
  BinarySplit split(labels, convention);
  if (!split.mixed()) return nullptr;
  return std::make_unique<AveragePrecisionHinge>(std::move(split));
}

}  // namespace dorm
