// SPDX-License-Identifier: Apache-2.0
// `dorm manual`: pages for man(1), made from the declared command line. Packages run it when they are built.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "command.h"
#include "command_line.h"
#include "options/declared_options.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kManualDescription =
    "Write the manual pages dorm.1 and dorm-COMMAND.1 into a folder.\n"
    "\n"
    "They hold the text of --help; `man dorm-train` then shows the page of a command.";

constexpr const char* kManualFooter =
    "Examples:\n"
    "  dorm manual ~/.local/share/man/man1\n";

/// Text as roff takes it literally.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string section(std::string_view title, const std::string& body) {
  return fmt::format(".SH {}\n.nf\n{}\n.fi\n", title, roff(body));
}

std::string options_section(const DeclaredVerb& verb) {
  std::string text = ".SH OPTIONS\n";
  for (const DeclaredOption& option : verb.options) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(names),
                        option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR", roff(option.help));
  }
  return text;
}

std::string header(const std::string& name, const std::string& summary, const std::string& form) {
  return fmt::format(
      ".TH {0} 1 \"\" \"dorm {1}\" \"User Commands\"\n.SH NAME\n{2} \\- {3}\n.SH SYNOPSIS\n\\fB{4}\\fR\n", roff(name),
      DORM_VERSION, roff(name), roff(summary), roff(form));
}

/// "dorm-clicks-gains"
std::string page_name(const DeclaredVerb& verb) {
  std::string name = "dorm-" + verb.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string verb_page(const DeclaredVerb& verb, const Command& command) {
  return header(page_name(verb), verb.summary, usage_form(verb, command)) + section("DESCRIPTION", verb.description) +
         options_section(verb) + section("EXAMPLES AND NAMES", verb.footer) + ".SH SEE ALSO\n\\fBdorm\\fR(1)\n";
}

std::string main_page(const DeclaredVerb& command, const std::vector<DeclaredVerb>& verbs) {
  std::string list, also;
  for (const DeclaredVerb& verb : verbs) {
    list += fmt::format("{:<20}{}\n", verb.name, verb.summary);
    also += fmt::format("{}\\fB{}\\fR(1)", also.empty() ? "" : ",\n", roff(page_name(verb)));
  }
  return header("dorm", "learning to rank for the measure you report", "dorm COMMAND [ARGUMENTS] [OPTIONS]") +
         section("DESCRIPTION", command.description) + section("COMMANDS", list) + options_section(command) +
         section("EXIT STATUS", command.footer) + fmt::format(".SH SEE ALSO\n{}\n", also);
}

}  // namespace

Action declare_manual(CLI::App& app, const Settings& settings) {
  auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder, "folder to write; created if missing");
  app.description(kManualDescription);
  app.footer(kManualFooter);
  return [folder, &app, &settings] {
    require_option(!folder->empty(), "FOLDER", "expected a folder to write the pages to");
    std::filesystem::create_directories(*folder);
    const std::vector<DeclaredVerb> verbs = declared_verbs(*app.get_parent());
    write_text(*folder + "/dorm.1", main_page(declared(*app.get_parent()), verbs));
    for (std::size_t k = 0; k < verbs.size(); ++k)  // in the order of the commands
      write_text(fmt::format("{}/{}.1", *folder, page_name(verbs[k])), verb_page(verbs[k], settings.commands[k]));
  };
}

}  // namespace dorm::cli
