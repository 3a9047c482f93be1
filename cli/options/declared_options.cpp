// SPDX-License-Identifier: Apache-2.0
#include "options/declared_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "options/option_numbers.h"

namespace dorm::cli {
namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

DeclaredOption described(const CLI::Option& option) {
  DeclaredOption out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  const bool flag = option.get_items_expected_max() == 0;
  if (!flag) out.value = option.get_option_text().empty() ? "VALUE" : option.get_option_text();
  out.help = one_line(option.get_description());
  out.group = option.get_group();
  const std::string type = flag ? "" : option.get_type_name();
  out.range = marked_range(type);
  if (type == "INT" || type == "UINT" || type == "FLOAT")
    throw std::logic_error(fmt::format("{} takes a number and has no range; declare it by OptionGroup::number",
                                       fmt::join(out.names, ", ")));
  return out;
}

DeclaredArgument argument(const CLI::Option& option) {
  const bool several = option.get_items_expected_max() > 1;
  return {option.get_name(true, false) + (several ? "..." : ""), one_line(option.get_description())};
}

}  // namespace

DeclaredVerb declared(const CLI::App& app) {
  DeclaredVerb verb;
  verb.name = app.get_name();
  verb.description = app.get_description();
  verb.summary = verb.description.substr(0, verb.description.find('\n'));
  verb.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional())
      verb.options.push_back(described(*option));
    else
      verb.arguments.push_back(argument(*option));
  }
  return verb;
}

std::vector<DeclaredVerb> declared_verbs(const CLI::App& root) {
  std::vector<DeclaredVerb> verbs;
  for (const CLI::App* verb : root.get_subcommands({})) verbs.push_back(declared(*verb));
  return verbs;
}

void make_expert(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(kExpertGroup);
}

std::string shown_names(const DeclaredOption& option) {
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

}  // namespace dorm::cli
