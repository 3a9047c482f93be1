// SPDX-License-Identifier: Apache-2.0
#include "text/match_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "evaluation/bootstrap.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

std::string rounds_table(const MatchResult& result) {
  std::vector<std::vector<std::string>> rows = {{"round", "primal", "dual", "gap", "passes", "loose by", "time"}};
  for (std::size_t r = 0; r < result.rounds.size(); ++r) {
    const MatchRound& round = result.rounds[r];
    rows.push_back({std::to_string(r + 1), fmt::format("{:.6g}", round.primal), fmt::format("{:.6g}", round.dual),
                    fmt::format("{:.1e}", round.gap), std::to_string(round.passes),
                    fmt::format("{:.4f}", round.looseness), fmt::format("{:.2f} s", round.seconds)});
  }
  return aligned(rows);
}

std::string candidates_table(const ChosenMatch& chosen) {
  std::vector<std::vector<std::string>> rows = {{"C", "validation loss", "training loss", "gap", "time"}};
  std::size_t best = 0;
  for (const MatchCandidate& each : chosen.candidates) {
    rows.push_back({fmt::format("{:g}", each.C), fmt::format("{:.4f}", each.validation_loss),
                    fmt::format("{:.4f}", each.training_loss), fmt::format("{:.1e}", each.gap),
                    fmt::format("{:.2f} s", each.seconds)});
    if (each.C == chosen.best.model.C) best = rows.size() - 1;
  }
  return aligned(rows, best);
}

}  // namespace

EvaluatedMatchModel evaluate_matches(NamedMatchModel model, std::span<const PairOutcome> outcomes) {
  EvaluatedMatchModel evaluated{.model = std::move(model)};
  std::vector<double> losses;
  for (const PairOutcome& each : outcomes) {
    losses.push_back(each.loss);
    evaluated.proven += each.proven();
    evaluated.excess += (each.bound - each.score) / std::max(std::abs(each.bound), 1e-300);
  }
  evaluated.excess /= static_cast<double>(outcomes.size());
  evaluated.loss = mean_loss(outcomes);
  const std::vector<double> weights(losses.size(), 1);
  const std::array<std::span<const double>, 1> columns = {losses};
  const Interval interval = bootstrap(columns, weights, {})[0];
  evaluated.low = interval.low;
  evaluated.high = interval.high;
  return evaluated;
}

std::string match_training_text(const ChosenMatch& chosen, const std::string& path) {
  const MatchModel& model = chosen.best.model;
  std::string text = fmt::format("{} pairs, {} weights, {} matching{}\n", model.pairs, model.weights.size(),
                                 name_of(model.kind), model.unmatched ? ", nodes may stay unmatched" : "");
  if (!chosen.candidates.empty()) text += fmt::format("\n{}", candidates_table(chosen));
  text += fmt::format("\n{}", rounds_table(chosen.best));
  text += fmt::format(
      "\nC {:g}, {}: training loss {:.4f}, bound on it {:.4f}, of which separation explains at most {:.4f}\n", model.C,
      model.status, model.training_loss, model.loss_bound, model.looseness);
  if (model.below_truth > 0)
    text += fmt::format("of {} pairs the best match that was found scores less than the true one\n", model.below_truth);
  return text + fmt::format("model        {}\n", path);
}

std::string match_training_json(const ChosenMatch& chosen, const std::string& path) {
  const MatchModel& model = chosen.best.model;
  Json rounds = Json::array(), candidates = Json::array();
  for (const MatchRound& each : chosen.best.rounds)
    rounds.push_back({{"primal", each.primal},
                      {"dual", each.dual},
                      {"gap", each.gap},
                      {"passes", each.passes},
                      {"looseness", each.looseness},
                      {"seconds", each.seconds}});
  for (const MatchCandidate& each : chosen.candidates)
    candidates.push_back({{"C", each.C},
                          {"validation_loss", each.validation_loss},
                          {"training_loss", each.training_loss},
                          {"gap", each.gap},
                          {"looseness", each.looseness},
                          {"seconds", each.seconds}});
  Json json = {{"model", path},
               {"kind", name_of(model.kind)},
               {"pairs", model.pairs},
               {"C", model.C},
               {"status", model.status},
               {"primal", model.primal},
               {"dual", model.dual},
               {"gap", model.gap},
               {"loss_bound", model.loss_bound},
               {"looseness", model.looseness},
               {"training_loss", model.training_loss},
               {"below_truth", model.below_truth},
               {"rounds", std::move(rounds)},
               {"seconds", chosen.best.seconds}};
  if (!candidates.empty()) json["candidates"] = std::move(candidates);
  return printable_json(json, 2) + "\n";
}

std::string match_eval_text(std::span<const EvaluatedMatchModel> evaluated, std::size_t pairs) {
  std::vector<std::vector<std::string>> rows = {
      {"model", "kind", "Hamming loss", "95% interval", "proven", "bound over score"}};
  for (const EvaluatedMatchModel& each : evaluated)
    rows.push_back({each.model.name, std::string(name_of(each.model.model.kind)), fmt::format("{:.4f}", each.loss),
                    fmt::format("{:.4f} to {:.4f}", each.low, each.high), fmt::format("{} of {}", each.proven, pairs),
                    fmt::format("{:.2f}%", 100 * each.excess)});
  return aligned(rows);
}

std::string match_eval_json(std::span<const EvaluatedMatchModel> evaluated) {
  Json list = Json::array();
  for (const EvaluatedMatchModel& each : evaluated)
    list.push_back({{"model", each.model.name},
                    {"kind", name_of(each.model.model.kind)},
                    {"loss", each.loss},
                    {"low", each.low},
                    {"high", each.high},
                    {"proven", each.proven},
                    {"excess", each.excess}});
  return printable_json(list, 2) + "\n";
}

std::string matches_csv(const GraphSet& set, std::span<const GraphPair> pairs, std::span<const PairOutcome> outcomes) {
  std::string text = "graph1,graph2,node1,node2\n";
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const GraphPair& pair = pairs[p];
    for (std::size_t i = 0; i < outcomes[p].match.size(); ++i) {
      const std::uint32_t partner = outcomes[p].match[i];
      if (partner == kUnmatched) continue;
      const std::array<std::string, 4> fields = {set.names[pair.first], set.names[pair.second],
                                                 set.graphs[pair.first].nodes[i],
                                                 set.graphs[pair.second].nodes[partner]};
      text += report::csv_line(fields);
    }
  }
  return text;
}

std::string matches_jsonl(const GraphSet& set, std::span<const GraphPair> pairs,
                          std::span<const PairOutcome> outcomes) {
  std::string text;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const GraphPair& pair = pairs[p];
    Json match = Json::object();
    for (std::size_t i = 0; i < outcomes[p].match.size(); ++i)
      if (const std::uint32_t partner = outcomes[p].match[i]; partner != kUnmatched)
        match[set.graphs[pair.first].nodes[i]] = set.graphs[pair.second].nodes[partner];
    text += printable_json({{"graph1", set.names[pair.first]},
                            {"graph2", set.names[pair.second]},
                            {"score", outcomes[p].score},
                            {"bound", outcomes[p].bound},
                            {"match", std::move(match)}}) +
            "\n";
  }
  return text;
}

}  // namespace dorm::cli
