// SPDX-License-Identifier: Apache-2.0
#include "text/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kPageWidth = 100;
constexpr std::size_t kNamesWidth = 24;  // of the column of names
constexpr std::size_t kTextWidth = kPageWidth - kNamesWidth - 2;
constexpr std::size_t kShortPage = 10;  // options
constexpr std::size_t kShortExamples = 2;
constexpr std::string_view kExamples = "Examples:\n";

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

std::string heading(std::string_view title) { return styled(Style::bold, title); }

std::string entry_lines(const std::string& left, const std::vector<std::string>& right) {
  std::string text = "  " + padded_right(styled(Style::green, left), kNamesWidth);
  const bool fits = left.size() < kNamesWidth;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (i > 0 || !fits) text += fmt::format("\n{:{}}", "", kNamesWidth + 2);
    text += right[i];
  }
  return text + "\n";
}

// The whole of a help text that fits a line, else its first clauses. The short page has nothing below.
std::string in_one_line(std::string help) {
  for (const std::string_view pointer : {"; see below", " or see below"})
    if (const std::size_t found = help.find(pointer); found != std::string::npos) help.erase(found, pointer.size());
  if (help.size() <= kTextWidth) return help;
  const std::string start = help.substr(0, kTextWidth - 3);
  for (const std::string_view end : {"; ", ": ", ", ", " "})
    if (const std::size_t found = start.rfind(end); found != std::string::npos && found > kTextWidth / 3)
      return start.substr(0, found) + (end == " " ? " ..." : "");
  return start + "...";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Headings in the order of the page: the expert options and the common ones come last.
std::vector<std::string> headings(const DeclaredVerb& verb) {
  std::vector<std::string> groups;
  for (const DeclaredOption& option : verb.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  for (const char* last : {kExpertGroup, kCommonGroup})
    std::stable_partition(groups.begin(), groups.end(), [&](const std::string& group) { return group != last; });
  return groups;
}

std::string group_text(const DeclaredVerb& verb, const std::string& group) {
  std::string text = fmt::format("\n{}\n", heading(group + ":"));
  for (const DeclaredOption& option : verb.options)
    if (option.group == group) text += entry_lines(shown_names(option), folded(option.help, kTextWidth));
  return text;
}

/// The blocks below the options: a title, lines, an empty line.
std::vector<std::string> blocks(const std::string& footer) {
  std::vector<std::string> found(1);
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty())
      found.back() += line + "\n";
    else if (!found.back().empty())
      found.emplace_back();
  }
  if (found.back().empty()) found.pop_back();
  return found;
}

std::string block_text(const std::string& block) {
  const std::size_t end = block.find('\n');
  const bool titled = end != std::string::npos && end > 0 && block[end - 1] == ':';
  return titled ? heading(block.substr(0, end)) + block.substr(end) : block;
}

std::string footer_text_of(const DeclaredVerb& verb) {
  std::string text;
  for (const std::string& block : blocks(verb.footer)) text += "\n" + block_text(block);
  return text;
}

std::string first_examples(const DeclaredVerb& verb) {
  for (const std::string& block : blocks(verb.footer)) {
    if (!block.starts_with(kExamples)) continue;
    std::size_t end = kExamples.size();
    for (std::size_t k = 0; k < kShortExamples && end < block.size(); ++k) end = block.find('\n', end) + 1;
    return block_text(block.substr(0, end));
  }
  return "";
}

std::string key_options(const DeclaredVerb& verb, const Command& command) {
  std::vector<const DeclaredOption*> shown;
  std::istringstream keys(command.key_options);
  for (std::string key; keys >> key;)
    for (const DeclaredOption& option : verb.options)
      if (std::find(option.names.begin(), option.names.end(), key) != option.names.end()) shown.push_back(&option);
  if (shown.empty())
    for (const DeclaredOption& option : verb.options)
      if (option.group != kCommonGroup) shown.push_back(&option);
  shown.resize(std::min(shown.size(), kShortPage));
  std::string text;
  for (const DeclaredOption* option : shown) text += entry_lines(shown_names(*option), {in_one_line(option->help)});
  return text;
}

std::string usage_text(const DeclaredVerb& verb, const Command& command) {
  return fmt::format("{} {}\n", heading("Usage:"), usage_form(verb, command));
}

/// What --help leaves to --help=expert.
std::string expert_note(const DeclaredVerb& verb) {
  const auto expert = std::count_if(verb.options.begin(), verb.options.end(),
                                    [](const DeclaredOption& option) { return option.group == kExpertGroup; });
  return expert == 0 ? "" : fmt::format("\ndorm {} --help=expert: {} more options\n", verb.name, expert);
}

struct ListedSection {
  Section section;
  const char* title;
};
constexpr ListedSection kSections[] = {{Section::learn, "Learn"}, {Section::use, "Use"}, {Section::data, "Data"}};
constexpr std::size_t kTitleWidth = 7, kVerbWidth = 11;

struct Group {
  const char *name, *summary;
};
constexpr Group kGroups[] = {
    {"clicks", "Learn from click logs, and evaluate rankers by them."},
    {"recommend", "Learn, apply and compare recommenders."},
    {"lab", "Repeat the experiments of the paper, and match graphs."},
};

std::string overview_line(const std::string& title, const std::string& name, const std::string& text) {
  return padded_right(heading(title), kTitleWidth) + padded_right(styled(Style::green, name), kVerbWidth) + text + "\n";
}

/// The subcommands of a group, by their own names.
std::vector<DeclaredVerb> subcommands(const std::vector<DeclaredVerb>& verbs, const std::string& group) {
  std::vector<DeclaredVerb> found;
  for (const DeclaredVerb& verb : verbs)
    if (verb.name.starts_with(group + " ")) {
      found.push_back(verb);
      found.back().name.erase(0, group.size() + 1);
    }
  return found;
}

std::string verb_lines(const CLI::App& root, std::span<const Command> commands) {
  const std::vector<DeclaredVerb> verbs = declared_verbs(root);  // in the order of the commands
  std::string text;
  for (const ListedSection& listed : kSections) {
    std::string title = listed.title;
    for (std::size_t k = 0; k < verbs.size(); ++k)
      if (commands[k].section == listed.section) {
        text += overview_line(title, verbs[k].name, in_one_line(verbs[k].summary));
        title.clear();
      }
    text += "\n";
  }
  std::string title = "Groups";
  for (const Group& group : kGroups) {
    std::string names;
    for (const DeclaredVerb& verb : subcommands(verbs, group.name)) names += (names.empty() ? "" : ", ") + verb.name;
    text += overview_line(title, group.name, names);
    title.clear();
  }
  return text;
}

}  // namespace

std::string usage_form(const DeclaredVerb& verb, const Command& command) {
  std::string form = command.usage;
  if (form.empty())
    for (const DeclaredArgument& argument : verb.arguments) form += (form.empty() ? "" : " ") + argument.name;
  return fmt::format("dorm {}{}{} [OPTIONS]", verb.name, form.empty() ? "" : " ", form);
}

std::string short_page(const DeclaredVerb& verb, const Command& command) {
  std::string groups;
  for (const std::string& group : headings(verb)) {
    const std::string name = lower(group);
    groups += (groups.empty() ? "" : ", ") + name.substr(0, name.find(' '));
  }
  return fmt::format("{}\n\n{}\n{}\n{}\ndorm {} --help: all options; --help=PART: {}\n", verb.summary,
                     usage_text(verb, command), key_options(verb, command), first_examples(verb), verb.name, groups);
}

std::string whole_page(const DeclaredVerb& verb, const Command& command) {
  std::string text = fmt::format("{}\n\n{}", verb.description, usage_text(verb, command));
  if (!verb.arguments.empty()) text += fmt::format("\n{}\n", heading("Arguments:"));
  for (const DeclaredArgument& argument : verb.arguments)
    text += entry_lines(argument.name, folded(argument.help, kTextWidth));
  for (const std::string& group : headings(verb))
    if (group != kExpertGroup) text += group_text(verb, group);
  return text + expert_note(verb) + footer_text_of(verb);
}

std::string part_page(const DeclaredVerb& verb, const std::string& part) {
  const std::string asked = lower(part);
  std::string text;
  for (const std::string& group : headings(verb))
    if (lower(group).starts_with(asked)) text += group_text(verb, group);
  for (const std::string& block : blocks(verb.footer))
    if (lower(block).starts_with(asked)) text += "\n" + block_text(block);
  for (const DeclaredOption& option : verb.options)
    if (text.empty() && std::any_of(option.names.begin(), option.names.end(),
                                    [&](const std::string& name) { return name == part || name == "--" + part; }))
      text += "\n" + entry_lines(shown_names(option), folded(option.help, kTextWidth));
  if (!text.empty()) return text.substr(1);
  const std::vector<std::string> groups = headings(verb);
  std::vector<std::string> names;
  for (const std::string& group : groups) names.push_back(lower(group));
  std::vector<CatalogEntry> known;
  for (const std::string& name : names) known.push_back({.name = name, .usage = {}, .help = {}});
  throw_unknown_name("part of the help of dorm " + verb.name, part, known);
}

std::string short_overview(const CLI::App& root, std::span<const Command> commands) {
  return fmt::format(
      "{}\n\n{}\n{} dorm COMMAND [ARGUMENTS] [OPTIONS]; -h: main options; --help: all; dorm help TOPIC\n",
      declared(root).summary, verb_lines(root, commands), heading("Usage:"));
}

std::string whole_overview(const CLI::App& root, std::span<const Command> commands) {
  const DeclaredVerb command = declared(root);
  return fmt::format("{}\n\n{} dorm COMMAND [ARGUMENTS] [OPTIONS]\n\n{}{}{}", command.description, heading("Usage:"),
                     verb_lines(root, commands), group_text(command, kCommonGroup), footer_text_of(command));
}

bool is_group(const std::string& name, std::span<const Command> commands) {
  return !name.empty() && name.find(' ') == std::string::npos &&
         std::any_of(commands.begin(), commands.end(),
                     [&](const Command& command) { return std::string_view(command.name).starts_with(name + " "); });
}

std::string group_page(const CLI::App& root, const std::string& group) {
  const auto* const found =
      std::find_if(std::begin(kGroups), std::end(kGroups), [&](const Group& each) { return each.name == group; });
  std::string text =
      fmt::format("{}\n\n{} dorm {} SUBCOMMAND [ARGUMENTS] [OPTIONS]\n\n", found->summary, heading("Usage:"), group);
  for (const DeclaredVerb& verb : subcommands(declared_verbs(root), group))
    text += entry_lines(verb.name, {in_one_line(verb.summary)});
  return text + fmt::format("\ndorm {} SUBCOMMAND -h: main options; dorm {} SUBCOMMAND --help: all\n", group, group);
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
         "  0        success\n"
         "  1        failure of the data, a file or the system; no partial file remains\n"
         "  2        an error in the command line\n"
         "  128 + N  ended by signal N: 130 Ctrl-C, 143 SIGTERM, 141 closed output pipe\n";
}

std::string environment_text() {
  return "Environment:\n"
         "  DORM_DATA        folder of data sets, for dorm lab experiment\n"
         "  DORM_SIMD        vector instructions: portable, avx2 or avx512\n"
         "  DORM_MIP_MODULE  path of the module that solves integer programs\n"
         "  NO_COLOR         if set, no colour\n"
         "  CLICOLOR_FORCE   if set and not 0, colour also without a terminal\n"
         "  TERM             dumb: no colour\n";
}

}  // namespace dorm::cli
