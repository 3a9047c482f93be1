// SPDX-License-Identifier: Apache-2.0
// Weights that can be moved, of features or of the parts of a sum, and the model that is edited.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/model_json.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

/// A slider; `reach` is how far weights can be moved.
Json slider(std::size_t feature, const std::string& name, double weight, double reach) {
  return {{"feature", feature}, {"name", name}, {"weight", weight}, {"low", -reach}, {"high", reach}};
}

/// "linear 2: ndcg@10, best"; parts are told apart by their number.
std::string name_of_part(const ModelPart& part, std::size_t k) {
  std::string name = fmt::format("{} {}", name_of(part.ranker->kind()), k + 1);
  const char* separator = ": ";
  for (const std::string& word : {part.measure, part.bound == "none" ? part.start : part.bound})
    if (!word.empty() && word != name_of(part.ranker->kind())) {
      name += separator + word;
      separator = ", ";
    }
  return name;
}

Json weights(const Explorer::State& state, const Parameters& parameters) {
  const Model& model = state.first->model();
  const std::string filter = parameters.text("filter");
  const bool sum = model.kind() == Model::Kind::sum;
  double most = 0;
  for (const double weight : model.weights) most = std::max(most, std::fabs(weight));
  if (sum)
    for (const ModelPart& part : model.parts) most = std::max(most, std::fabs(part.weight));
  const double reach = most > 0 ? 2 * most : 1;
  std::vector<std::size_t> rows;
  if (has_weights(model))
    for (const std::size_t feature : state.features_by_weight())
      if (contains_text(model.features[feature], filter)) rows.push_back(feature);
  if (sum)
    for (std::size_t k = 0; k < model.parts.size(); ++k)
      if (contains_text(name_of_part(model.parts[k], k), filter)) rows.push_back(k);
  return paged(parameters, rows.size(), [&](std::size_t row) {
    const std::size_t k = rows[row];
    return sum ? slider(k, name_of_part(model.parts[k], k), model.parts[k].weight, reach)
               : slider(k, model.features[k], model.weights[k], reach);
  });
}

/// What is written down of an edit.
Json edit_json(const Model& model, const Edit& edit) {
  const bool sum = model.kind() == Model::Kind::sum, point = edit.point != Edit::kWeight;
  Json out = {{"from", sum     ? model.parts[edit.feature].weight
                       : point ? points_of(model, edit.feature)[edit.point].y
                               : model.weights[edit.feature]},
              {"to", edit.weight}};
  if (sum)
    out["part"] = edit.feature;
  else
    out["feature"] = model.features[edit.feature];
  if (point) out["point"] = edit.point;
  return out;
}

/// Nobody shall take it for a model that was trained: what says so goes.
serve::Answer edited_file(const Explorer::State& state, const Parameters& parameters) {
  if (!can_be_edited(state.first->model())) throw serve::Refusal(409, "the model has no weights and no curves to move");
  const std::vector<Edit> edits = edits_of(parameters, state.first->model());
  Model model = edited_model(state.first->model(), edits);
  model.method = "edited";
  model.certificate = {};
  model.certificate.status = "none";
  model.explained_risk = 0;
  model.bound = model.start = model.solver = "";
  model.rounds = 0;
  model.validation = std::numeric_limits<double>::quiet_NaN();
  if (model.kind() != Model::Kind::sum) model.parts.clear();
  model.folds = 0;
  model.signs.clear();  // nothing has kept them
  Json json = json_of(model);
  Json list = Json::array();
  for (const Edit& edit : edits) list.push_back(edit_json(state.first->model(), edit));
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
