// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/matching/match.h"

namespace dorm {

ChosenMatch choose_match(const GraphSet& set, std::span<const GraphPair> pairs, std::span<const GraphPair> validation,
                         std::span<const double> trade_offs, const MatchOptions& options, const Observer& observer) {
  if (trade_offs.empty()) throw Error(ErrorCode::bad_option, "no C to choose among");
  if (validation.empty()) throw Error(ErrorCode::bad_input, "no pairs of graphs to choose C by");
  for (const GraphPair& pair : validation)
    if (pair.match.empty()) throw Error(ErrorCode::bad_input, "the pairs to choose C by have no true partners");
  std::vector<double> increasing(trade_offs.begin(), trade_offs.end());
  std::sort(increasing.begin(), increasing.end());
  bool wanted = true;
  const Observer relay = [&](const Progress& progress) {
    wanted = (!observer || observer(progress)) && wanted;
    return wanted;
  };
  ChosenMatch chosen;
  for (const double C : increasing) {
    MatchOptions at = options;
    at.C = C;
    MatchResult result = train_match(set, pairs, at, relay);
    MatchModel& model = result.model;
    model.validation_loss = mean_loss(predict_matches(model, set, validation, options.steps, options.compute.threads));
    chosen.candidates.push_back(
        {C, model.validation_loss, model.training_loss, model.gap, model.looseness, result.seconds});
    if (chosen.candidates.size() == 1 || model.validation_loss < chosen.best.model.validation_loss)
      chosen.best = std::move(result);
    if (!wanted) break;
  }
  return chosen;
}

}  // namespace dorm
