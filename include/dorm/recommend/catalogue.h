// SPDX-License-Identifier: Apache-2.0
// Evaluation over the whole catalogue: every item that a user has not had in training is ranked, and the user's test
// events are the relevant ones. docs/recommend.md is the guide.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "dorm/evaluate.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// Fills the scores of all items for a user; called by several threads at once.
using CatalogueScores = std::function<void(std::size_t user, std::span<double> scores)>;

/// Measures of each user with test events. `train` and `test` have the same users and items, as parts of a split have.
/// Equal scores are ordered by item. Beside measures with a cutoff (recall@10, ndcg@10, mrr@10, success@10) there are
///   coverage@n: the share of the items that are among the first n of any evaluated user; it has no interval
///   novelty@n:  the mean surprise of the first n items, -log2 of the share of training users who had the item
/// Throws Error(bad_option) for a measure without a cutoff, Error(bad_input) for test parts without events.
EvaluationTable evaluate_catalogue(const Ratings& train, const Ratings& test, const CatalogueScores& scores,
                                   std::span<const std::string> measures, const EvaluateOptions& options = {});

}  // namespace dorm
