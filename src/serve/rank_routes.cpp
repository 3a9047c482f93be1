// SPDX-License-Identifier: Apache-2.0
// /v1/rank and /v1/explain: one request is one query.
#include <fmt/format.h>

#include "base/quote.h"
#include "base/stopwatch.h"
#include "dorm/data/one_per.h"
#include "dorm/explain.h"
#include "dorm/measure.h"
#include "dorm/ranking/group_lists.h"
#include "serve/json_text.h"
#include "serve/rank_request.h"
#include "serve/served_rows.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

constexpr std::size_t kMostExplained = std::size_t{1} << 18;  // contributions in one answer

/// The model that the path names, or else the body.
std::shared_ptr<const LoadedModel> asked_ranker(const Service& service, std::string_view in_path,
                                                std::string_view in_body) {
  if (!in_path.empty() && !in_body.empty() && in_path != in_body)
    throw Refusal(400, fmt::format("model: found {}; expected {} as in the path", in_quotes(in_body), in_path));
  return service.ranker(in_path.empty() ? in_body : in_path);
}

Answer binary_scores(Service& service, const Request& request, std::string_view name) {
  const auto model = service.ranker(name);
  const DenseRows rows = read_binary_rows(request.body, service.limits().documents);
  Answer answer = answer_of(*model);
  answer.type = kBinary;
  const std::vector<double> scores = service.score(*model, *model->layout({}, rows.columns), rows, answer);
  answer.body.assign(reinterpret_cast<const char*>(scores.data()), scores.size() * sizeof(double));
  return answer;
}

Ranking wanted_ranking(const RankRequest& asked, const LoadedModel& model, const ServedRows& served,
                       std::span<const double> scores) {
  const std::string one_per = asked.one_per.value_or(model.by_position() ? "" : model.ranker()->one_per);
  if (model.by_position() && asked.one_per)
    throw Refusal(400, "one_per: found it for a model that ranks by position; expected none");
  if (one_per.empty() || one_per == "none") return top_ranking(scores, asked.top);
  const Dataset data = model.data(*served.layout, served.rows, asked.ids, asked.groups);
  return top_ranking(scores, group_limits(data, parse_one_per(one_per)).front(), asked.top);
}

void append_document(std::string& out, const RankRequest& asked, std::size_t i) {
  if (i < asked.ids.size()) {
    out += "{\"id\":";
    append_text(out, asked.ids[i]);
    out += ",\"index\":";
  } else {
    out += "{\"index\":";
  }
  append_number(out, i);
}

const Model& explained_model(const LoadedModel& model, std::size_t documents) {
  if (model.by_position())
    throw Refusal(400, fmt::format("explain: found the model {}, which ranks by position; expected one that sorts by "
                                   "score",
                                   model.name()));
  if (documents > kMostExplained / model.ranker()->features.size())
    throw Refusal(400, fmt::format("top: found {} documents of {} features to explain; expected at most {} numbers",
                                   documents, model.ranker()->features.size(), kMostExplained));
  return *model.ranker();
}

void append_head(std::string& out, const LoadedModel& model) {
  out += "{\"model\":";
  append_text(out, model.name());
  fmt::format_to(std::back_inserter(out), ",\"version\":\"{}\"", model.version());
}

void append_contributions(std::string& out, const Model& model, const DocumentExplanation& document) {
  out += ",\"contributions\":{";
  for (std::size_t k = 0; k < document.parts.size(); ++k) {
    if (k > 0) out += ',';
    append_text(out, model.features[document.parts[k].feature]);
    out += ':';
    append_number(out, document.parts[k].contribution);
  }
  out += '}';
}

/// The request, read again with its texts where the model encodes columns.
RankRequest read_again(Request& request, RankFields fields, std::size_t most, RankRequest asked,
                       const LoadedModel& model) {
  return reads_texts(model) ? read_rank_request(request.body, fields, most, true) : std::move(asked);
}

/// "ranking":[...] of one query. The documents and seconds in the answer are of all queries so far.
void append_ranking(Service& service, const LoadedModel& model, const RankRequest& asked, Answer& answer) {
  const ServedRows served = served_rows(model, asked);
  const std::size_t documents_before = answer.documents;
  const double seconds_before = answer.score_seconds;
  const std::vector<double> scores = service.score(model, *served.layout, served.rows, answer);
  answer.documents += documents_before;
  answer.score_seconds += seconds_before;
  const Ranking ranking = wanted_ranking(asked, model, served, scores);
  std::vector<const DocumentExplanation*> why(asked.documents);
  QueryExplanation explanation;
  if (asked.explain) {
    const std::vector<std::size_t> documents(ranking.begin(), ranking.end());
    explanation =
        explain(explained_model(model, ranking.size()), model.data(*served.layout, served.rows), 0, 0, documents, 1);
    for (const DocumentExplanation& each : explanation.documents) why[each.document] = &each;
  }
  std::string& text = answer.body;
  text += "\"ranking\":[";
  for (std::size_t k = 0; k < ranking.size(); ++k) {
    if (k > 0) text += ',';
    append_document(text, asked, ranking[k]);
    text += ",\"score\":";
    append_number(text, scores[ranking[k]]);
    text += ",\"rank\":";
    append_number(text, k + 1);
    if (asked.explain) append_contributions(text, *model.ranker(), *why[ranking[k]]);
    text += '}';
  }
  text += ']';
}

Answer ranked(Service& service, Request& request, std::string_view name) {
  if (has_type(request, kBinary)) return binary_scores(service, request, name);
  require_type(request, kJson);
  const std::size_t most = service.limits().documents;
  RankRequest asked = read_rank_request(request.body, RankFields::rank, most);
  const auto model = asked_ranker(service, name, asked.model);
  asked = read_again(request, RankFields::rank, most, std::move(asked), *model);
  join_lists_of(asked, model->fusion(), model->name(), most);
  for (RankRequest& query : asked.queries) join_lists_of(query, model->fusion(), model->name(), most);
  Answer answer = answer_of(*model);
  std::string& text = answer.body;
  text.reserve(64 + 64 * asked.documents);
  append_head(text, *model);
  text += ',';
  if (asked.queries.empty()) append_ranking(service, *model, asked, answer);
  for (std::size_t q = 0; q < asked.queries.size(); ++q) {
    text += q == 0 ? "\"queries\":[{" : ",{";
    if (!asked.queries[q].query.empty()) {
      text += "\"id\":";
      append_text(text, asked.queries[q].query);
      text += ',';
    }
    append_ranking(service, *model, asked.queries[q], answer);
    text += '}';
  }
  text += asked.queries.empty() ? "}\n" : "]}\n";
  return answer;
}

std::size_t referred(const RankRequest& asked, std::size_t k) {
  const DocumentReference& reference = asked.pair[k];
  if (reference.index) {
    if (*reference.index >= asked.documents)
      throw Refusal(400,
                    fmt::format("pair[{}]: found {}; expected a place below {}", k, *reference.index, asked.documents));
    return *reference.index;
  }
  for (std::size_t i = 0; i < asked.ids.size(); ++i)
    if (asked.ids[i] == reference.id) return i;
  throw Refusal(400, fmt::format("pair[{}]: found {}; expected the id of a document", k, in_quotes(reference.id)));
}

Json part_json(const Model& model, const FeaturePart& part, bool additive) {
  Json out = {{"feature", model.features[part.feature]}, {"value", part.value}, {"scaled", part.scaled}};
  if (!additive) {
    out["effect"] = part.contribution;
    return out;
  }
  out["weight"] = part.weight;
  out["contribution"] = part.contribution;
  out["above_mean"] = part.above_mean;
  return out;
}

Json document_json(const RankRequest& asked, const Model& model, const DocumentExplanation& document, bool additive) {
  Json out = Json::object();
  if (document.document < asked.ids.size()) out["id"] = std::string(asked.ids[document.document]);
  out["index"] = document.document;
  out["rank"] = document.rank;
  out["score"] = document.score;
  Json parts = Json::array();
  for (const FeaturePart& part : document.parts) parts.push_back(part_json(model, part, additive));
  out["features"] = std::move(parts);
  return out;
}

Json difference_json(const Model& model, const DocumentExplanation& one, const DocumentExplanation& other) {
  Json parts = Json::array();
  for (const PartPair& pair : differences_of(one, other)) {
    const std::optional<double> level = level_value(model, pair, one, other);
    parts.push_back({{"feature", model.features[pair.one.feature]},
                     {"value", pair.one.value},
                     {"other_value", pair.other.value},
                     {"difference", pair.difference},
                     {"level_at", level ? Json(*level) : Json()}});
  }
  return {{"score", one.score - other.score}, {"lower", one.rank > other.rank ? 0 : 1}, {"features", std::move(parts)}};
}

Answer explained(Service& service, Request& request, std::string_view name) {
  require_type(request, kJson);
  RankRequest asked = read_rank_request(request.body, RankFields::explain, service.limits().documents);
  const auto loaded = asked_ranker(service, name, asked.model);
  Answer answer = answer_of(*loaded);
  asked = read_again(request, RankFields::explain, service.limits().documents, std::move(asked), *loaded);
  join_lists_of(asked, loaded->fusion(), loaded->name(), service.limits().documents);
  const ServedRows served = served_rows(*loaded, asked);
  if (asked.pair.empty() && asked.documents == 2 && !loaded->ranker()->kernel) asked.pair = {{"", 0}, {"", 1}};
  std::vector<std::size_t> documents;
  for (std::size_t k = 0; k < asked.pair.size(); ++k) documents.push_back(referred(asked, k));
  const bool pair = !documents.empty();
  if (pair && documents[0] == documents[1]) throw Refusal(400, "pair: found one document twice; expected two");
  const std::size_t count = pair ? 2 : asked.top > 0 ? std::min(asked.top, asked.documents) : asked.documents;
  const Model& model = explained_model(*loaded, count);
  if (pair && model.kernel)
    throw Refusal(400, "pair: found it for a kernel, which is no sum over features; expected a linear model");
  const Stopwatch watch;
  const QueryExplanation why = explain(model, loaded->data(*served.layout, served.rows), 0, asked.top, documents, 1);
  answer.score_seconds = watch.seconds();
  answer.documents = asked.documents;
  Json list = Json::array();
  for (const DocumentExplanation& each : why.documents) list.push_back(document_json(asked, model, each, why.additive));
  Json out = {{"model", loaded->name()},
              {"version", loaded->version()},
              {"additive", why.additive},
              {"mean_score", why.mean_score},
              {"documents", std::move(list)}};
  if (pair) {
    const bool in_order = why.documents[0].document == documents[0];
    out["difference"] = difference_json(model, why.documents[in_order ? 0 : 1], why.documents[in_order ? 1 : 0]);
  }
  answer.body = printable_json(out) + "\n";
  return answer;
}

}  // namespace

void add_rank_routes(Service& service) {
  const auto first = [](const std::vector<std::string_view>& captured) {
    return captured.empty() ? std::string_view() : captured.front();
  };
  for (const char* path : {"/v1/rank", "/v1/models/{model}/rank"})
    service.router().add("POST", path, [&service, first](Request& request, const auto& captured) {
      return ranked(service, request, first(captured));
    });
  for (const char* path : {"/v1/explain", "/v1/models/{model}/explain"})
    service.router().add("POST", path, [&service, first](Request& request, const auto& captured) {
      return explained(service, request, first(captured));
    });
}

}  // namespace dorm::serve
