// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dorm/matching/match.h"
#include "learning/matching/local_search.h"
#include "learning/matching/pair_features.h"

namespace dorm {

bool PairOutcome::proven() const { return bound - score <= 1e-6 * (1 + std::abs(bound)); }

std::vector<PairOutcome> predict_matches(const MatchModel& model, const GraphSet& set, std::span<const GraphPair> pairs,
                                         std::size_t steps, std::size_t threads) {
  require_same_features(model, set);
  set.validate();
  validate(set, pairs);
  std::vector<PairOutcome> outcomes(pairs.size());
  parallel_for(pairs.size(), threads, [&](std::size_t p, std::size_t) {
    const PairFeatures features(model, set.graphs[pairs[p].first], set.graphs[pairs[p].second]);
    BoundedMatch best = best_match(features.shape(), features.scores(model.weights), steps);
    outcomes[p].match = std::move(best.match);
    outcomes[p].score = best.value;
    outcomes[p].bound = std::max(best.bound, best.value);
    if (!pairs[p].match.empty()) outcomes[p].loss = hamming_loss(pairs[p].match, outcomes[p].match, model.unmatched);
  });
  return outcomes;
}

double hamming_loss(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> match, bool unmatched) {
  std::size_t judged = 0, wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == kUnmatched && !unmatched) continue;
    ++judged;
    wrong += truth[i] != match[i];
  }
  return judged == 0 ? std::nan("") : static_cast<double>(wrong) / static_cast<double>(judged);
}

double mean_loss(std::span<const PairOutcome> outcomes) {
  double sum = 0, count = 0;
  for (const PairOutcome& each : outcomes)
    if (!std::isnan(each.loss)) {
      sum += each.loss;
      count += 1;
    }
  return count == 0 ? std::nan("") : sum / count;
}

}  // namespace dorm
