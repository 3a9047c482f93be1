// SPDX-License-Identifier: Apache-2.0
// What is served: models, metrics, and the description of all endpoints.
#include <fmt/format.h>

#include "openapi_file.h"
#include "serve/json_text.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

Json about_ranker(const Model& model) {
  Json out = {{"measure", model.measure},
              {"scaling", name_of(model.scaling.kind)},
              {"per_query", model.scaling.per_query()},
              {"features", model.features}};
  if (!model.one_per.empty()) out["one_per"] = model.one_per;
  return out;
}

Json about_model(const LoadedModel& model) {
  Json out = {{"name", model.name()}, {"version", model.version()}, {"kind", model.kind()}};
  if (const Recommending* recommender = model.recommender()) {
    out["measure"] = recommender->measure();
    out["users"] = recommender->users().size();
    out["items"] = recommender->items().size();
  } else {
    out.update(about_ranker(*model.ranker()));
    if (const FusionInput* fusion = model.fusion()) {
      Json& said = out["fusion"];
      said = {{"runs", fusion->runs}, {"scale", name_of(fusion->scale)}, {"absent", name_of(fusion->absent)}};
      if (!fusion->features.empty()) said["features"] = fusion->features;
      for (const QueryFeature& feature : fusion->query_features) said["query_features"].push_back(feature.name);
    }
  }
  return out;
}

std::string replaced(std::string text, std::string_view mark, std::string_view value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
  return text;
}

/// The names of the models stand in the description: those that fit the endpoint.
std::string openapi_text(const ModelStore& store) {
  Json rankers = Json::array(), recommenders = Json::array(), all = Json::array();
  for (const auto& model : *store.models()) {
    all.push_back(model->name());
    (model->recommender() ? recommenders : rankers).push_back(model->name());
  }
  const auto names = [](const Json& list) { return list.empty() ? "[\"none\"]" : printable_json(list); };
  std::string text = replaced(std::string(kOpenapiJson), "\"@VERSION@\"", fmt::format("\"{}\"", DORM_VERSION));
  text = replaced(std::move(text), "[\"@RANKERS@\"]", names(rankers));
  text = replaced(std::move(text), "[\"@RECOMMENDERS@\"]", names(recommenders));
  return replaced(std::move(text), "[\"@MODELS@\"]", names(all));
}

}  // namespace

void add_about_routes(Service& service) {
  Router& router = service.router();
  router.add("GET", "/v1/models", [&service](Request&, const std::vector<std::string_view>&) {
    Json list = Json::array();
    for (const auto& model : *service.store().models()) list.push_back(about_model(*model));
    return Answer{.body = printable_json({{"models", std::move(list)}}) + "\n"};
  });
  router.add("GET", "/v1/models/{model}", [&service](Request&, const std::vector<std::string_view>& captured) {
    const auto model = service.model(captured.at(0));
    Answer answer = answer_of(*model);
    answer.body = printable_json(about_model(*model)) + "\n";
    return answer;
  });
  router.add("GET", "/metrics", [&service](Request&, const std::vector<std::string_view>&) {
    return Answer{.type = "text/plain; version=0.0.4; charset=utf-8", .body = service.metrics_text()};
  });
  router.add("GET", "/openapi.json", [&service](Request&, const std::vector<std::string_view>&) {
    return Answer{.body = openapi_text(service.store())};
  });
}

}  // namespace dorm::serve
