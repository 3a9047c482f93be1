// SPDX-License-Identifier: Apache-2.0
// What if a document had other values: its query is scored again, by any model.
#include <fmt/format.h>

#include <algorithm>

#include "data/replace_features.h"
#include "model/align.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 24;  // of a query, row by row

Json place_json(const Explorer::State& state, std::size_t q, std::size_t d, std::span<const double> scores) {
  const Ranking ranking = top_ranking(scores);
  const auto place = std::find(ranking.begin(), ranking.end(), static_cast<std::uint32_t>(d));
  return {{"score", scores[d]},
          {"rank", place - ranking.begin() + 1},
          {"measure", number_or_null(state.measure->of_query(q, scores))}};
}

/// The query by itself, with other values in one document.
Dataset changed_query(const Explorer::State& state, const Model& model, std::size_t q, std::size_t d,
                      const std::vector<Edit>& values) {
  const Dataset alone = state.data().select(std::vector<std::size_t>{q});
  const std::size_t width = alone.num_features();
  if (width > kMostNumbers / std::max<std::size_t>(1, alone.num_documents()))
    throw serve::Refusal(409, "values: the query has too many features to be scored again here");
  const std::vector<std::size_t> column_of = columns_of_features(model, alone);
  for (const Edit& value : values)
    if (column_of[value.feature] == FeatureIndex::kUnknown)
      throw serve::Refusal(409, fmt::format("values: the data have no feature {}", model.features[value.feature]));
  std::vector<std::string> names;
  for (std::size_t column = 0; column < width; ++column) names.push_back(alone.feature_name(column));
  return replace_features(alone, width, names, 1, [&](std::size_t, float* rows, std::size_t stride) {
    const FeatureRows from = alone.query(0).rows;
    for (std::size_t i = 0; i < from.size(); ++i) from.load(i, std::span(rows + i * stride, width));
    for (const Edit& value : values) rows[d * stride + column_of[value.feature]] = static_cast<float>(value.weight);
  });
}

Json change(const Explorer::State& state, const Parameters& parameters) {
  const std::size_t q = parameters.index("q", state.data().num_queries());
  const std::size_t d = parameters.index("d", state.documents(q));
  const auto ranked = state.model(parameters);
  const Model& model = ranked->model();
  if (model.features.empty())
    throw serve::Refusal(409, "the ranker is a list of scores, which no value changes; expected a model");
  const std::vector<Edit> values = numbers_by_feature(parameters, "values", model.features.size());
  const Dataset changed = changed_query(state, model, q, d, values);
  const std::vector<double> before = ranked->scores_of(q);
  return {{"d", d},
          {"before", place_json(state, q, d, before)},
          {"after", place_json(state, q, d, score(model, changed, state.options.evaluation.threads))}};
}

}  // namespace

void add_change_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "change", [&state](const Parameters& parameters) { return change(state, parameters); });
}

}  // namespace dorm::explore
