// SPDX-License-Identifier: Apache-2.0
#include "text/factors_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/output.h"

namespace dorm::cli {
namespace {

std::string features_text(const std::vector<std::string>& names) {
  constexpr std::size_t kNamesShown = 8;
  std::string text = std::to_string(names.size());
  for (std::size_t i = 0; i < names.size() && i < kNamesShown; ++i)
    text += fmt::format("{}{}", i == 0 ? ": " : ", ", names[i]);
  return names.size() > kNamesShown ? fmt::format("{}, ...", text) : text;
}

std::size_t titled_items(const FactorModel& model) {
  return static_cast<std::size_t>(std::count_if(model.item_titles.begin(), model.item_titles.end(),
                                                [](const std::string& title) { return !title.empty(); }));
}

std::string first_title(const FactorModel& model) {
  const auto found = std::find_if(model.item_titles.begin(), model.item_titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  return found == model.item_titles.end() ? "none" : *found;
}

std::string setting_text(const FactorCandidate& setting) {
  if (std::isinf(setting.start_lambda)) return "item means alone";
  std::string text = fmt::format("start lambda {:.3g}", setting.start_lambda);
  if (setting.implicit > 0) text += fmt::format(", implicit {}", setting.implicit);
  if (setting.neighbours > 0) text += fmt::format(", neighbours {}", setting.neighbours);
  return text + (setting.rounds > 0 ? fmt::format(", {} rounds of lambda {}", setting.rounds, setting.lambda)
                                    : std::string(", no rounds"));
}

Json setting_json(const FactorCandidate& setting) {
  return {{"start_lambda", std::isinf(setting.start_lambda) ? Json() : Json(setting.start_lambda)},
          {"implicit", setting.implicit},
          {"neighbours", setting.neighbours},
          {"rounds", setting.rounds},
          {"lambda", setting.lambda},
          {"value", setting.value},
          {"gain", setting.gain},
          {"error", setting.error}};
}

}  // namespace

std::string choice_text(const FactorModel& model) {
  if (model.choice.candidates.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"setting", model.options.measure, "above item means", "error", ""}};
  for (std::size_t k = 0; k < model.choice.candidates.size(); ++k) {
    const FactorCandidate& each = model.choice.candidates[k];
    rows.push_back({setting_text(each), fmt::format("{:.4f}", each.value), fmt::format("{:+.4f}", each.gain),
                    fmt::format("{:.4f}", each.error), k == model.choice.chosen ? "chosen" : ""});
  }
  return fmt::format("{}chosen by {} held-out lists: most above the item means, half an error taken off\n",
                     aligned(rows), model.choice.lists);
}

Json choice_json(const FactorModel& model) {
  Json candidates = Json::array();
  for (const FactorCandidate& each : model.choice.candidates) candidates.push_back(setting_json(each));
  return {{"lists", model.choice.lists}, {"chosen", model.choice.chosen}, {"candidates", std::move(candidates)}};
}

std::string grades_text(const FactorModel& model) {
  return model.grades.stretched
             ? fmt::format("ratings from {:.6g} to {:.6g} count as grades 1 to 5", model.grades.low, model.grades.high)
             : "";
}

std::string factors_text(const FactorModel& model, const std::string& path) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };
  line("file", path);
  line("format", "ranking matrix factorization");
  line("users", std::to_string(model.users.size()));
  line("items", std::to_string(model.items.size()));
  line("ratings", std::to_string(model.seen.size()));
  line("rank", std::to_string(model.layout.rank));
  line("item features", features_text(model.item_features));
  if (!model.item_titles.empty())
    line("item titles", fmt::format("of {}, e.g. {}", titled_items(model), first_title(model)));
  line("user features", features_text(model.user_features));
  line("trained for", fmt::format("{}, bound {}, lambda {}, margin {}", model.options.measure, model.options.bound,
                                  model.options.lambda, model.options.margin));
  line("start", fmt::format("lambda {:.4g}, implicit {}, neighbours {}", model.options.start_lambda,
                            model.options.implicit, model.options.neighbours));
  line("item means", fmt::format("damped by {:.3g} ratings {:.3g} stars from the mean; a star is {:.4g}",
                                 model.options.item_damping, model.options.item_prior, model.unit));
  if (model.grades.stretched) line("gains", grades_text(model));
  line("rounds", fmt::format("{}, objective {:.6g}", model.rounds, model.objective));
  if (!std::isnan(model.validation)) line("validation", fmt::format("{:.4f}", model.validation));
  const std::string choice = choice_text(model);
  return choice.empty() ? text : fmt::format("{}\n{}", text, choice);
}

std::string factors_json(const FactorModel& model, const std::string& path) {
  Json info = {{"file", path},
               {"format", "factors"},
               {"users", model.users.size()},
               {"items", model.items.size()},
               {"ratings", model.seen.size()},
               {"rank", model.layout.rank},
               {"item_features", model.item_features},
               {"user_features", model.user_features},
               {"item_titles", titled_items(model)},
               {"measure", model.options.measure},
               {"bound", model.options.bound},
               {"lambda", model.options.lambda},
               {"margin", model.options.margin},
               {"start_lambda", std::isinf(model.options.start_lambda) ? Json() : Json(model.options.start_lambda)},
               {"implicit", model.options.implicit},
               {"neighbours", model.options.neighbours},
               {"item_damping", model.options.item_damping},
               {"item_prior", model.options.item_prior},
               {"mean", model.mean},
               {"unit", model.unit},
               {"rounds", model.rounds},
               {"objective", model.objective}};
  if (model.grades.stretched) info["grades"] = {{"low", model.grades.low}, {"high", model.grades.high}};
  if (!model.choice.candidates.empty()) info["choice"] = choice_json(model);
  if (!std::isnan(model.validation)) info["validation"] = model.validation;
  return printable_json(info, 2) + "\n";
}

}  // namespace dorm::cli
