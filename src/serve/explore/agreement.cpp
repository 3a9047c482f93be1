// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/agreement.h"

#include <map>

namespace dorm::explore {
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

}  // namespace dorm::explore
