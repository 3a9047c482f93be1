// SPDX-License-Identifier: Apache-2.0
// `dorm help`: pages about commands, parts of them, and what several commands share.
#include "help.h"

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
#include "input.h"
#include "messages.h"

namespace dorm::cli {
namespace {

constexpr const char* kHelpDescription =
    "Explain a command, a part of it, or a topic.\n"
    "\n"
    "With --json: all commands, their arguments and options and the ranges of numbers, for programs.";

constexpr const char* kHelpExamples =
    "Examples:\n"
    "  dorm help train\n"
    "  dorm help train kernel\n"
    "  dorm help measures\n";

struct Topic {
  CatalogEntry entry;
  std::string (*text)();
};

// clang-format off
constexpr std::array<Topic, 13> kTopics = {{
    {{"measures", "measures", "what rankings are judged by and trained for"}, [] { return catalog_text("Measures", measure_catalog()); }},
    {{"conventions", "conventions", "whose definitions of the measures"}, [] { return catalog_text("Conventions", convention_catalog()); }},
    {{"ties", "ties", "the order of equal scores"}, [] { return catalog_text("Ties", tie_catalog()); }},
    {{"formats", "formats", "of judged documents"}, [] { return catalog_text("Formats, --input-format", input_formats()); }},
    {{"scalings", "scalings", "of features"}, [] { return catalog_text("Scalings", scaling_catalog()); }},
    {{"targets", "targets", "that models are trained for and exported to"}, [] { return catalog_text("Targets, --for", target_choices()); }},
    {{"kernels", "kernels", "and how they are approximated"}, [] { return catalog_text("Kernels, joined by * and +", kernel_catalog()) + "\n" + catalog_text("Approximations", approximation_catalog()); }},
    {{"bounds", "bounds", "on the loss, and where their rounds start"}, [] { return catalog_text("Bounds", bound_choices()) + "\n" + catalog_text("Starts", start_catalog()); }},
    {{"decays", "decays", "of the weights of positions"}, [] { return catalog_text("Decays", decay_catalog()); }},
    {{"solvers", "solvers", "of the convex problems"}, [] { return catalog_text("Solvers", solver_catalog()); }},
    {{"methods", "methods", "that DORM is compared with"}, [] { return catalog_text("Methods", method_catalog()); }},
    {{"exit-status", "exit-status", "what the numbers mean that commands end with"}, [] { return exit_status_text(); }},
    {{"environment", "environment", "variables that commands look at"}, [] { return environment_text(); }},
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

std::string page_about(const std::vector<std::string>& words, const CLI::App& root, const Settings& settings) {
  if (words.empty()) return short_overview(root);
  if (words.size() > 2) throw Error(ErrorCode::bad_option, fmt::format("unexpected argument \"{}\"", words[2]));
  std::vector<CatalogEntry> known;
  for (const Command& command : settings.commands) {
    known.push_back({.name = command.name, .usage = {}, .help = {}});
    if (command.name != words[0]) continue;
    const DeclaredVerb verb = declared(*root.get_subcommand(words[0]));
    return words.size() == 1 ? whole_page(verb, command) : part_page(verb, words[1]);
  }
  for (const Topic& topic : kTopics) {
    known.push_back(topic.entry);
    if (topic.entry.name == words[0] && words.size() == 1) return topic.text();
  }
  throw_unknown_name("command or topic", words[0], known);
}

}  // namespace

Action declare_help(CLI::App& app, const Settings& settings) {
  auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("TOPIC", *words, "a command and, if wanted, a part of its options; or a topic");
  app.description(kHelpDescription);
  std::vector<CatalogEntry> topics;
  for (const Topic& topic : kTopics) topics.push_back(topic.entry);
  app.footer(fmt::format("{}\n{}", kHelpExamples, catalog_text("Topics", topics)));
  return [words, &app, &settings] {
    print(settings.json ? all_as_json(*app.get_parent()) : page_about(*words, *app.get_parent(), settings));
  };
}

}  // namespace dorm::cli
