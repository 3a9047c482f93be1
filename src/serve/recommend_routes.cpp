// SPDX-License-Identifier: Apache-2.0
// /v1/recommend: the items of a known user, of a newcomer by some ratings, or those like an item.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/quote.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "serve/body_reader.h"
#include "serve/json_text.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kMostItems = 10'000;

struct GivenRating {
  std::string item;
  std::optional<float> value;
};

struct RecommendRequest {
  std::string model;
  std::optional<std::string> user, similar_to;
  std::optional<std::vector<GivenRating>> ratings;
  std::optional<std::vector<std::string>> candidates;
  std::vector<std::string> exclude;
  std::size_t top = 10, because = 0;
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
  if (!item) refuse(place, "no item", "an item and its rating");
  out.ratings->push_back({std::move(*item), rating});
}

/// A number of items from 1 on.
std::size_t read_count(od::value value, const Place& at) {
  const std::size_t count = read_whole(value, at, "a whole number from 1 on");
  if (count == 0 || count > kMostItems) refuse(at, std::to_string(count), fmt::format("1 to {}", kMostItems));
  return count;
}

std::vector<std::string> read_items(od::value value, const Place& at, std::size_t most) {
  std::vector<std::string> items;
  each_value(read_list(value, at, "a list of items"), at, [&](od::value each, std::size_t i) {
    if (i >= most) refuse(at, fmt::format("more than {} items", most), "no more");
    items.push_back(read_id(each, {&at, {}, i}));
  });
  return items;
}

void read_ratings_list(od::value value, const Place& at, std::size_t most, RecommendRequest& out) {
  out.ratings.emplace();
  each_value(read_list(value, at, "a list of ratings"), at, [&](od::value each, std::size_t i) {
    if (i >= most) refuse(at, fmt::format("more than {} ratings", most), "no more");
    read_rating(each, {&at, {}, i}, out);
  });
  if (out.ratings->empty()) refuse(at, "an empty list", "at least one rating");
}

void read_field(std::string_view name, od::value value, const Place& at, std::size_t most, RecommendRequest& out) {
  if (name == "user") {
    out.user = read_id(value, at);
  } else if (name == "similar_to") {
    out.similar_to = read_id(value, at);
  } else if (name == "top") {
    out.top = read_count(value, at);
  } else if (name == "because") {
    out.because = read_count(value, at);
  } else if (name == "with_seen") {
    out.with_seen = read_flag(value, at);
  } else if (name == "model") {
    out.model = read_string(value, at, "the name of a model");
  } else if (name == "candidates") {
    out.candidates = read_items(value, at, most);
  } else if (name == "exclude") {
    out.exclude = read_items(value, at, most);
  } else {
    read_ratings_list(value, at, most, out);
  }
}

RecommendRequest read_recommend_request(std::string& body, std::size_t most) {
  RecommendRequest out;
  const Place top{nullptr, "body"};
  read_body(body, [&](od::object object) {
    FieldWalk(top, "model, user, ratings, similar_to, top, with_seen, candidates, exclude, because")
        .over(object,
              [&](std::string_view name, od::value value, const Place& at) { read_field(name, value, at, most, out); });
  });
  if (out.user.has_value() + out.ratings.has_value() + out.similar_to.has_value() != 1)
    refuse(top, "more or less than one", "user, ratings or similar_to");
  if (out.because > 0 && out.similar_to) refuse(top, "because with similar_to", "it with user or ratings");
  return out;
}

/// A request, matched to the items of a model.
struct Asked {
  std::optional<Taste> taste;  // of the user; else items are like an item
  std::vector<Recommendation> list;
  std::size_t ignored = 0;  // items that the model does not know
};

std::vector<char> allowed_by(const RecommendRequest& request, const IdTable& items, std::size_t& ignored) {
  if (!request.candidates && request.exclude.empty()) return {};
  std::vector<char> allowed(items.size(), !request.candidates);
  const auto mark = [&](const std::vector<std::string>& ids, char value) {
    for (const std::string& id : ids) {
      const auto item = items.find(id);
      if (item) allowed[*item] = value;
      ignored += !item;
    }
  };
  if (request.candidates) mark(*request.candidates, 1);
  mark(request.exclude, 0);
  return allowed;
}

Taste newcomer_of(const std::vector<GivenRating>& ratings, const Recommending& model, std::size_t& ignored) {
  const bool events = std::string_view(model.kind()) == "implicit";
  std::vector<ItemRating> known;
  for (std::size_t i = 0; i < ratings.size(); ++i) {
    const auto& [id, value] = ratings[i];
    const Place top{nullptr, "ratings"}, place{&top, {}, i};
    if (!value && !events) refuse(place, "no rating", "one: the model was trained on ratings");
    if (events && value && !(*value > 0)) refuse(Place{&place, "rating"}, fmt::format("{}", *value), "more than 0");
    const auto item = model.items().find(id);
    if (item) known.push_back({*item, value.value_or(1)});
    ignored += !item;
  }
  try {
    return model.newcomer(known);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unsupported) throw Refusal(400, error.what());
    throw;
  }
}

std::uint32_t number_of(const IdTable& known, const std::string& id, const char* field, const char* what,
                        const std::string& model) {
  const auto number = known.find(id);
  if (!number)
    throw Refusal(404, fmt::format("{}: found {}; expected one of the {} {} of the model {}", field, in_quotes(id),
                                   known.size(), what, model));
  return *number;
}

Asked recommended(const RecommendRequest& request, const LoadedModel& loaded) {
  const Recommending& model = *loaded.recommender();
  Asked out;
  const std::vector<char> allowed = allowed_by(request, model.items(), out.ignored);
  if (request.similar_to) {
    const std::uint32_t item = number_of(model.items(), *request.similar_to, "similar_to", "items", loaded.name());
    out.list = model.like_item(item, allowed.empty() ? request.top : model.items().size());
    std::erase_if(out.list, [&](const Recommendation& each) { return !allowed.empty() && allowed[each.item] == 0; });
    out.list.resize(std::min(out.list.size(), request.top));
    return out;
  }
  out.taste = request.ratings ? newcomer_of(*request.ratings, model, out.ignored)
                              : model.known(number_of(model.users(), *request.user, "user", "users", loaded.name()));
  out.list = top_items(model, *out.taste, {request.top, request.with_seen, allowed});
  return out;
}

void append_item(std::string& text, const Recommending& model, const Recommendation& each, const char* number) {
  text += "{\"item\":";
  append_text(text, model.items()[each.item]);
  fmt::format_to(std::back_inserter(text), ",\"{}\":", number);
  append_number(text, each.score);
  if (model.title(each.item).empty()) return;
  text += ",\"title\":";
  append_text(text, model.title(each.item));
}

void append_reasons(std::string& text, const Recommending& model, const Explanation& reasons) {
  text += ",\"rest\":";
  append_number(text, reasons.rest);
  text += ",\"because\":[";
  for (std::size_t k = 0; k < reasons.because.size(); ++k) {
    if (k > 0) text += ',';
    append_item(text, model, reasons.because[k], "part");
    text += '}';
  }
  text += ']';
}

Answer recommendations(Service& service, Request& request, std::string_view name) {
  require_type(request, kJson);
  const RecommendRequest body = read_recommend_request(request.body, service.limits().documents);
  if (!name.empty() && !body.model.empty() && name != body.model)
    throw Refusal(400, fmt::format("model: found {}; expected {} as in the path", in_quotes(body.model), name));
  const auto loaded = service.recommender(name.empty() ? body.model : name);
  Answer answer = answer_of(*loaded);
  const Recommending& model = *loaded->recommender();
  const Stopwatch watch;
  const Asked asked = recommended(body, *loaded);
  answer.documents = asked.list.size();
  std::string& text = answer.body;
  text = "{\"model\":";
  append_text(text, loaded->name());
  fmt::format_to(std::back_inserter(text), ",\"version\":\"{}\",\"ignored\":{},\"items\":[", loaded->version(),
                 asked.ignored);
  for (std::size_t k = 0; k < asked.list.size(); ++k) {
    if (k > 0) text += ',';
    append_item(text, model, asked.list[k], "score");
    if (body.because > 0) append_reasons(text, model, explain(model, *asked.taste, asked.list[k].item, body.because));
    text += '}';
  }
  text += "]}\n";
  answer.score_seconds = watch.seconds();
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
