// SPDX-License-Identifier: Apache-2.0
// /v1/recommend: the items of a known user, of a newcomer by some ratings, or those like an item.
#include <fmt/format.h>

#include "base/quote.h"
#include "base/stopwatch.h"
#include "serve/body_reader.h"
#include "serve/json_text.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kMostItems = 10'000;

struct RecommendRequest {
  std::string model;
  std::optional<std::string> user, similar_to;
  std::optional<std::vector<std::pair<std::string, float>>> ratings;
  std::size_t top = 10;
  bool with_seen = false;
};

void read_rating(od::value value, const Place& place, RecommendRequest& out) {
  std::optional<std::string> item;
  std::optional<float> rating;
  FieldWalk(place, "item, rating")
      .over(read_object(value, place, "an object"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "item")
          item = read_id(field, at);
        else
          rating = read_float(field, at);
      });
  if (!item || !rating) refuse(place, "no item or no rating", "both");
  out.ratings->emplace_back(std::move(*item), *rating);
}

RecommendRequest read_recommend_request(std::string& body, std::size_t most) {
  RecommendRequest out;
  const Place top{nullptr, "body"};
  read_body(body, [&](od::object object) {
    FieldWalk(top, "model, user, ratings, similar_to, top, with_seen")
        .over(object, [&](std::string_view name, od::value value, const Place& at) {
          if (name == "user") {
            out.user = read_id(value, at);
          } else if (name == "similar_to") {
            out.similar_to = read_id(value, at);
          } else if (name == "top") {
            out.top = read_whole(value, at, "a whole number from 1 on");
            if (out.top == 0 || out.top > kMostItems)
              refuse(at, std::to_string(out.top), fmt::format("1 to {}", kMostItems));
          } else if (name == "with_seen") {
            out.with_seen = read_flag(value, at);
          } else if (name == "model") {
            out.model = read_string(value, at, "the name of a model");
          } else {
            out.ratings.emplace();
            each_value(read_list(value, at, "a list of ratings"), at, [&](od::value each, std::size_t i) {
              if (i >= most) refuse(at, fmt::format("more than {} ratings", most), "no more");
              read_rating(each, {&at, {}, i}, out);
            });
            if (out.ratings->empty()) refuse(at, "an empty list", "at least one rating");
          }
        });
  });
  if (out.user.has_value() + out.ratings.has_value() + out.similar_to.has_value() != 1)
    refuse(top, "more or less than one", "user, ratings or similar_to");
  return out;
}

std::vector<Recommendation> recommended(const RecommendRequest& asked, const LoadedModel& loaded,
                                        std::size_t& ignored) {
  const FactorModel& model = *loaded.factors();
  if (asked.ratings) return loaded.recommend_to_newcomer(*asked.ratings, asked.top, asked.with_seen, ignored);
  const bool similar = asked.similar_to.has_value();
  const std::string& id = similar ? *asked.similar_to : *asked.user;
  const auto number = similar ? model.items.find(id) : model.users.find(id);
  if (!number)
    throw Refusal(
        404, fmt::format("{}: found {}; expected one of the {} {} of the model {}", similar ? "similar_to" : "user",
                         in_quotes(id), similar ? model.items.size() : model.users.size(), similar ? "items" : "users",
                         loaded.name()));
  return similar ? similar_items(model, *number, asked.top) : recommend(model, *number, asked.top, asked.with_seen);
}

Answer recommendations(Service& service, Request& request, std::string_view name) {
  require_type(request, kJson);
  const RecommendRequest asked = read_recommend_request(request.body, service.limits().documents);
  if (!name.empty() && !asked.model.empty() && name != asked.model)
    throw Refusal(400, fmt::format("model: found {}; expected {} as in the path", in_quotes(asked.model), name));
  const auto loaded = service.recommender(name.empty() ? asked.model : name);
  Answer answer = answer_of(*loaded);
  const FactorModel& model = *loaded->factors();
  const Stopwatch watch;
  std::size_t ignored = 0;
  const std::vector<Recommendation> list = recommended(asked, *loaded, ignored);
  answer.score_seconds = watch.seconds();
  answer.documents = list.size();
  std::string& text = answer.body;
  text = "{\"model\":";
  append_text(text, loaded->name());
  fmt::format_to(std::back_inserter(text), ",\"version\":\"{}\",\"ignored\":{},\"items\":[", loaded->version(),
                 ignored);
  for (std::size_t k = 0; k < list.size(); ++k) {
    text += k > 0 ? ",{\"item\":" : "{\"item\":";
    append_text(text, model.items[list[k].item]);
    text += ",\"score\":";
    append_number(text, list[k].score);
    if (!model.title(list[k].item).empty()) {
      text += ",\"title\":";
      append_text(text, model.title(list[k].item));
    }
    text += '}';
  }
  text += "]}\n";
  return answer;
}

}  // namespace

void add_recommend_routes(Service& service) {
  for (const char* path : {"/v1/recommend", "/v1/models/{model}/recommend"})
    service.router().add("POST", path, [&service](Request& request, const std::vector<std::string_view>& captured) {
      return recommendations(service, request, captured.empty() ? std::string_view() : captured.front());
    });
}

}  // namespace dorm::serve
