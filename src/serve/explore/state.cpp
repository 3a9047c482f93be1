// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "model/trained_on.h"

namespace dorm::explore {
namespace {

constexpr std::uint64_t kColumnBytes = std::uint64_t{1} << 30;
constexpr std::size_t kKeptEdits = 8;

void require_models(const std::vector<Candidate>& models) {
  if (models.empty() || models.size() > 2)
    throw Error(ErrorCode::bad_option, fmt::format("{} models; expected one or two", models.size()));
  if (models.back().data.num_documents() != models.front().data.num_documents())
    throw Error(ErrorCode::bad_input, "the models read different documents; expected the same for both");
}

/// A label of each document is its score.
ScoreTable scores_by_label(const Dataset& data) {
  std::vector<double> scores;
  scores.reserve(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (const float label : data.query(q).labels) scores.push_back(static_cast<double>(label));
  return ScoreTable(std::move(scores));
}

}  // namespace

Explorer::State::State(Options given) : options(std::move(given)) {
  require_models(options.models);
  const auto tell = [this](double share, std::string_view what) {
    if (options.progress) options.progress(share, what);
  };
  const Candidate& a = options.models.front();
  const std::size_t threads = options.evaluation.threads;
  if (!options.judgments.empty()) judgments = std::make_unique<JudgmentStore>(options.judgments);
  if (!options.texts.empty()) texts = Texts(options.texts, a.data, [&](double share) { tell(share, "reading texts"); });
  if (options.measure.empty()) options.measure = a.model.measure.empty() ? "ndcg@10" : a.model.measure;
  tell(0.1, "the ideal order");
  measure = std::make_unique<QueryValues>(a.data, options.measure, options.evaluation);
  ideal = measure->values(scores_by_label(a.data));
  tell(0.3, "scores");
  const auto ranked = [&](const Candidate& each, const Ranked* against) {
    auto scores =
        std::make_shared<ScoreTable>(each.scores.empty() ? score(each.model, each.data, threads) : each.scores);
    return std::make_shared<const Ranked>(each.model, each.data, std::move(scores), *measure, against);
  };
  first = ranked(a, nullptr);
  if (options.models.size() > 1) second = ranked(options.models[1], first.get());
  tell(0.5, "statistics of features");
  for (const Candidate& each : options.models)
    trained_share.push_back(share_trained_on(each.model, each.data, threads));
  profile = std::make_unique<const DataProfile>(a.model, a.data, threads);
  violated = ViolatedRankings::of(a.model);
  if (a.model.curves) sketch = std::make_unique<const CurveSketch>(a.model, a.data, threads);
  for (std::size_t q = 0; q < a.data.num_queries(); ++q) query_number_.emplace(a.data.query(q).id, q);
  for (const auto& [query, document] : options.queue)
    if (const DocumentPlace place = find(query, document); place.q < a.data.num_queries()) queue.push_back(place);
  if (queue.empty() && !options.queue.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("none of {} documents to judge is in the data (the first: query {}, "
                            "document {}); expected the ids of the data",
                            options.queue.size(), options.queue[0].first, options.queue[0].second));
  tell(0.7, "figures");
  for (const auto& each : {first, second})
    if (each) {
      each->estimate();
      each->swaps();
    }
  if (second) second->test();
  if (has_weights(a.model) && a.data.dense() && a.data.num_nonzeros() > options.exact_values) {
    tell(0.8, "scaled features");
    columns = std::make_unique<ScaledColumns>(a.model, a.data, kColumnBytes, threads);
    columns->prepare(features_by_weight());
  }
  options.progress = {};  // it is over, whatever shows it
}

std::shared_ptr<const Ranked> Explorer::State::right(const Parameters& parameters) const {
  const std::string name = parameters.text("right");
  if (name.empty()) return nullptr;
  if (name == "b" && second) return second;
  if (name == "edited" && can_be_edited(options.models[0].model)) return edited(edits_of(parameters, first->model()));
  if (name == "b" || name == "edited")
    throw serve::Refusal(
        409, name == "b" ? "right: there is no second model" : "right: the model has no weights and no curves to move");
  refuse_parameter(400, "right", name, "b or edited");
}

std::shared_ptr<const Ranked> Explorer::State::model(const Parameters& parameters) const {
  const std::string name = parameters.text("model");
  if (name.empty() || name == "a") return first;
  if (name == "b" && second) return second;
  if (name == "edited") return edited(edits_of(parameters, first->model()));
  refuse_parameter(404, "model", name, second ? "a, b or edited" : "a or edited");
}

std::shared_ptr<const ScoreTable> Explorer::State::edited_scores(const Model& model,
                                                                 const std::vector<Edit>& edits) const {
  if (edits.empty()) return first->scores();
  if (!columns || edits.size() > columns->room())
    return std::make_shared<ScoreTable>(score(model, data(), options.evaluation.threads));
  std::vector<WeightChange> changes;
  for (const Edit& edit : edits)
    if (auto column = columns->column(edit.feature))
      changes.push_back({edit.weight - first->model().weights[edit.feature], std::move(column)});
  return std::make_shared<ScoreTable>(first->scores(), std::move(changes));
}

std::shared_ptr<const Ranked> Explorer::State::edited(const std::vector<Edit>& edits) const {
  const std::lock_guard lock(edits_mutex_);  // each uses all cores: one after another
  auto found = std::find_if(edited_.begin(), edited_.end(), [&](const auto& each) { return each.first == edits; });
  if (found == edited_.end()) {
    Model model = edited_model(first->model(), edits);
    auto scores = edited_scores(model, edits);
    auto ranked = std::make_shared<const Ranked>(std::move(model), data(), std::move(scores), *measure, first.get());
    if (edited_.size() >= kKeptEdits) edited_.pop_back();
    found = edited_.insert(edited_.end(), {edits, std::move(ranked)});
  }
  std::rotate(edited_.begin(), found, found + 1);
  return edited_.front().second;
}

JudgmentStore& Explorer::State::judging() const {
  if (!judgments) throw serve::Refusal(409, "judging is off: no file for judgments was given");
  return *judgments;
}

const std::string& Explorer::State::query_text(std::size_t q) const {
  if (const std::string* text = texts.query(std::string(data().query(q).id))) return *text;
  static const std::string none;
  return q < options.readable.queries.size() ? options.readable.queries[q] : none;
}

bool Explorer::State::matches(std::size_t q, const std::string& filter) const {
  if (contains_text(data().query(q).id, filter) || contains_text(query_text(q), filter)) return true;
  for (std::size_t d = 0; d < documents(q); ++d) {
    const DocumentText* text = texts.given() ? texts.find(document_name(q, d)) : nullptr;
    if (text && contains_text(text->title, filter)) return true;
    const std::size_t row = data().first_document(q) + d;
    if (row < options.readable.titles.size() && contains_text(options.readable.titles[row], filter)) return true;
  }
  return false;
}

DocumentPlace Explorer::State::find(const std::string& query, const std::string& document) const {
  const auto found = query_number_.find(query);
  if (found == query_number_.end()) return {data().num_queries(), 0};
  const std::size_t q = found->second;
  for (std::size_t d = 0; d < documents(q); ++d)
    if (document_name(q, d) == document) return {q, d};
  return {data().num_queries(), 0};
}

std::vector<std::size_t> Explorer::State::features_by_weight() const {
  const Model& model = first->model();
  std::vector<std::size_t> order(model.weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  const auto size = [&](std::size_t j) { return std::fabs(model.weights[j]) * std::fabs(profile->features[j].spread); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return size(i) > size(j); });
  return order;
}

bool can_judge() { return JudgmentStore::available(); }

Explorer::Explorer(Options options) : state_(std::make_unique<const State>(std::move(options))) {}
Explorer::~Explorer() = default;

void Explorer::add_routes(serve::Router& router) const {
  add_page_routes(*state_, router);
  add_query_routes(*state_, router);
  add_why_routes(*state_, router);
  add_weight_routes(*state_, router);
  add_curve_routes(*state_, router);
  add_change_routes(*state_, router);
  add_judgment_routes(*state_, router);
  add_blind_routes(*state_, router);
  add_data_routes(*state_, router);
}

}  // namespace dorm::explore
