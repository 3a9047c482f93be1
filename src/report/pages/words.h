// SPDX-License-Identifier: Apache-2.0
// Figures of training in words, the same on pages and in the terminal.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/data/prepare.h"
#include "dorm/export.h"
#include "dorm/train.h"
#include "dorm/tune.h"

namespace dorm::pages {

/// What is wrong with a feature that gives the label away: "equals the label".
std::string_view leak_words(LabelLeak::Kind kind);

/// What the last round of the chosen candidate took; empty when it was solved in an earlier run.
std::string effort_text(const SolveReport& solve);

/// "ndcg@10, C 100, decay measure, bound best from ridge".
std::string cell_name(const GridPoint& cell);

/// What it is trained from: an initial model, or a loss of trees with their leaves.
std::string start_name(const GridPoint& cell);

/// What it costs to serve the model, and the linear one that it stands beside: "this model", "linear alone".
std::vector<std::pair<std::string, ServingCost>> serving_costs(const TuneResult& tuned, const Dataset& data);

std::string_view choice_name(Choice choice);

/// The rule by which the ranker was made of the cells, and what it says of this one; `asked`: the rule
/// that was asked for.
std::string choice_reason(const TuneResult& tuned, Choice asked);

/// Cells that have no part in the ranker, by the rule that left them out; those that merely did not win are not told.
struct CellsOut {
  std::size_t cells;
  std::string rule;
};
std::vector<CellsOut> cells_out(const TuneResult& tuned);

/// "time limit: 7 of 24 grid points validated"; empty when the tuning went through.
std::string end_text(const TuneResult& tuned);

/// "2 weights >= 0, 1 <= 0; 1 is held at 0: price": the constraints of a training, and those that bind; empty: none.
std::string signs_text(const Model& model);
/// The features whose weight is 0 because of its sign.
std::vector<std::string> bound_features(const Model& model);

/// "0.7408, 95 % interval [0.6950, 0.7866], on vali.txt (156 queries)".
std::string validated_text(const ValidatedFigure& figure, const std::string& judged_on);

/// "ndcg@10 0.7408, 95 % interval [0.6950, 0.7866], on 32 queries that nothing had seen (0.2 of all, seed 1)".
std::string tested_text(const TestedFigure& figure);

}  // namespace dorm::pages
