// SPDX-License-Identifier: Apache-2.0
// `dorm help`: pages about commands, parts of them, and what several commands share.
#include "text/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>

#include "base/json.h"
#include "base/unknown_name.h"
#include "command.h"
#include "data/missing_rules.h"
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

constexpr const char* kCsvText =
    "CSV and TSV: a header, then a row per document. Comma, semicolon, tab or bar; quotes as in RFC 4180; .gz, "
    ".zst and .lz4.\n"
    "\n"
    "  --label-column grade         the judgment (label)\n"
    "  --query-column query_id      the query (qid); rows of a query may be scattered\n"
    "  --document-column url        the name of the document (docid), optional\n"
    "  --group-column, --weight-column   optional, too\n"
    "  --ignore-column title,added  columns that are no features; \\, is a comma of a name\n"
    "  --query-text-column, --title-column, --url-column   texts for people: on pages, never features\n"
    "  --encode category=onehot,published=age   columns that are no plain numbers: docs/columns.md\n"
    "\n"
    "Every other column is a feature. What cannot be read as a number is refused, all columns in one message, with "
    "the\n"
    "options to paste. A model keeps the roles: later commands need none of these options. dorm info FILE shows what\n"
    "would be read. Guide: docs/data.md.\n";

constexpr const char* kMissingText =
    "\n"
    "Missing are NaN and infinite values and, in CSV and JSON, empty cells, NA, N/A, null, None and nan. A model "
    "keeps\n"
    "its rule, and the means of its training data. What a retriever did not return is not average: for its scores the\n"
    "mean is a poor guess, and query-min the right one. Guide: docs/columns.md.\n";

// clang-format off
constexpr std::array<Topic, 15> kTopics = {{
    {{"csv", "csv", "tables: columns, their roles, and texts"}, [] { return std::string(kCsvText); }},
    {{"missing", "missing", "what becomes of missing values"}, [] { return catalog_text("Missing values, --missing", missing_catalog()) + kMissingText; }},
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

struct NamedCatalog {
  const char* title;
  const char* topic;
  std::span<const CatalogEntry> (*entries)();
};

constexpr std::array<NamedCatalog, 8> kCatalogs = {{
    {"A measure", "measures", [] { return std::span<const CatalogEntry>(measure_catalog()); }},
    {"A convention", "conventions", [] { return std::span<const CatalogEntry>(convention_catalog()); }},
    {"A scaling", "scalings", [] { return std::span<const CatalogEntry>(scaling_catalog()); }},
    {"A kernel", "kernels", [] { return std::span<const CatalogEntry>(kernel_catalog()); }},
    {"A decay", "decays", [] { return std::span<const CatalogEntry>(decay_catalog()); }},
    {"A solver", "solvers", [] { return std::span<const CatalogEntry>(solver_catalog()); }},
    {"A method", "methods", [] { return std::span<const CatalogEntry>(method_catalog()); }},
    {"A treatment of missing values, --missing", "missing", [] { return missing_catalog(); }},
}};

/// What the catalogs say of a measure, a scaling, a method..., also of ndcg@10; empty: nothing.
std::string page_about_name(const std::string& given) {
  std::string name = given.substr(0, given.find_first_of("@:"));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string text;
  for (const NamedCatalog& catalog : kCatalogs)
    for (const CatalogEntry& entry : catalog.entries()) {
      if (entry.name != name) continue;
      text += fmt::format("{}{}\nAll of them: dorm help {}\n", text.empty() ? "" : "\n",
                          catalog_text(catalog.title, std::span(&entry, 1)), catalog.topic);
      if (std::string_view(catalog.topic) == "measures")
        text += "Other tools define it differently: dorm help conventions\n";
    }
  return text;
}

std::string page_about(const std::vector<std::string>& given, const CLI::App& root, const Settings& settings) {
  if (given.empty()) return short_overview(root, settings.commands);
  const std::vector<std::string> names = joined(given, settings);
  if (names.size() > 2) throw Error(ErrorCode::bad_option, fmt::format("unexpected argument \"{}\"", names[2]));
  if (names.size() == 1 && is_group(names[0], settings.commands)) return group_page(root, names[0]);
  std::vector<CatalogEntry> known;
  std::vector<std::string> pages;
  for (const Command& command : settings.commands) {
    pages.emplace_back(command.name);
    known.push_back({.name = command.name, .usage = {}, .help = {}});
    if (command.name != names[0]) continue;
    const DeclaredVerb verb = declared(*root.get_subcommand(names[0]));
    return names.size() == 1 ? whole_page(verb, command) : part_page(verb, names[1]);
  }
  for (const Topic& topic : kTopics) {
    known.push_back(topic.entry);
    pages.emplace_back(topic.entry.name);
    if (topic.entry.name == names[0] && names.size() == 1) return topic.text();
  }
  if (names.size() == 1)
    if (std::string page = page_about_name(names[0]); !page.empty()) return page;
  for (const NamedCatalog& catalog : kCatalogs)
    for (const CatalogEntry& entry : catalog.entries()) pages.emplace_back(entry.name);
  throw_unknown_name("command or topic", names[0], known,
                     nearest_name(names[0].substr(0, names[0].find_first_of("@:")), pages));
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
