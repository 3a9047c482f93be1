// SPDX-License-Identifier: Apache-2.0
// Labels that judges give, how far they agree, and files of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "dorm/write.h"
#include "evaluation/agreement.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr double kLargestLabel = 1000;

using DocumentKey = std::pair<std::string, std::string>;  // ids of query and document

std::optional<float> label_in(const BodyFields& body) {
  const Json& value = body.field("label", "a label from 0 to 1000, or null");
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= kLargestLabel))
    refuse_parameter(400, "label", printable_json(value), "a label from 0 to 1000, or null");
  return static_cast<float>(value.get<double>());
}

Json label_or_null(const std::optional<float>& label) { return label ? label_json(*label) : Json(nullptr); }

Json give_label(const Explorer::State& state, const BodyFields& body) {
  JudgmentStore& store = state.judging();
  const std::string judge = body.judge();
  const std::size_t q = body.index("q", state.data().num_queries()), d = body.index("d", state.documents(q));
  const LabelChange change = store.give(judge, state.query_id(q), state.document_name(q, d), label_in(body));
  return {{"q", q},
          {"d", d},
          {"label", label_or_null(change.label)},
          {"before", label_or_null(change.before)},
          {"judgments", change.judgments}};
}

Json undo_label(const Explorer::State& state, const BodyFields& body) {
  const LabelChange change = state.judging().undo(body.judge());
  const DocumentPlace place = state.find(change.query, change.document);
  const bool known = place.q < state.data().num_queries();
  return {{"q", known ? Json(place.q) : Json(nullptr)},
          {"d", known ? Json(place.d) : Json(nullptr)},
          {"label", label_or_null(change.label)},
          {"judgments", change.judgments}};
}

/// The documents of the queue, in its order; `first` is the first that this judge has not judged.
Json queue_of(const Explorer::State& state, const Parameters& parameters) {
  const std::string judge = parameters.text("judge");
  std::map<DocumentKey, float> labels;
  if (!judge.empty())
    for (const GivenLabel& each : state.judging().all(checked_judge(judge)))
      labels[{each.query, each.document}] = each.label;
  const auto label_of = [&](const DocumentPlace& place) -> std::optional<float> {
    const auto found = labels.find({state.query_id(place.q), state.document_name(place.q, place.d)});
    return found == labels.end() ? std::nullopt : std::optional(found->second);
  };
  Json out = paged(parameters, state.queue.size(), [&](std::size_t i) {
    const DocumentPlace& place = state.queue[i];
    Json row = {{"q", place.q},
                {"query", state.query_id(place.q)},
                {"query_text", text_or_null(state.query_text(place.q))},
                {"d", place.d},
                {"id", state.document_name(place.q, place.d)},
                {"label", label_json(state.data().query(place.q).labels[place.d])},
                {"judged", label_or_null(label_of(place))}};
    add_texts(state, place, row);
    return row;
  });
  const auto open = std::find_if(state.queue.begin(), state.queue.end(),
                                 [&](const DocumentPlace& place) { return !label_of(place); });
  out["first"] = open == state.queue.end() ? Json(nullptr) : Json(open - state.queue.begin());
  return out;
}

// ---- agreement ---------------------------------------------------------------------------------------------------

using LabelsByJudge = std::map<std::string, std::map<DocumentKey, float>>;

/// By judge; the data are one, with the documents that somebody judged.
LabelsByJudge labels_by_judge(const Explorer::State& state) {
  LabelsByJudge labels;
  std::map<DocumentKey, float> of_data;
  for (const GivenLabel& each : state.judging().all()) {
    const DocumentKey key{each.query, each.document};
    labels[each.judge][key] = each.label;
    const DocumentPlace place = state.find(each.query, each.document);
    if (place.q < state.data().num_queries()) of_data[key] = state.data().query(place.q).labels[place.d];
  }
  if (!of_data.empty()) labels["data"] = std::move(of_data);
  return labels;
}

std::optional<Json> pair_json(const LabelsByJudge::value_type& first, const LabelsByJudge::value_type& second) {
  std::vector<std::pair<float, float>> both;
  std::size_t same = 0;
  for (const auto& [key, label] : first.second) {
    const auto found = second.second.find(key);
    if (found == second.second.end()) continue;
    both.emplace_back(label, found->second);
    same += label == found->second;
  }
  if (both.empty()) return std::nullopt;
  return Json{{"first", first.first},
              {"second", second.first},
              {"both", both.size()},
              {"same", same},
              {"kappa", value_or_null(cohen_kappa(both, false))},
              {"weighted", value_or_null(cohen_kappa(both, true))}};
}

Json agreement(const Explorer::State& state) {
  const LabelsByJudge labels = labels_by_judge(state);
  Json judges = Json::array(), pairs = Json::array();
  for (auto first = labels.begin(); first != labels.end(); ++first) {
    judges.push_back({{"judge", first->first}, {"judgments", first->second.size()}});
    for (auto second = std::next(first); second != labels.end(); ++second)
      if (std::optional<Json> pair = pair_json(*first, *second)) pairs.push_back(std::move(*pair));
  }
  return {{"judges", std::move(judges)}, {"pairs", std::move(pairs)}};
}

// ---- files -------------------------------------------------------------------------------------------------------

/// One label per document: of one judge, or the median over judges, the lower one of two.
std::map<DocumentKey, float> settled_labels(const Explorer::State& state, const std::string& judge) {
  std::map<DocumentKey, std::vector<float>> given;
  for (const GivenLabel& each : state.judging().all(judge)) given[{each.query, each.document}].push_back(each.label);
  std::map<DocumentKey, float> settled;
  for (auto& [key, labels] : given) {
    const auto middle = labels.begin() + static_cast<std::ptrdiff_t>((labels.size() - 1) / 2);
    std::nth_element(labels.begin(), middle, labels.end());
    settled[key] = *middle;
  }
  return settled;
}

/// Words of a line have no blanks in them.
std::string as_word(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) c = '_';
  return text.empty() ? "_" : text;
}

std::string qrels_text(const Explorer::State& state, const std::string& judge) {
  std::string out;
  for (const auto& [key, label] : settled_labels(state, judge))
    out += fmt::format("{} 0 {} {}\n", as_word(key.first), as_word(key.second), label);
  return out;
}

/// Documents of the data alone: others have no features.
std::string letor_text(const Explorer::State& state, const std::string& judge) {
  DatasetBuilder builder;
  const Dataset& data = state.data();
  std::vector<float> row(data.num_features());
  std::size_t documents = 0;
  for (const auto& [key, label] : settled_labels(state, judge)) {
    const DocumentPlace place = state.find(key.first, key.second);
    if (place.q == data.num_queries()) continue;
    const Query query = data.query(place.q);
    query.rows.load(place.d, row);
    const std::string id = as_word(key.first), document = as_word(key.second);
    builder.add({.label = label, .query_id = id, .document_id = document}, row);
    ++documents;
  }
  if (documents == 0) return "";
  std::ostringstream out;
  write_letor(builder.finish(), out);
  return out.str();
}

std::string json_lines(const Explorer::State& state, const std::string& judge) {
  std::string out;
  for (const GivenLabel& each : state.judging().all(judge))
    out += printable_json(Json{{"query", each.query},
                               {"document", each.document},
                               {"label", label_json(each.label)},
                               {"judge", each.judge},
                               {"at", each.at}}) +
           "\n";
  return out;
}

using FileText = std::string (*)(const Explorer::State& state, const std::string& judge);

void add_judgment_file(const Explorer::State& state, serve::Router& router, std::string_view name, FileText text) {
  router.add("GET", fmt::format("/api/{}", name),
             [&state, name, text](serve::Request& request, const std::vector<std::string_view>&) {
               const Parameters parameters(request.target);
               const std::string judge = parameters.text("judge");
               return attachment(name, "text/plain; charset=utf-8",
                                 text(state, judge.empty() ? judge : checked_judge(judge)));
             });
}

}  // namespace

void add_judgment_routes(const Explorer::State& state, serve::Router& router) {
  add_post(router, "judgments", [&state](const BodyFields& body) { return give_label(state, body); });
  add_get(router, "queue", [&state](const Parameters& parameters) { return queue_of(state, parameters); });
  add_post(router, "undo", [&state](const BodyFields& body) { return undo_label(state, body); });
  add_get(router, "agreement", [&state](const Parameters&) { return agreement(state); });
  add_judgment_file(state, router, "judgments.qrels", qrels_text);
  add_judgment_file(state, router, "judgments.txt", letor_text);
  add_judgment_file(state, router, "judgments.jsonl", json_lines);
}

}  // namespace dorm::explore
