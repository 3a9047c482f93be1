// SPDX-License-Identifier: Apache-2.0
// The curves of model a: their points, the distribution of the values under them, and where the documents of a query
// lie.
#include <algorithm>
#include <cmath>

#include "model/align.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kShownDocuments = 50;

/// The first documents of a query, and the scaled values of all its documents.
struct OpenQuery {
  std::size_t q = 0;
  Ranking ranking;
  std::vector<double> scaled;
};

OpenQuery open_query(const Explorer::State& state, std::size_t q) {
  OpenQuery open{q, top_ranking(state.first->scores_of(q), kShownDocuments), {}};
  const Dataset alone = state.data().select(std::vector<std::size_t>{q});
  open.scaled = scaled_features(state.first->model(), alone, state.options.evaluation.threads);
  return open;
}

Json query_json(const Explorer::State& state, const OpenQuery& open) {
  Json documents = Json::array();
  for (std::size_t rank = 0; rank < open.ranking.size(); ++rank) {
    const std::size_t d = open.ranking[rank];
    documents.push_back({{"d", d},
                         {"rank", rank + 1},
                         {"id", state.document_name(open.q, d)},
                         {"label", label_json(state.data().query(open.q).labels[d])}});
  }
  return {{"q", open.q}, {"id", state.query_id(open.q)}, {"documents", std::move(documents)}};
}

Json points_json(const Model& model, std::size_t feature, const std::vector<CurvePoint>& points) {
  Json out = Json::array();
  for (const CurvePoint& point : points) {
    const std::optional<double> value = point.x ? unscaled(model.scaling, feature, *point.x) : std::nullopt;
    out.push_back({{"x", value_or_null(point.x)}, {"value", value_or_null(value)}, {"y", point.y}});
  }
  return out;
}

/// A curve, or a line, whose weight can be moved within `reach`; points as far again as the curve rises.
Json curve_json(const Explorer::State& state, std::size_t feature, double reach, const OpenQuery* open) {
  const Model& model = state.first->model();
  const CurveSketch::Feature& frame = state.sketch->features[feature];
  const std::vector<CurvePoint> points = points_of(model, feature);
  double low = -reach, high = reach;
  if (!points.empty()) {
    const auto [least, most] =
        std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
    const double rise = std::max(most->y - least->y, reach / 10);
    low = least->y - rise;
    high = most->y + rise;
  }
  const double tallest = std::max<double>(1, *std::max_element(frame.counts.begin(), frame.counts.end()));
  Json shares = Json::array(), values = Json::array();
  for (const std::uint32_t count : frame.counts) shares.push_back(count / tallest);
  if (open)
    for (const std::uint32_t d : open->ranking)
      values.push_back(number_or_null(open->scaled[d * model.features.size() + feature]));
  const std::optional<double> from = unscaled(model.scaling, feature, frame.low);
  const std::optional<double> to = unscaled(model.scaling, feature, frame.high);
  const Curve& curve = model.curves->features[feature];
  return {{"feature", feature},
          {"name", model.features[feature]},
          {"weight", model.weights[feature]},
          {"median", curve.median},
          {"missing", value_or_null(curve.missing)},
          {"moves", frame.moves},
          {"points", points_json(model, feature, points)},
          {"from", frame.low},
          {"to", frame.high},
          {"ends", from && to ? Json({*from, *to}) : Json(nullptr)},
          {"shares", std::move(shares)},
          {"low", low},
          {"high", high},
          {"x", std::move(values)}};
}

Json curves(const Explorer::State& state, const Parameters& parameters) {
  if (!state.sketch) throw serve::Refusal(409, "the model has no curves");
  const Model& model = state.first->model();
  const std::string filter = parameters.text("filter");
  std::vector<std::size_t> rows;
  for (const std::size_t feature : state.sketch->order)
    if (contains_text(model.features[feature], filter)) rows.push_back(feature);
  std::optional<OpenQuery> open;
  if (!parameters.text("q").empty()) open = open_query(state, parameters.index("q", state.data().num_queries()));
  double most = 0;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    if (model.curves->features[j].knots.empty()) most = std::max(most, std::fabs(model.weights[j]));
    for (const CurvePoint& point : points_of(model, j)) most = std::max(most, std::fabs(point.y));
  }
  const double reach = most > 0 ? 2 * most : 1;
  Json out = paged(parameters, rows.size(),
                   [&](std::size_t row) { return curve_json(state, rows[row], reach, open ? &*open : nullptr); });
  out["shape"] = name_of(model.curves->shape);
  out["scaling"] = name_of(model.scaling.kind);
  out["query"] = open ? query_json(state, *open) : Json(nullptr);
  return out;
}

}  // namespace

void add_curve_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "curves", [&state](const Parameters& parameters) { return curves(state, parameters); });
}

}  // namespace dorm::explore
