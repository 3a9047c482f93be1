// SPDX-License-Identifier: Apache-2.0
// Two lists without names: which is better? Trials are functions of the file's salt, the judge and the query, so that
// nothing is kept until one is answered.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/checksum.h"
#include "evaluation/distributions.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kTrialLength = 10;

struct Trial {
  std::string name;  // 16 hexadecimal digits
  std::size_t q = 0;
  bool flipped = false;  // model b is on the left
};

JudgmentStore& trial_store(const Explorer::State& state) {
  if (!state.second) throw serve::Refusal(409, "there is no second model to compare with");
  return state.judging();
}

TrialPair pair_of(const Explorer::State& state) {
  return {state.options.models[0].fingerprint, state.options.models[1].fingerprint};
}

Ranking shown_list(const Ranked& ranked, std::size_t q) { return top_ranking(ranked.scores_of(q), kTrialLength); }

bool lists_differ(const Explorer::State& state, std::size_t q) {
  return shown_list(*state.first, q) != shown_list(*state.second, q);
}

std::uint64_t trial_hash(const std::string& salt, const std::string& judge, std::string_view query, char purpose) {
  const std::string text = fmt::format("{}\n{}\n{}\n{}", salt, judge, purpose, query);
  return checksum(std::as_bytes(std::span(text)));
}

/// The first that the judge has not answered, in an order of the judge's own; none: q is the number of queries.
Trial next_trial(const Explorer::State& state, JudgmentStore& store, const std::string& judge,
                 const std::unordered_set<std::string>& answered) {
  const std::string salt = store.salt();
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t q = 0; q < state.data().num_queries(); ++q)
    order.emplace_back(trial_hash(salt, judge, state.data().query(q).id, 'o'), q);
  std::sort(order.begin(), order.end());
  for (const auto& [place, q] : order) {
    const std::string id = state.query_id(q);
    if (answered.contains(id) || !lists_differ(state, q)) continue;
    return {fmt::format("{:016x}", trial_hash(salt, judge, id, 't')), q, (trial_hash(salt, judge, id, 's') & 1) != 0};
  }
  return {"", state.data().num_queries(), false};
}

Json list_json(const Explorer::State& state, const Ranked& ranked, std::size_t q) {
  Json list = Json::array();
  for (const std::uint32_t d : shown_list(ranked, q)) {
    Json doc = {{"d", d}, {"id", state.document_name(q, d)}};
    add_texts(state, {q, d}, doc);
    list.push_back(std::move(doc));
  }
  return list;
}

Json next_blind(const Explorer::State& state, const Parameters& parameters) {
  JudgmentStore& store = trial_store(state);
  const std::string judge = checked_judge(parameters.text("judge"));
  const auto answered = store.answered(judge, pair_of(state));
  const Trial trial = next_trial(state, store, judge, answered);
  if (trial.name.empty())
    return {{"trial", nullptr},        {"id", nullptr},         {"q", nullptr},
            {"done", answered.size()}, {"left", Json::array()}, {"right", Json::array()}};
  const Ranked &left = trial.flipped ? *state.second : *state.first,
               &right = trial.flipped ? *state.first : *state.second;
  return {{"trial", trial.name},
          {"id", state.query_id(trial.q)},
          {"text", text_or_null(state.query_text(trial.q))},
          {"q", trial.q},
          {"done", answered.size()},
          {"left", list_json(state, left, trial.q)},
          {"right", list_json(state, right, trial.q)}};
}

Json answer_blind(const Explorer::State& state, const BodyFields& body) {
  JudgmentStore& store = trial_store(state);
  const std::string judge = body.judge(), name = body.text("trial", "a trial");
  const std::string better = body.text("better", "left, right or same");
  if (better != "left" && better != "right" && better != "same")
    refuse_parameter(400, "better", better, "left, right or same");
  const auto answered = store.answered(judge, pair_of(state));
  const Trial trial = next_trial(state, store, judge, answered);
  if (trial.name.empty() || trial.name != name) refuse_parameter(404, "trial", name, "the one that stands open");
  const bool first = (better == "left") != trial.flipped;
  if (!store.answer(judge, state.query_id(trial.q), pair_of(state),
                    better == "same" ? "same"
                    : first          ? "first"
                                     : "second"))
    refuse_parameter(404, "trial", name, "the one that stands open");
  return {{"done", answered.size() + 1}};
}

Json blind_result(const Explorer::State& state) {
  const TrialCounts counts = trial_store(state).trials(pair_of(state));
  const std::size_t trials = counts.first + counts.second + counts.same, told = counts.first + counts.second;
  Json p = nullptr;
  if (trials > 0)
    p = told == 0 ? 1.0 : std::min(1.0, 2 * fair_coin_at_most(std::min(counts.first, counts.second), told));
  return {{"trials", trials}, {"a", counts.first}, {"b", counts.second}, {"same", counts.same}, {"p", std::move(p)}};
}

}  // namespace

void add_blind_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "blind", [&state](const Parameters& parameters) { return next_blind(state, parameters); });
  add_post(router, "blind", [&state](const BodyFields& body) { return answer_blind(state, body); });
  add_get(router, "blind/result", [&state](const Parameters&) { return blind_result(state); });
}

}  // namespace dorm::explore
