// SPDX-License-Identifier: Apache-2.0
// `dorm completion`: scripts that let a shell complete verbs and options, made from the declared command line.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "command.h"
#include "command_line.h"
#include "dorm/base/catalog.h"
#include "options/declared_options.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr const char* kCompletionDescription =
    "Print a script that completes commands and options in a shell.\n"
    "\n"
    "Packages install these scripts where shells look for them; from a clone, load one by hand.";

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(dorm completion bash)\n"
    "  dorm completion zsh > ~/.zfunc/_dorm\n"
    "  dorm completion fish > ~/.config/fish/completions/dorm.fish\n";

/// Without the characters that end a quotation in a shell.
std::string plain(const std::string& help) {
  std::string text;
  for (const char c : help)
    if (std::string_view("'[]:\\`$\"").find(c) == std::string_view::npos) text += c;
  return text;
}

std::string all_names(const DeclaredVerb& verb) {
  std::string names;
  for (const DeclaredOption& option : verb.options)
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

/// "clicks" of "clicks gains"; empty: no group.
std::string group_of(const DeclaredVerb& verb) {
  const std::size_t blank = verb.name.find(' ');
  return blank == std::string::npos ? "" : verb.name.substr(0, blank);
}
std::string own_name(const DeclaredVerb& verb) { return verb.name.substr(verb.name.find(' ') + 1); }

struct NamedGroup {
  std::string name;
  std::vector<const DeclaredVerb*> subcommands;

  std::string names() const {
    std::string text;
    for (const DeclaredVerb* verb : subcommands) text += (text.empty() ? "" : " ") + own_name(*verb);
    return text;
  }
};

std::vector<NamedGroup> groups_of(const std::vector<DeclaredVerb>& verbs) {
  std::vector<NamedGroup> groups;
  for (const DeclaredVerb& verb : verbs) {
    const std::string name = group_of(verb);
    if (name.empty()) continue;
    if (groups.empty() || groups.back().name != name) groups.push_back({name, {}});
    groups.back().subcommands.push_back(&verb);
  }
  return groups;
}

std::string bash(const std::vector<DeclaredVerb>& verbs) {
  std::string names, groups, cases;
  for (const DeclaredVerb& verb : verbs) {
    if (group_of(verb).empty()) names += (names.empty() ? "" : " ") + verb.name;
    cases += fmt::format("    \"{}\") options=\"{}\" ;;\n", verb.name, all_names(verb));
  }
  for (const NamedGroup& group : groups_of(verbs)) {
    names += " " + group.name;
    groups +=
        fmt::format("    {}) verb=\"$verb ${{COMP_WORDS[2]}}\" subcommands=\"{}\" ;;\n", group.name, group.names());
  }
  return fmt::format(
      "_dorm() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} options=\"--help --version\" verb=${{COMP_WORDS[1]}} subcommands=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} $options\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $verb in\n{}  esac\n"
      "  if [ -n \"$subcommands\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
      "    COMPREPLY=($(compgen -W \"$subcommands --help\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $verb in\n{}  esac\n"
      "  case $current in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _dorm dorm\n",
      names, groups, cases);
}

std::string zsh_options(const DeclaredVerb& verb) {
  std::string options;
  for (const DeclaredOption& option : verb.options)
    for (const std::string& name : option.names)
      options += fmt::format(" \\\n        '{}[{}]{}'", name, plain(option.help),
                             option.value.empty() ? "" : ":" + plain(option.value) + ":_files");
  return options;
}

std::string zsh(const std::vector<DeclaredVerb>& verbs) {
  std::string names, groups, cases;
  for (const DeclaredVerb& verb : verbs) {
    if (group_of(verb).empty()) names += fmt::format("    '{}:{}'\n", verb.name, plain(verb.summary));
    cases += fmt::format("      '{}') _arguments '*:file:_files'{} ;;\n", verb.name, zsh_options(verb));
  }
  for (const NamedGroup& group : groups_of(verbs)) {
    names += fmt::format("    '{}:{}'\n", group.name, group.names());
    std::string rows;
    for (const DeclaredVerb* verb : group.subcommands)
      rows += fmt::format(" '{}:{}'", own_name(*verb), plain(verb->summary));
    groups += fmt::format("      {}) subcommands=({} ) ;;\n", group.name, rows);
  }
  return fmt::format(
      "#compdef dorm\n"
      "_dorm() {{\n"
      "  local -a verbs subcommands\n"
      "  verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' verbs\n"
      "  else\n"
      "    case $words[2] in\n{}    esac\n"
      "    if (( $#subcommands && CURRENT == 3 )); then\n"
      "      _describe 'subcommand' subcommands\n"
      "      return\n"
      "    fi\n"
      "    shift words\n"
      "    (( CURRENT-- ))\n"
      "    if (( $#subcommands )); then\n"
      "      words[2]=\"$words[1] $words[2]\"\n"
      "      shift words\n"
      "      (( CURRENT-- ))\n"
      "    fi\n"
      "    case $words[1] in\n{}    esac\n"
      "  fi\n"
      "}}\n"
      "(( $+functions[compdef] )) && compdef _dorm dorm\n",
      names, groups, cases);
}

std::string fish_options(const DeclaredVerb& verb, const std::string& condition) {
  std::string text;
  for (const DeclaredOption& option : verb.options) {
    text += fmt::format("complete -c dorm -n '{}'", condition);
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
    text += fmt::format("{} -d '{}'\n", option.value.empty() ? "" : " -r", plain(option.help));
  }
  return text;
}

std::string fish(const std::vector<DeclaredVerb>& verbs) {
  constexpr const char* kSeen = "__fish_seen_subcommand_from";
  std::string text, options;
  for (const DeclaredVerb& verb : verbs) {
    if (!group_of(verb).empty()) continue;
    text += fmt::format("complete -c dorm -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name, plain(verb.summary));
    options += fish_options(verb, fmt::format("{} {}", kSeen, verb.name));
  }
  for (const NamedGroup& group : groups_of(verbs)) {
    text += fmt::format("complete -c dorm -n __fish_use_subcommand -f -a {} -d '{}'\n", group.name, group.names());
    for (const DeclaredVerb* verb : group.subcommands) {
      const std::string in_group = fmt::format("{} {}", kSeen, group.name);
      text += fmt::format("complete -c dorm -n '{}; and not {} {}' -f -a {} -d '{}'\n", in_group, kSeen, group.names(),
                          own_name(*verb), plain(verb->summary));
      options += fish_options(*verb, fmt::format("{}; and {} {}", in_group, kSeen, own_name(*verb)));
    }
  }
  return text + options;
}

struct Shell {
  CatalogEntry entry;
  std::string (*script)(const std::vector<DeclaredVerb>&);
};

constexpr std::array<Shell, 3> kShells = {{
    {{"bash", "bash", "for ~/.bashrc or share/bash-completion/completions"}, bash},
    {{"zsh", "zsh", "for a folder of $fpath, as _dorm"}, zsh},
    {{"fish", "fish", "for ~/.config/fish/completions"}, fish},
}};

const Shell& shell_named(const std::string& name) {
  std::vector<CatalogEntry> known;
  for (const Shell& shell : kShells) {
    if (shell.entry.name == name) return shell;
    known.push_back(shell.entry);
  }
  throw_unknown_name("shell", name, known);
}

}  // namespace

Action declare_completion(CLI::App& app, const Settings&) {
  auto name = std::make_shared<std::string>();
  app.add_option("SHELL", *name, "bash, zsh or fish");
  app.description(kCompletionDescription);
  app.footer(kCompletionFooter);
  return [name, &app] {
    require_option(!name->empty(), "SHELL", "expected bash, zsh or fish");
    write_text("-", shell_named(*name).script(declared_verbs(*app.get_parent())));
  };
}

}  // namespace dorm::cli
