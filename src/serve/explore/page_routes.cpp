// SPDX-License-Identifier: Apache-2.0
// The page itself, what it is about, and how answers are made.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/utf8.h"
#include "page_files.h"
#include "serve/explore/state.h"
#include "serve/service.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kLargestBody = std::size_t{16} << 10;
constexpr std::size_t kJudgeCharacters = 64;
constexpr float kMostKeys = 9;
constexpr std::size_t kTitleCharacters = 200;

Json about_model(const Explorer::State& state, std::size_t k) {
  const Candidate& each = state.options.models[k];
  const Model& model = each.model;
  const auto name_or_null = [](const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); };
  const auto violated = k == 0 && state.violated ? Json(name_of(state.violated->bound())) : Json(nullptr);
  const char* const edits = k == 0 ? what_can_be_edited(model) : nullptr;
  return {{"key", k == 0 ? "a" : "b"},
          {"name", each.name},
          {"method", model.method},
          {"measure", name_or_null(model.measure)},
          {"bound", violated},
          {"kind", each.kind},
          {"linear", has_weights(model)},
          {"family", name_of(model.kind())},
          {"edits", edits ? Json(edits) : Json(nullptr)},
          {"explains", each.scores.empty()},
          {"trained_share", state.trained_share[k]},
          {"fingerprint", each.fingerprint},
          {"features", model.features.size()}};
}

/// The labels that judges give: those that the data's are among, where they are small whole numbers.
std::vector<int> labels_to_give(const std::vector<float>& labels) {
  const float most = labels.empty() ? 0 : labels.back();
  bool whole = most >= 1 && most <= kMostKeys;
  for (const float label : labels) whole = whole && label == std::floor(label);
  std::vector<int> out;
  for (int label = 0; label <= (whole ? static_cast<int>(most) : 4); ++label) out.push_back(label);
  return out;
}

Json info(const Explorer::State& state) {
  Json models = Json::array();
  for (std::size_t k = 0; k < state.options.models.size(); ++k) models.push_back(about_model(state, k));
  const std::string file = std::filesystem::path(state.options.judgments).filename().string();
  const Dataset& data = state.data();
  Json labels = Json::array();
  for (const float label : state.profile->labels) labels.push_back(label_json(label));
  return {{"version", DORM_VERSION},
          {"measure", state.measure->name()},
          {"convention", convention_of(state.options.evaluation).name},
          {"cutoff", state.measure->cutoff() > 0 ? Json(state.measure->cutoff()) : Json(nullptr)},
          {"data",
           {{"name", state.options.data_name},
            {"queries", data.num_queries()},
            {"documents", data.num_documents()},
            {"features", data.num_features()},
            {"labels", std::move(labels)},
            {"texts", state.texts.given() || !state.options.readable.titles.empty()}}},
          {"models", std::move(models)},
          {"judging",
           {{"on", state.judgments != nullptr},
            {"file", state.judgments ? Json(file) : Json(nullptr)},
            {"labels", labels_to_give(state.profile->labels)},
            {"queue", state.queue.size()}}}};
}

void add_file(serve::Router& router, std::string_view path, std::string_view type, std::string_view text) {
  router.add(
      "GET", path,
      [type, text](serve::Request&, const std::vector<std::string_view>&) {
        return serve::Answer{.type = type, .body = std::string(text)};
      },
      false);
}

}  // namespace

Json label_json(float label) {
  if (label == std::floor(label) && std::fabs(label) < 1e6F) return static_cast<std::int64_t>(label);
  return label;
}

serve::Answer json_answer(const Json& json) { return {.body = printable_json(json) + "\n"}; }

serve::Answer attachment(std::string_view name, std::string_view type, std::string body) {
  serve::Answer answer{.type = type, .body = std::move(body)};
  answer.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"", name));
  return answer;
}

std::string checked_judge(std::string name) {
  std::size_t characters = 0;
  for (std::string_view rest = name; !rest.empty(); ++characters) {
    const Utf8Character c = first_character(rest);
    if (c.length == 0 || c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0))
      refuse_parameter(400, "judge", name, "a name without control characters");
    rest.remove_prefix(c.length);
  }
  if (characters == 0 || characters > kJudgeCharacters)
    refuse_parameter(400, "judge", name, "a name of 1 to 64 characters");
  if (name == "data") refuse_parameter(400, "judge", name, "another name: that of the labels is taken");
  return name;
}

BodyFields::BodyFields(const serve::Request& request) {
  serve::require_type(request, serve::kJson);
  if (request.body.size() > kLargestBody)
    throw serve::Refusal(413,
                         fmt::format("the body has {} bytes; expected at most {}", request.body.size(), kLargestBody));
  json_ = parse_json(request.body, "body", "an object of JSON");
  if (!json_.is_object()) throw serve::Refusal(400, "body: found something else; expected an object of JSON");
}

const Json& BodyFields::field(const char* name, std::string_view expected) const {
  const auto found = json_.find(name);
  if (found == json_.end()) throw serve::Refusal(400, fmt::format("{}: it is missing; expected {}", name, expected));
  return *found;
}

std::size_t BodyFields::index(const char* name, std::size_t count) const {
  const Json& value = field(name, "a whole number");
  if (!value.is_number_unsigned()) refuse_parameter(400, name, printable_json(value), "a whole number");
  const auto number = value.get<std::uint64_t>();
  if (number >= count) refuse_parameter(404, name, std::to_string(number), fmt::format("less than {}", count));
  return static_cast<std::size_t>(number);
}

std::string BodyFields::text(const char* name, std::string_view expected) const {
  const Json& value = field(name, expected);
  if (!value.is_string()) refuse_parameter(400, name, printable_json(value), expected);
  return value.get<std::string>();
}

std::string BodyFields::judge() const { return checked_judge(text("judge", "a name of 1 to 64 characters")); }

void add_texts(const Explorer::State& state, const DocumentPlace& place, Json& out) {
  const std::size_t row = state.data().first_document(place.q) + place.d;
  const auto of_row = [&](const std::vector<std::string>& texts) {
    return text_or_null(row < texts.size() ? std::string(cut_text(texts[row], kTitleCharacters)) : std::string());
  };
  const DocumentText* text = state.texts.given() ? state.texts.find(state.document_name(place.q, place.d)) : nullptr;
  out["title"] = text && text->has_title ? Json(text->title) : of_row(state.options.readable.titles);
  out["text"] = text && text->has_text ? Json(text->text) : Json(nullptr);
  out["url"] = text && !text->url.empty() ? Json(text->url) : of_row(state.options.readable.urls);
}

void add_page_routes(const Explorer::State& state, serve::Router& router) {
  add_file(router, "/", "text/html; charset=utf-8", kIndexHtml);
  add_file(router, "/app.js", "text/javascript; charset=utf-8", kAppJs);
  add_file(router, "/app.css", "text/css; charset=utf-8", kAppCss);
  router.add(
      "GET", "/favicon.ico",
      [](serve::Request&, const std::vector<std::string_view>&) { return serve::Answer{.status = 204}; }, false);
  add_get(router, "info", [&state](const Parameters&) { return info(state); });
}

}  // namespace dorm::explore
