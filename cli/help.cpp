// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <fmt/format.h>

#include <algorithm>

#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kPageWidth = 100;

// Words of `text` in lines of at most `width` characters.
std::vector<std::string> folded(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(26);
  label("SUBCOMMAND", "COMMAND ...");
  label("Positionals", "Arguments");
  label("TEXT", "");
  label(kWrittenFile, "");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  return fmt::format("{}\n\n{}{}{}{}\n{}", app->get_description(), make_usage(app, name), make_positionals(app),
                     make_subcommands(app, mode), option_groups(app), app->get_footer());
}

std::string HelpFormatter::option_groups(const CLI::App* app) const {
  std::vector<std::string> groups = app->get_groups();
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group != kCommonGroup; });
  std::string text;
  for (const std::string& group : groups) {
    const auto options = app->get_options(
        [&group](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (!options.empty()) text += make_group(group, false, options);
  }
  return text;
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return option->get_name(true, false);
  std::string text;
  for (const std::string& name : option->get_snames()) text += fmt::format("{}-{}", text.empty() ? "" : ", ", name);
  for (const std::string& name : option->get_lnames()) text += fmt::format("{}--{}", text.empty() ? "" : ", ", name);
  return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  const std::string summary = verb->get_description();
  return fmt::format("  {:<24}{}\n", verb->get_name(), summary.substr(0, summary.find('\n')));
}

std::string catalog_text(const std::string& title, std::span<const CatalogEntry> entries) {
  std::size_t width = 0;
  for (const CatalogEntry& entry : entries) width = std::max(width, entry.usage.size());
  width = std::min<std::size_t>(width, 32);
  std::string text = title + ":\n";
  for (const CatalogEntry& entry : entries) {
    std::string_view left = entry.usage;
    if (left.size() > width) {
      text += fmt::format("  {}\n", left);
      left = {};
    }
    for (const std::string& line : folded(entry.help, kPageWidth - width - 4)) {
      text += fmt::format("  {:{}}  {}\n", left, width, line);
      left = {};
    }
  }
  return text;
}

std::string exit_status_text() {
  return "Exit status:\n"
         "  0  success\n"
         "  1  failure: the data, a file or the system; nothing half-written is left behind\n"
         "  2  the command line makes no sense\n"
         "  128 + N  ended by signal N: 130 Ctrl-C, 143 SIGTERM, 141 a reader of the output that went away\n";
}

}  // namespace dorm::cli
