// SPDX-License-Identifier: Apache-2.0
#include "text/factors_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"

namespace dorm::cli {
namespace {

std::string features_text(const std::vector<std::string>& names) {
  constexpr std::size_t kNamesShown = 8;
  std::string text = std::to_string(names.size());
  for (std::size_t i = 0; i < names.size() && i < kNamesShown; ++i)
    text += fmt::format("{}{}", i == 0 ? ": " : ", ", names[i]);
  return names.size() > kNamesShown ? fmt::format("{}, ...", text) : text;
}

}  // namespace

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
  line("user features", features_text(model.user_features));
  line("trained for", fmt::format("{}, bound {}, lambda {}, margin {}", model.options.measure, model.options.bound,
                                  model.options.lambda, model.options.margin));
  line("rounds", fmt::format("{}, objective {:.6g}", model.rounds, model.objective));
  if (!std::isnan(model.validation)) line("validation", fmt::format("{:.4f}", model.validation));
  return text;
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
               {"measure", model.options.measure},
               {"bound", model.options.bound},
               {"lambda", model.options.lambda},
               {"margin", model.options.margin},
               {"rounds", model.rounds},
               {"objective", model.objective}};
  if (!std::isnan(model.validation)) info["validation"] = model.validation;
  return printable_json(info, 2) + "\n";
}

}  // namespace dorm::cli
