// SPDX-License-Identifier: Apache-2.0
// The page: one file with its styles, script and pictures, readable as HTML and as XML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html_table.h"
#include "report/page.h"
#include "report/svg.h"
#include "report/text.h"

namespace dorm::report {
namespace {

std::string note_html(const std::string& note) {
  return note.empty() ? "" : fmt::format(" <span class=\"note\">{}</span>", escape_html(note));
}

std::string facts_html(const std::vector<Fact>& facts, std::string_view style_class) {
  std::string out = fmt::format("<dl class=\"{}\">\n", style_class);
  const bool tiles = style_class == "tiles";
  for (const Fact& fact : facts)
    out += fmt::format("{}<dt>{}</dt><dd>{}{}</dd>{}\n", tiles ? "<div>" : "", escape_html(fact.name),
                       escape_html(fact.value), note_html(fact.note), tiles ? "</div>" : "");
  return out + "</dl>\n";
}

template <class Picture>
std::string figure_html(const Picture& picture) {
  std::string out = fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}{}", escape_html(picture.title),
                                svg_of(picture), legend_of(picture));
  if (!picture.caption.empty()) out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(picture.caption));
  return out + fmt::format("<details><summary>Numbers of this plot</summary>\n{}</details>\n</figure>\n",
                           table_html(numbers_of(picture)));
}

struct HtmlBlockWriter {
  std::string operator()(const Paragraph& block) const { return fmt::format("<p>{}</p>\n", escape_html(block.text)); }
  std::string operator()(const Code& block) const {
    return fmt::format("<pre><code>{}</code></pre>\n", escape_html(block.text));
  }
  std::string operator()(const Notice& block) const {
    const bool warning = block.kind == Notice::Kind::warning;
    return fmt::format("<p class=\"notice{}\">{}{}</p>\n", warning ? "" : " good",
                       warning ? "<strong>Warning:</strong> " : "", escape_html(block.text));
  }
  std::string operator()(const Facts& block) const { return facts_html(block.facts, "facts"); }
  std::string operator()(const Table& block) const {
    if (!block.folded) return table_html(block);
    return fmt::format("<details class=\"print\"><summary>{}</summary>\n{}</details>\n", escape_html(block.caption),
                       table_html(block));
  }
  std::string operator()(const Plot& block) const { return figure_html(block); }
  std::string operator()(const Bars& block) const { return figure_html(block); }
  std::string operator()(const Heatmap& block) const { return heatmap_html(block); }
};

bool is_figure(const Block& block) {
  return std::holds_alternative<Plot>(block) || std::holds_alternative<Bars>(block);
}

// Neighbouring plots share a grid: side by side where there is room.
std::string section_html(const Section& section, std::size_t number) {
  std::string out = fmt::format("<section aria-labelledby=\"s-{0}\">\n<h2 id=\"s-{0}\">{1}</h2>\n", number,
                                escape_html(section.title));
  bool figures = false;
  for (const Block& block : section.blocks) {
    if (is_figure(block) != figures) out += figures ? "</div>\n" : "<div class=\"figures\">\n";
    figures = is_figure(block);
    out += std::visit(HtmlBlockWriter{}, block);
  }
  return out + (figures ? "</div>\n" : "") + "</section>\n";
}

std::string head_html(const Report& report) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n",
      content_policy(), escape_html(report.title), style_sheet());
}

std::string contents_html(const Report& report) {
  std::string out = "<nav aria-label=\"Contents\"><ul>\n";
  for (std::size_t k = 0; k < report.sections.size(); ++k)
    out += fmt::format("<li><a href=\"#s-{}\">{}</a></li>\n", k, escape_html(report.sections[k].title));
  return out + "</ul></nav>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string out = head_html(report);
  out += fmt::format(
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<div class=\"page\">\n<header>\n"
      "<div><h1>{}</h1>\n<p class=\"summary\">{}</p></div>\n"
      "<button id=\"theme\" type=\"button\" hidden=\"hidden\">Dark theme</button>\n</header>\n",
      escape_html(report.title), escape_html(report.summary));
  if (report.sections.size() > 1) out += contents_html(report);
  out += "<main id=\"main\">\n";
  if (!report.highlights.empty()) out += facts_html(report.highlights, "tiles");
  for (std::size_t k = 0; k < report.sections.size(); ++k) out += section_html(report.sections[k], k);
  out += "</main>\n";
  if (!report.footer.empty()) out += fmt::format("<footer>{}</footer>\n", escape_html(report.footer));
  return out + fmt::format("</div>\n<script>{}</script>\n</body>\n</html>\n", script());
}

}  // namespace dorm::report
