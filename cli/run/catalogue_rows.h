// SPDX-License-Identifier: Apache-2.0
// Recommenders in one table over the whole catalogue, with the baselines that every such table has.
#pragma once

#include <string>
#include <vector>

#include "dorm/recommend/any_model.h"
#include "dorm/recommend/catalogue.h"
#include "text/rankers_text.h"

namespace dorm::cli {

inline constexpr const char* kCatalogueMeasures = "ndcg@10,recall@10,mrr@10,success@10,coverage@10,novelty@10";

struct NamedRecommender {
  std::string name, source;
  Recommender model;
};

/// The models, then implicit ALS (that of the first model of events, else with its default options), EASE (likewise,
/// if there is such a model), item-kNN and popularity, all tested against the row `reference`. Users and items are
/// matched by id; items that a user had in the training events of any model are left out. `known`: how many of the test
/// events are such.
RankersReport catalogue_report(const std::vector<NamedRecommender>& models, const Ratings& test, std::size_t reference,
                               const std::vector<std::string>& measures, const EvaluateOptions& options,
                               std::size_t& known);

}  // namespace dorm::cli
