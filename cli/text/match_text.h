// SPDX-License-Identifier: Apache-2.0
// How match models, their training and their matches are shown.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dorm/matching/match.h"

namespace dorm::cli {

struct NamedMatchModel {
  std::string name;
  MatchModel model;
};

struct EvaluatedMatchModel {
  NamedMatchModel model;
  double loss = 0, low = 0, high = 0;  // mean Hamming loss, and its interval by resampling pairs
  double excess = 0;                   // mean of (bound - score) / |bound|
  std::size_t proven = 0;              // pairs whose match is known to be the best
};
EvaluatedMatchModel evaluate_matches(NamedMatchModel model, std::span<const PairOutcome> outcomes);

std::string match_training_text(const ChosenMatch& chosen, const std::string& path);
std::string match_training_json(const ChosenMatch& chosen, const std::string& path);
std::string match_eval_text(std::span<const EvaluatedMatchModel> evaluated, std::size_t pairs);
std::string match_eval_json(std::span<const EvaluatedMatchModel> evaluated);
std::string matches_csv(const GraphSet& set, std::span<const GraphPair> pairs, std::span<const PairOutcome> outcomes);
std::string matches_jsonl(const GraphSet& set, std::span<const GraphPair> pairs, std::span<const PairOutcome> outcomes);

}  // namespace dorm::cli
