// SPDX-License-Identifier: Apache-2.0
// `dorm help`: pages about commands, parts of them, and what several commands share.
#include "text/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/json.h"
#include "command.h"
#include "dorm/error.h"
#include "dorm/learning/baseline.h"
#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "dorm/train.h"
#include "input/input.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

constexpr const char* kHelpDescription =
    "Explain a command, a part of it, or a topic.\n"
    "\n"
    "With --json: all commands with their arguments, options and ranges of numbers, for programs.";

constexpr const char* kHelpExamples =
    "Examples:\n"
    "  dorm help train\n"
    "  dorm help train kernel\n"
    "  dorm help clicks gains\n"
    "  dorm help measures\n";

struct Topic {
  CatalogEntry entry;
  std::string (*text)();
};

// clang-format off
constexpr std::array<Topic, 13> kTopics = {{
    {{"measures", "measures", "measures to evaluate and to train for"}, [] { return catalog_text("Measures", measure_catalog()); }},
    {{"conventions", "conventions", "definitions of the measures by other tools"}, [] { return catalog_text("Conventions", convention_catalog()); }},
    {{"ties", "ties", "order of documents with equal scores"}, [] { return catalog_text("Ties", tie_catalog()); }},
    {{"formats", "formats", "formats of judged documents"}, [] { return catalog_text("Formats, --input-format", input_formats()); }},
    {{"scalings", "scalings", "scalings of the features"}, [] { return catalog_text("Scalings", scaling_catalog()); }},
    {{"targets", "targets", "tools that models can be exported to"}, [] { return catalog_text("Targets, --for", target_choices()); }},
    {{"kernels", "kernels", "kernels and their approximations"}, [] { return catalog_text("Kernels, joined by * and +", kernel_catalog()) + "\n" + catalog_text("Approximations", approximation_catalog()); }},
    {{"bounds", "bounds", "bounds on the loss, and initial models"}, [] { return catalog_text("Bounds", bound_choices()) + "\n" + catalog_text("Initial models", initial_model_catalog()); }},
    {{"decays", "decays", "position weights of the ranking score"}, [] { return catalog_text("Decays", decay_catalog()); }},
    {{"solvers", "solvers", "solvers of the convex problems"}, [] { return catalog_text("Solvers", solver_catalog()); }},
    {{"methods", "methods", "DORM and its baselines"}, [] { return catalog_text("Methods", method_catalog()); }},
    {{"exit-status", "exit-status", "exit codes of the command"}, [] { return exit_status_text(); }},
    {{"environment", "environment", "environment variables that the command reads"}, [] { return environment_text(); }},
}};
// clang-format on

Json range_json(const NumberRange& range) {
  const auto end = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  return {{"low", end(range.low)},           {"high", end(range.high)},           {"whole", range.whole},
          {"low_excluded", range.above_low}, {"high_excluded", range.below_high}, {"infinite", range.infinite},
          {"expected", range.text()}};
}

Json verb_json(const DeclaredVerb& verb) {
  Json arguments = Json::array(), options = Json::array();
  for (const DeclaredArgument& argument : verb.arguments)
    arguments.push_back({{"name", argument.name}, {"help", argument.help}});
  for (const DeclaredOption& option : verb.options) {
    Json json = {{"names", option.names}, {"value", option.value}, {"group", option.group}, {"help", option.help}};
    if (option.range) json["range"] = range_json(*option.range);
    options.push_back(std::move(json));
  }
  return {{"name", verb.name},
          {"summary", verb.summary},
          {"arguments", std::move(arguments)},
          {"options", std::move(options)}};
}

std::string all_as_json(const CLI::App& root) {
  Json verbs = Json::array();
  for (const DeclaredVerb& verb : declared_verbs(root)) verbs.push_back(verb_json(verb));
  return printable_json({{"version", DORM_VERSION}, {"commands", std::move(verbs)}}, 2) + "\n";
}

/// The names after `dorm help`, where "clicks gains" is one.
std::vector<std::string> joined(std::vector<std::string> names, const Settings& settings) {
  if (names.size() > 1 && is_group(names[0], settings.commands)) {
    names[0] += " " + names[1];
    names.erase(names.begin() + 1);
  }
  return names;
}

std::string page_about(const std::vector<std::string>& given, const CLI::App& root, const Settings& settings) {
  if (given.empty()) return short_overview(root, settings.commands);
  const std::vector<std::string> names = joined(given, settings);
  if (names.size() > 2) throw Error(ErrorCode::bad_option, fmt::format("unexpected argument \"{}\"", names[2]));
  if (names.size() == 1 && is_group(names[0], settings.commands)) return group_page(root, names[0]);
  std::vector<CatalogEntry> known;
  for (const Command& command : settings.commands) {
    known.push_back({.name = command.name, .usage = {}, .help = {}});
    if (command.name != names[0]) continue;
    const DeclaredVerb verb = declared(*root.get_subcommand(names[0]));
    return names.size() == 1 ? whole_page(verb, command) : part_page(verb, names[1]);
  }
  for (const Topic& topic : kTopics) {
    known.push_back(topic.entry);
    if (topic.entry.name == names[0] && names.size() == 1) return topic.text();
  }
  throw_unknown_name("command or topic", names[0], known);
}

}  // namespace

Action declare_help(CLI::App& app, const Settings& settings) {
  auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("TOPIC", *names, "a command, perhaps with a part of its options, or a topic");
  app.description(kHelpDescription);
  std::vector<CatalogEntry> topics;
  for (const Topic& topic : kTopics) topics.push_back(topic.entry);
  app.footer(fmt::format("{}\n{}", kHelpExamples, catalog_text("Topics", topics)));
  return [names, &app, &settings] {
    print(settings.json ? all_as_json(*app.get_parent()) : page_about(*names, *app.get_parent(), settings));
  };
}

}  // namespace dorm::cli
