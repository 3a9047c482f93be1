// SPDX-License-Identifier: Apache-2.0
#include "options/option_defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/unknown_name.h"
#include "dorm/data/scale.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "options/config_file.h"

namespace dorm::cli {
namespace {

std::string long_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

[[noreturn]] void refuse_entry(const ConfigEntry& entry, const std::string& path, const std::string& kind,
                               const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorCode::unknown_name, {path, entry.line},
              fmt::format("unknown {} \"{}\"{}", kind, name,
                          nearest.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", nearest)));
}

/// Names of options that a file may set, without dashes.
std::vector<std::string> names_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  std::erase_if(names, [](const std::string& name) { return name == "help" || name == "version" || name == "config"; });
  return names;
}

bool knows(const CLI::App& verb, const std::string& key) {
  const std::vector<std::string> names = names_of(verb);
  return std::find(names.begin(), names.end(), long_name(key).substr(2)) != names.end();
}

/// How a file spells the section of a verb: [train], [clicks.gains].
std::string section_of(const CLI::App& verb) {
  std::string name = verb.get_name();
  std::replace(name.begin(), name.end(), ' ', '.');
  return name;
}

void check_entry(const ConfigEntry& entry, const std::string& path, const CLI::App& root) {
  std::vector<std::string> verbs, keys;
  for (const CLI::App* verb : root.get_subcommands({})) {
    verbs.push_back(section_of(*verb));
    if (!entry.section.empty() && entry.section != section_of(*verb)) continue;
    if (knows(*verb, entry.key)) return;
    for (const std::string& name : names_of(*verb)) keys.push_back(name);
  }
  if (!entry.section.empty() && std::find(verbs.begin(), verbs.end(), entry.section) == verbs.end())
    refuse_entry(entry, path, "command", entry.section, verbs);
  refuse_entry(entry, path, entry.section.empty() ? "option" : fmt::format("option of dorm {}", entry.section),
               entry.key, keys);
}

void add_arguments(const ConfigEntry& entry, const std::string& path, const CLI::Option* option,
                   std::vector<DefaultArgument>& arguments) {
  const std::string name = long_name(entry.key), origin = fmt::format("{}:{}", path, entry.line);
  if (option->get_items_expected_max() > 0) {
    for (const std::string& value : entry.values)
      arguments.push_back({option, fmt::format("{}={}", name, value), origin});
    return;
  }
  if (entry.values.size() != 1 || (entry.values[0] != "true" && entry.values[0] != "false"))
    throw Error(ErrorCode::bad_input, {path, entry.line}, fmt::format("{} is a switch; expected true or false", name));
  if (entry.values[0] == "true") arguments.push_back({option, name, origin});
}

std::string number_text(double value) { return fmt::format("{}", value); }

/// What a model knows of its training, by option. What is chosen by a grid, or was an average, is not repeated.
std::vector<std::pair<std::string, std::string>> recorded(const Model& model, bool grid) {
  const ColumnRoles& columns = model.data.input.columns;
  const bool one = model.parts.empty() && !grid;
  const bool bounded = one && model.bound != "none";
  std::vector<std::pair<std::string, std::string>> options = {
      {"method", model.method},
      {"measure", model.measure},
      {"convention", model.convention},
      {"C", one ? number_text(model.C) : ""},
      {"decay", bounded ? model.decay : ""},
      {"bound", bounded ? model.bound : ""},
      {"initial", bounded && model.start != "model" ? model.start : ""},
      {"scale", std::string(name_of(model.scaling.kind))},
      {"for", model.target},
      {"one-per", model.one_per},
      {"kernel", model.kernel ? model.kernel->kernel : ""},
      {"approx", model.kernel ? model.kernel->approximation : ""},
      {"solver", model.solver},
      {"tolerance", model.tolerance > 0 ? number_text(model.tolerance) : ""},
      {"seed", model.solver.empty() ? "" : std::to_string(model.seed)},
      {"missing", missing_text(model.data.input.missing, model.data.input.missing_by_column)},
      {"encode", encodings_text(model.data.input.encodings)},
      {"label-column", columns.label},
      {"query-column", columns.query},
      {"document-column", columns.document},
      {"group-column", columns.group},
      {"weight-column", columns.weight},
  };
  for (const std::string& ignored : columns.ignored) options.emplace_back("ignore-column", ignored);
  return options;
}

}  // namespace

Defaults::Defaults(const CLI::App& root, const CLI::App& verb, std::span<const std::string> before,
                   std::span<const std::string> own)
    : given_(given_options(verb, own)) {
  const std::vector<GivenOption> common = given_options(root, before);
  const std::string* config = value_of(given_, kConfigOption);
  if (!config) config = value_of(common, kConfigOption);
  if (config) add_config(std::string(*config), root, verb);
  std::string like;
  if (const std::string* model = value_of(given_, kLikeOption)) like = *model;
  const std::string mark = std::string(kLikeOption) + "=";
  for (const DefaultArgument& each : arguments_)
    if (each.text.starts_with(mark)) like = each.text.substr(mark.size());
  if (!like.empty()) add_model(like, verb);
}

bool Defaults::given(const CLI::Option* option) const {
  return std::any_of(given_.begin(), given_.end(), [&](const GivenOption& each) { return each.option == option; }) ||
         std::any_of(arguments_.begin(), arguments_.end(),
                     [&](const DefaultArgument& each) { return each.option == option; });
}

void Defaults::add_config(const std::string& path, const CLI::App& root, const CLI::App& verb) {
  std::vector<ConfigEntry> entries = read_config(path);
  for (const ConfigEntry& entry : entries) check_entry(entry, path, root);
  // A section says more than what stands before all of them.
  std::stable_partition(entries.begin(), entries.end(), [](const ConfigEntry& each) { return !each.section.empty(); });
  for (const ConfigEntry& entry : entries) {
    if ((!entry.section.empty() && entry.section != section_of(verb)) || !knows(verb, entry.key)) continue;
    const CLI::Option* const option = declared_option(verb, long_name(entry.key));
    if (!given(option)) add_arguments(entry, path, option, arguments_);
  }
}

void Defaults::add_model(const std::string& path, const CLI::App& verb) {
  const AnyModel any = load_any_model(path);
  const Model& model = std::holds_alternative<Model>(any) ? std::get<Model>(any) : std::get<PositionModel>(any).shared;
  std::vector<DefaultArgument> taken;
  for (const auto& [name, value] : recorded(model, declared_option(verb, "--grid") != nullptr)) {
    const CLI::Option* const option = declared_option(verb, "--" + name);
    if (!option || value.empty() || given(option)) continue;
    taken.push_back({option, fmt::format("--{}={}", name, value), path});
    note_ += fmt::format(" --{} {}", name, value);
  }
  arguments_.insert(arguments_.end(), taken.begin(), taken.end());
  note_ = fmt::format("dorm: like {}:{}\n", path, note_.empty() ? " nothing" : note_);
}

void Defaults::blame(const std::function<void()>& body) const {
  try {
    body();
  } catch (const Error& error) {
    for (const DefaultArgument& each : arguments_) {
      const std::string option = each.text.substr(0, each.text.find('='));
      const std::string_view message = error.what();
      if (message.starts_with(option + " is ") || (option == "--C" && message.starts_with("-C is ")))
        throw Error(error.code(), error.position(), fmt::format("{} (from {})", message, each.origin));
    }
    throw;
  }
}

}  // namespace dorm::cli
