// SPDX-License-Identifier: Apache-2.0
#include "text/factorize_text.h"

#include <fmt/format.h>

#include <cmath>

#include "run/output.h"
#include "text/factors_text.h"

namespace dorm::cli {
namespace {

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

std::string half_steps_table(const FactorizeResult& result) {
  std::vector<std::vector<std::string>> rows = {{"half step", "objective before", "after", "gap", "passes", "seconds"}};
  for (const HalfStep& step : result.report.half_steps)
    rows.push_back({fmt::format("{} {}", step.round, step.items ? "items" : "users"),
                    fmt::format("{:.6g}", step.before), fmt::format("{:.6g}", step.after),
                    fmt::format("{:.1e}", step.gap), std::to_string(step.passes), fmt::format("{:.3f}", step.seconds)});
  return aligned(rows);
}

std::string validation_table(const FactorizeResult& result) {
  std::vector<std::vector<std::string>> rows = {{"round", "validation " + result.model.options.measure, "seconds", ""}};
  for (const FactorRound& round : result.report.rounds)
    rows.push_back({std::to_string(round.round), fmt::format("{:.4f}", round.validation),
                    fmt::format("{:.2f}", round.seconds), round.round == result.model.rounds ? "kept" : ""});
  return aligned(rows);
}

}  // namespace

std::string factorize_text(const FactorizeResult& result, const Ratings& train, const EvalReport* test,
                           const std::string& path) {
  const FactorModel& model = result.model;
  const FactorizeReport& report = result.report;
  std::string text = fmt::format("{} ratings, {} users, {} items; {} users without an order to learn\n", train.size(),
                                 train.num_users(), train.num_items(), report.users_without_order);
  text +=
      fmt::format("rank {}, {} item features, {} user features; {} bound of {}\n", model.layout.rank,
                  model.item_features.size(), model.user_features.size(), model.options.bound, model.options.measure);
  if (model.grades.stretched) text += grades_text(model) + "\n";
  if (!model.choice.candidates.empty()) text += fmt::format("\n{}", choice_text(model));
  if (!report.half_steps.empty()) text += fmt::format("\n{}", half_steps_table(result));
  if (!report.rounds.empty() && std::isfinite(report.rounds.front().validation))
    text += fmt::format("\n{}", validation_table(result));
  text += fmt::format(
      "\nstopped: {}; round {} kept; {:.2f} s, of which {:.2f} s for the start and {:.2f} s for the choice\n",
      report.status, model.rounds, report.seconds, report.start_seconds, report.choice_seconds);
  if (test != nullptr) text += "\ntest:\n" + eval_text(*test);
  return text + fmt::format("model        {}\n", path);
}

std::string factorize_json(const FactorizeResult& result, const Ratings& train, const EvalReport* test,
                           const std::string& path) {
  Json steps = Json::array(), rounds = Json::array();
  for (const HalfStep& step : result.report.half_steps)
    steps.push_back({{"round", step.round},
                     {"block", step.items ? "items" : "users"},
                     {"before", step.before},
                     {"after", step.after},
                     {"gap", step.gap},
                     {"passes", step.passes},
                     {"seconds", step.seconds}});
  for (const FactorRound& round : result.report.rounds)
    rounds.push_back({{"round", round.round},
                      {"objective", finite_or_null(round.objective)},
                      {"validation", finite_or_null(round.validation)},
                      {"seconds", round.seconds}});
  Json json = {{"model", path},
               {"ratings", train.size()},
               {"users", train.num_users()},
               {"items", train.num_items()},
               {"users_without_order", result.report.users_without_order},
               {"status", result.report.status},
               {"round", result.model.rounds},
               {"objective", finite_or_null(result.model.objective)},
               {"validation", finite_or_null(result.model.validation)},
               {"choice_seconds", result.report.choice_seconds},
               {"start_seconds", result.report.start_seconds},
               {"seconds", result.report.seconds},
               {"half_steps", std::move(steps)},
               {"rounds", std::move(rounds)}};
  if (!result.model.choice.candidates.empty()) json["choice"] = choice_json(result.model);
  if (test != nullptr) json["test"] = Json::parse(eval_json(*test));
  return printable_json(json, 2) + "\n";
}

}  // namespace dorm::cli
