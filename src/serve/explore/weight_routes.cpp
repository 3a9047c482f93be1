// SPDX-License-Identifier: Apache-2.0
// Weights that can be moved, and the model with moved weights.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/model_json.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

Json weights(const Explorer::State& state, const Parameters& parameters) {
  const Model& model = state.first->model();
  const std::string filter = parameters.text("filter");
  double most = 0;
  for (const double weight : model.weights) most = std::max(most, std::fabs(weight));
  const double reach = most > 0 ? 2 * most : 1;
  std::vector<std::size_t> rows;
  for (const std::size_t feature : state.features_by_weight())
    if (contains_text(model.features[feature], filter)) rows.push_back(feature);
  return paged(parameters, rows.size(), [&](std::size_t row) {
    return Json{{"feature", rows[row]},
                {"name", model.features[rows[row]]},
                {"weight", model.weights[rows[row]]},
                {"low", -reach},
                {"high", reach}};
  });
}

/// Nobody shall take it for a model that was trained: what says so goes.
serve::Answer edited_file(const Explorer::State& state, const Parameters& parameters) {
  if (!has_weights(state.first->model()))
    throw serve::Refusal(409, "the model is not linear; expected one with weights");
  const std::vector<Edit> edits = edits_of(parameters, state.first->model());
  Model model = state.edited_model(edits);
  model.method = "edited";
  model.certificate = {};
  model.certificate.status = "none";
  model.explained_risk = 0;
  model.bound = model.start = model.solver = "";
  model.rounds = 0;
  model.validation = std::numeric_limits<double>::quiet_NaN();
  model.parts.clear();
  model.folds = 0;
  Json json = json_of(model);
  Json list = Json::array();
  for (const Edit& edit : edits)
    list.push_back({{"feature", model.features[edit.feature]},
                    {"from", state.first->model().weights[edit.feature]},
                    {"to", edit.weight}});
  json["edited_from"] = {{"name", state.options.models[0].name},
                         {"fingerprint", state.options.models[0].fingerprint},
                         {"edits", std::move(list)}};
  return attachment("edited.json", serve::kJson, json_text(json, 1) + "\n");
}

}  // namespace

void add_weight_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "weights", [&state](const Parameters& parameters) { return weights(state, parameters); });
  router.add("GET", "/api/model.json", [&state](serve::Request& request, const std::vector<std::string_view>&) {
    return edited_file(state, Parameters(request.target));
  });
}

}  // namespace dorm::explore
