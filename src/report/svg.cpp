// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <fmt/format.h>

#include <array>

#include "report/text.h"

namespace dorm::report::svg {
namespace {

constexpr double kLetterSize = 15;  // the larger one, of small screens
constexpr std::array<std::string_view, 5> kDashes = {"", "7 3", "2 3", "9 3 2 3", "4 2"};
// Around the origin, about 8 units wide.
constexpr std::array<std::string_view, 7> kMarkers = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",                           // disc
    "M-3.5 -3.5h7v7h-7z",                                            // square
    "M0 -4.5L4.5 3.5H-4.5z",                                         // triangle
    "M0 -5L5 0L0 5L-5 0z",                                           // diamond
    "M0 4.5L4.5 -3.5H-4.5z",                                         // triangle on its tip
    "M-1.3 -4.5h2.6v3.2h3.2v2.6h-3.2v3.2h-2.6v-3.2h-3.2v-2.6h3.2z",  // plus
    "M-4.5 -2h9v4h-9z",                                              // flat box
};

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// In shares of the letter size, on the wide side of common fonts.
double width_of(char c) {
  if (!begins_character(c)) return 0;
  if (static_cast<unsigned char>(c) >= 0x80) return 1.1;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 1.0;
  if (std::string_view("ijltfI.,:;'|!()[] -/").find(c) != std::string_view::npos) return 0.42;
  return c >= 'A' && c <= 'Z' ? 0.75 : 0.65;
}

}  // namespace

std::string coordinate(double value) {
  std::string digits = fmt::format("{:.2f}", value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

std::string text(double x, double y, std::string_view anchor, std::string_view words, std::string_view style_class) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", coordinate(x), coordinate(y), anchor,
                     style_class.empty() ? "" : fmt::format(" class=\"{}\"", style_class), escape_html(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style_class) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", coordinate(x1), coordinate(y1),
                     coordinate(x2), coordinate(y2), style_class);
}

std::string opening(double width, double height, std::string_view description, std::string_view attributes) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"{}>\n", coordinate(width),
                     coordinate(height), escape_html(description), attributes);
}

std::string colour_class(std::size_t series) { return fmt::format("s{}", series % kColours); }

std::string dash_of(std::size_t series) {
  const std::string_view dash = kDashes[series % kDashes.size()];
  return dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string marker(std::size_t series, double x, double y, std::string_view tooltip) {
  const std::string title = tooltip.empty() ? "" : fmt::format("<title>{}</title>", escape_html(tooltip));
  return fmt::format("<path class=\"mark\" transform=\"translate({} {})\" d=\"{}\">{}</path>\n", coordinate(x),
                     coordinate(y), kMarkers[series % kMarkers.size()], title);
}

double text_width(std::string_view words) {
  double width = 0;
  for (const char c : words) width += kLetterSize * width_of(c);
  return width;
}

std::string shortened(std::string_view words, double width) {
  std::string safe = clean(words);
  if (text_width(safe) <= width) return safe;
  constexpr std::string_view kEllipsis = "\u2026";
  std::size_t end = 0;
  double used = text_width(kEllipsis);
  while (used + kLetterSize * width_of(safe[end]) <= width) used += kLetterSize * width_of(safe[end++]);
  safe.resize(end);
  return safe.append(kEllipsis);
}

}  // namespace dorm::report::svg
