// SPDX-License-Identifier: Apache-2.0
// /v2: the Open Inference Protocol, so that clients of KServe, Triton and Seldon can ask. A model maps FP32 [n, d] to
// FP64 scores [n]; its one version is the checksum of its file.
#include <fmt/format.h>

#include "base/quote.h"
#include "serve/inference_request.h"
#include "serve/json_text.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

Answer server_metadata(Request&, const std::vector<std::string_view>&) {
  return {.body =
              printable_json({{"name", "dorm"}, {"version", DORM_VERSION}, {"extensions", {"binary_tensor_data"}}}) +
              "\n"};
}

/// Which is served now: that of the path, if it names one.
std::shared_ptr<const LoadedModel> asked_version(const Service& service,
                                                 const std::vector<std::string_view>& captured) {
  auto model = service.ranker(captured.at(0));
  if (captured.size() > 1 && captured[1] != model->version())
    throw Refusal(404, fmt::format("{} has no version {} now; expected {}", model->name(), in_quotes(captured[1]),
                                   model->version()));
  return model;
}

Answer model_metadata(const LoadedModel& model) {
  Answer answer = answer_of(model);
  const auto tensor = [](const char* name, const char* type, Json shape) {
    return Json::array({Json{{"name", name}, {"datatype", type}, {"shape", std::move(shape)}}});
  };
  answer.body = printable_json({{"name", model.name()},
                                {"versions", {model.version()}},
                                {"platform", "dorm"},
                                {"inputs", tensor("features", "FP32", {-1, model.ranker()->features.size()})},
                                {"outputs", tensor("scores", "FP64", Json::array({-1}))}}) +
                "\n";
  return answer;
}

Answer inferred(Service& service, Request& request, const LoadedModel& model) {
  // Triton's client says no type at all. Nothing is changed by a request, so that a page of the web gains nothing.
  const bool with_bytes = has_type(request, kBinary) && !request.json_bytes.empty();
  if (!with_bytes && !request.content_type.empty()) require_type(request, kJson);
  const InferenceRequest asked = read_inference_request(request.body, request.json_bytes, service.limits().documents);
  Answer answer = answer_of(model);
  const auto layout = model.layout(asked.rows.features, asked.rows.width);
  const std::vector<double> scores = service.score(model, *layout, asked.rows.rows(), answer);
  std::string& text = answer.body;
  text = "{\"model_name\":";
  append_text(text, model.name());
  fmt::format_to(std::back_inserter(text), ",\"model_version\":\"{}\",\"id\":", model.version());
  append_text(text, asked.id);
  fmt::format_to(std::back_inserter(text), ",\"outputs\":[{{\"name\":\"scores\",\"datatype\":\"FP64\",\"shape\":[{}],",
                 scores.size());
  const std::size_t bytes = scores.size() * sizeof(double);
  if (asked.binary_scores) {
    fmt::format_to(std::back_inserter(text), "\"parameters\":{{\"binary_data_size\":{}}}}}]}}", bytes);
    answer.headers.emplace_back("Inference-Header-Content-Length", std::to_string(text.size()));
    answer.type = kBinary;
    text.append(reinterpret_cast<const char*>(scores.data()), bytes);
    return answer;
  }
  text += "\"data\":[";
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i > 0) text += ',';
    append_number(text, scores[i]);
  }
  text += "]}]}\n";
  return answer;
}

}  // namespace

void add_inference_routes(Service& service) {
  Router& router = service.router();
  router.add("GET", "/v2", server_metadata);
  const auto well = [](const char* what) {
    return [what](Request&, const std::vector<std::string_view>&) {
      return Answer{.body = fmt::format("{{\"{}\":true}}\n", what)};
    };
  };
  router.add("GET", "/v2/health/live", well("live"), false);
  router.add("GET", "/v2/health/ready", well("ready"), false);
  for (const std::string path : {"/v2/models/{model}", "/v2/models/{model}/versions/{version}"}) {
    router.add("GET", path, [&service](Request&, const std::vector<std::string_view>& captured) {
      return model_metadata(*asked_version(service, captured));
    });
    router.add("GET", path + "/ready", [&service](Request&, const std::vector<std::string_view>& captured) {
      const auto model = asked_version(service, captured);
      Answer answer = answer_of(*model);
      answer.body = fmt::format("{{\"name\":\"{}\",\"ready\":true}}\n", model->name());
      return answer;
    });
    router.add("POST", path + "/infer", [&service](Request& request, const std::vector<std::string_view>& captured) {
      return inferred(service, request, *asked_version(service, captured));
    });
  }
}

}  // namespace dorm::serve
