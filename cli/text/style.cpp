// SPDX-License-Identifier: Apache-2.0
#include "text/style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "dorm/base/catalog.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kLead = "\xff\xfe\xfd";  // of a mark; one more byte says which
constexpr char kEnd = '0';

constexpr std::array<CatalogEntry, 3> kChoices = {{
    {.name = "auto", .usage = "auto", .help = "on a terminal"},
    {.name = "always", .usage = "always", .help = "everywhere"},
    {.name = "never", .usage = "never", .help = "nowhere"},
}};

std::string chosen_color = "auto";

const char* sequence(char mark) {
  switch (static_cast<Style>(mark)) {
    case Style::bold:
      return "\x1b[1m";
    case Style::dim:
      return "\x1b[2m";
    case Style::red:
      return "\x1b[1;31m";
    case Style::green:
      return "\x1b[1;32m";
    case Style::yellow:
      return "\x1b[1;33m";
  }
  return "\x1b[0m";
}

bool set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::string styled(Style style, std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::string(text);
  const std::size_t end = text.find_last_not_of(' ') + 1;
  return fmt::format("{}{}{}{}{}{}{}", text.substr(0, begin), kLead, static_cast<char>(style),
                     text.substr(begin, end - begin), kLead, kEnd, text.substr(end));
}

std::string rendered(std::string_view text, bool colored, std::string (*escape)(std::string_view)) {
  std::string out;
  for (;;) {
    const std::size_t mark = text.find(kLead);
    const std::string_view between = text.substr(0, mark);
    out += escape ? escape(between) : std::string(between);
    if (mark == std::string_view::npos || mark + kLead.size() >= text.size()) return out;
    if (colored) out += sequence(text[mark + kLead.size()]);
    text.remove_prefix(mark + kLead.size() + 1);
  }
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : rendered(text, false)) width += (static_cast<unsigned char>(c) & 0xc0u) != 0x80;
  return width;
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t shown = shown_width(text);
  return std::string(text) + std::string(shown < width ? width - shown : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t shown = shown_width(text);
  return std::string(shown < width ? width - shown : 0, ' ') + std::string(text);
}

void choose_color(const std::string& when) {
  for (const CatalogEntry& choice : kChoices)
    if (choice.name == when) {
      chosen_color = when;
      return;
    }
  throw_unknown_name("choice of --color", when, kChoices);
}

bool colored(int descriptor) {
  if (chosen_color != "auto") return chosen_color == "always";
  if (set("NO_COLOR")) return false;
  const char* const force = std::getenv("CLICOLOR_FORCE");
  if (set("CLICOLOR_FORCE") && std::string_view(force) != "0") return true;
  const char* const terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace dorm::cli
