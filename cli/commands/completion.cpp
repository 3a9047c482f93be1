// SPDX-License-Identifier: Apache-2.0
// `dorm completion`: scripts that let a shell complete verbs and options, made from the declared command line.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "command.h"
#include "dorm/base/catalog.h"
#include "option_walk.h"
#include "output.h"
#include "usage.h"

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

/// Without the characters that end a quoted word in some shell.
std::string plain(const std::string& help) {
  std::string text;
  for (const char c : help)
    if (std::string_view("'[]:\\`$\"").find(c) == std::string_view::npos) text += c;
  return text;
}

std::string all_names(const DeclaredVerb& verb) {
  std::string words;
  for (const DeclaredOption& option : verb.options)
    for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string bash(const std::vector<DeclaredVerb>& verbs) {
  std::string names, cases;
  for (const DeclaredVerb& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    cases += fmt::format("    {}) options=\"{}\" ;;\n", verb.name, all_names(verb));
  }
  return fmt::format(
      "_dorm() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} options=\"--help --version\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} $options\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  case $current in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _dorm dorm\n",
      names, cases);
}

std::string zsh(const std::vector<DeclaredVerb>& verbs) {
  std::string names, cases;
  for (const DeclaredVerb& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, plain(verb.summary));
    std::string options;
    for (const DeclaredOption& option : verb.options)
      for (const std::string& name : option.names)
        options += fmt::format(" \\\n        '{}[{}]{}'", name, plain(option.help),
                               option.value.empty() ? "" : ":" + plain(option.value) + ":_files");
    cases += fmt::format("      {}) _arguments '*:file:_files'{} ;;\n", verb.name, options);
  }
  return fmt::format(
      "#compdef dorm\n"
      "_dorm() {{\n"
      "  local -a verbs\n"
      "  verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' verbs\n"
      "  else\n"
      "    shift words\n"
      "    (( CURRENT-- ))\n"
      "    case $words[1] in\n{}    esac\n"
      "  fi\n"
      "}}\n"
      "(( $+functions[compdef] )) && compdef _dorm dorm\n",
      names, cases);
}

std::string fish(const std::vector<DeclaredVerb>& verbs) {
  std::string text;
  for (const DeclaredVerb& verb : verbs)
    text += fmt::format("complete -c dorm -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name, plain(verb.summary));
  for (const DeclaredVerb& verb : verbs)
    for (const DeclaredOption& option : verb.options) {
      text += fmt::format("complete -c dorm -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      text += fmt::format("{} -d '{}'\n", option.value.empty() ? "" : " -r", plain(option.help));
    }
  return text;
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
