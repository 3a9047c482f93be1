// SPDX-License-Identifier: Apache-2.0
// Losses that add up over documents: epsilon-insensitive regression and the hinge of one class against the rest.
#include <cmath>
#include <numeric>

#include "learning/baseline/score_loss.h"

namespace dorm {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// With signs sigma_i in {-1, 0, 1} of the documents outside the tube, H = (1/l) sum_i sigma_i (y_i - g_i) - epsilon
// |sigma_i|. Centring is a projection: centring sigma is the same as centring the scores.
class EpsilonInsensitive final : public ScoreLoss {
 public:
  EpsilonInsensitive(Labels labels, double epsilon) : target_(labels.begin(), labels.end()), epsilon_(epsilon) {
    const double centre = mean(target_);
    for (double& y : target_) y -= centre;
  }

  double linearize(std::span<const double> scores, std::span<double> coefficients, LossWorkspace&) const override {
    const auto l = static_cast<double>(scores.size());
    const double centre = mean(scores);
    double offset = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double error = target_[i] - (scores[i] - centre);
      const double sign = std::abs(error) <= epsilon_ ? 0.0 : std::copysign(1.0, error);
      offset += (sign * target_[i] - epsilon_ * std::abs(sign)) / l;
      coefficients[i] = sign / l;
    }
    const double shift = mean(coefficients);
    for (double& delta : coefficients) delta -= shift;
    return offset;
  }

 private:
  std::vector<double> target_;
  double epsilon_;
};

class ClassHinge final : public ScoreLoss {
 public:
  ClassHinge(Labels labels, float positive, std::array<double, 2> weights) : weights_(weights) {
    for (float label : labels) side_.push_back(label == positive ? 1.0 : -1.0);
  }

  double linearize(std::span<const double> scores, std::span<double> coefficients, LossWorkspace&) const override {
    const auto l = static_cast<double>(scores.size());
    double offset = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double weight = side_[i] * scores[i] < 1 ? weights_[side_[i] > 0 ? 0 : 1] / l : 0.0;
      coefficients[i] = weight * side_[i];
      offset += weight;
    }
    return offset;
  }

 private:
  std::vector<double> side_;
  std::array<double, 2> weights_;
};

}  // namespace

ScoreLossPtr epsilon_insensitive(Labels labels, double epsilon) {
  return std::make_unique<EpsilonInsensitive>(labels, epsilon);
}

ScoreLossPtr class_hinge(Labels labels, float positive, std::array<double, 2> weights) {
  return std::make_unique<ClassHinge>(labels, positive, weights);
}

}  // namespace dorm
