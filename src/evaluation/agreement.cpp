// SPDX-License-Identifier: Apache-2.0
#include "evaluation/agreement.h"

#include <map>

namespace dorm {
namespace {

double disagreement(float one, float other, bool weighted) {
  const double difference = static_cast<double>(one) - static_cast<double>(other);
  return weighted ? difference * difference : difference != 0;
}

}  // namespace

std::optional<double> cohen_kappa(std::span<const std::pair<float, float>> labels, bool weighted) {
  std::map<float, double> first, second;  // how often each label was given
  double seen = 0, expected = 0;
  for (const auto& [one, other] : labels) {
    ++first[one];
    ++second[other];
    seen += disagreement(one, other, weighted);
  }
  for (const auto& [one, times] : first)
    for (const auto& [other, other_times] : second)
      expected += times * other_times * disagreement(one, other, weighted);
  if (expected == 0) return std::nullopt;
  return 1 - seen * static_cast<double>(labels.size()) / expected;
}

std::optional<double> krippendorff_alpha(std::span<const std::pair<float, float>> labels) {
  double seen = 0, sum = 0, squares = 0;
  for (const auto& [one, other] : labels) {
    seen += disagreement(one, other, true);
    for (const double label : {static_cast<double>(one), static_cast<double>(other)}) {
      sum += label;
      squares += label * label;
    }
  }
  // The squared differences of all ordered pairs of n labels sum to 2 (n squares - sum^2).
  const double n = 2 * static_cast<double>(labels.size());
  const double expected = 2 * (n * squares - sum * sum) / (n * (n - 1));
  if (labels.empty() || expected <= 0) return std::nullopt;
  return 1 - seen / static_cast<double>(labels.size()) / expected;
}

}  // namespace dorm
