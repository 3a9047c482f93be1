// SPDX-License-Identifier: Apache-2.0
// Two documents beside each other.
#include <algorithm>
#include <cmath>

#include "dorm/explain.h"

namespace dorm {

std::vector<PartPair> differences_of(const DocumentExplanation& one, const DocumentExplanation& other) {
  std::vector<PartPair> pairs(one.parts.size());
  for (const FeaturePart& part : one.parts) pairs[part.feature].one = part;
  for (const FeaturePart& part : other.parts) pairs[part.feature].other = part;
  for (PartPair& pair : pairs) pair.difference = pair.one.contribution - pair.other.contribution;
  std::stable_sort(pairs.begin(), pairs.end(), [](const PartPair& a, const PartPair& b) {
    return std::fabs(a.difference) > std::fabs(b.difference);
  });
  return pairs;
}

std::optional<double> level_value(const Model& model, const PartPair& pair, const DocumentExplanation& one,
                                  const DocumentExplanation& other) {
  const FeaturePart& part = one.rank > other.rank ? pair.one : pair.other;
  return value_for_gain(model, part.feature, part.value, std::fabs(one.score - other.score));
}

}  // namespace dorm
