// SPDX-License-Identifier: Apache-2.0
// The page: one file with its styles, script and pictures, readable as HTML and as XML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html_queries.h"
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

bool folds_legend(const Plot& plot) { return names_its_lines(plot); }
template <class Picture>
bool folds_legend(const Picture&) {
  return false;
}

template <class Picture>
std::string figure_html(const Picture& picture, std::string_view style_class = "") {
  const bool folded = folds_legend(picture);
  std::string out = fmt::format("<figure{}>\n<figcaption>{}</figcaption>\n{}{}",
                                style_class.empty() ? "" : fmt::format(" class=\"{}\"", style_class),
                                escape_html(picture.title), svg_of(picture), folded ? "" : legend_of(picture));
  if (!picture.caption.empty()) out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(picture.caption));
  return out + fmt::format("<details><summary>{}</summary>\n{}{}</details>\n</figure>\n",
                           folded ? "Numbers of this plot, lines to show" : "Numbers of this plot",
                           folded ? legend_of(picture) : "", table_html(numbers_of(picture)));
}

std::string notice_html(const Notice& notice, std::string_view style_class) {
  constexpr std::string_view kKinds[] = {"", " good", " plain"};
  const bool warning = notice.kind == Notice::Kind::warning;
  return fmt::format("<p class=\"{}{}\">{}{}</p>\n", style_class, kKinds[static_cast<std::size_t>(notice.kind)],
                     warning && style_class == "notice" ? "<strong>Warning:</strong> " : "", escape_html(notice.text));
}

struct HtmlBlockWriter {
  std::string operator()(const Paragraph& block) const { return fmt::format("<p>{}</p>\n", escape_html(block.text)); }
  std::string operator()(const Code& block) const {
    return fmt::format("<pre><code>{}</code></pre>\n", escape_html(block.text));
  }
  std::string operator()(const Notice& block) const { return notice_html(block, "notice"); }
  std::string operator()(const Facts& block) const { return facts_html(block.facts, "facts"); }
  std::string operator()(const Table& block) const {
    if (!block.folded) return table_html(block);
    return fmt::format("<details class=\"print\"><summary>{}</summary>\n{}</details>\n", escape_html(block.caption),
                       table_html(block));
  }
  std::string operator()(const Plot& block) const { return figure_html(block); }
  std::string operator()(const Bars& block) const { return figure_html(block); }
  std::string operator()(const Forest& block) const { return figure_html(block, "forest"); }
  std::string operator()(const Heatmap& block) const { return heatmap_html(block); }
  std::string operator()(const Queries& block) const { return queries_html(block); }
};

/// Whether the block leaves half of a wide page to a neighbour.
bool is_narrow(const Block& block) {
  constexpr double kHalf = 560;
  if (const auto* table = std::get_if<Table>(&block)) return !table->folded && table_width(*table) <= kHalf;
  if (const auto* map = std::get_if<Heatmap>(&block)) return table_width(numbers_of(*map)) <= kHalf;
  if (const auto* forest = std::get_if<Forest>(&block)) return forest->panels.size() == 1;
  return std::holds_alternative<Plot>(block) || std::holds_alternative<Bars>(block);
}

/// A cell of a grid; plots are one by themselves.
std::string narrow_html(const Block& block) {
  const std::string content = std::visit(HtmlBlockWriter{}, block);
  const bool figure = std::holds_alternative<Plot>(block) || std::holds_alternative<Bars>(block);
  return figure ? content : fmt::format("<div>\n{}</div>\n", content);
}

// Neighbours that are narrow share a grid: side by side where there is room.
std::string section_html(const Section& section, std::size_t number) {
  std::string out = fmt::format("<section aria-labelledby=\"s-{0}\">\n<h2 id=\"s-{0}\">{1}</h2>\n", number,
                                escape_html(section.title));
  bool grid = false;
  for (const Block& block : section.blocks) {
    const bool narrow = is_narrow(block);
    if (narrow != grid) out += grid ? "</div>\n" : "<div class=\"figures\">\n";
    grid = narrow;
    out += narrow ? narrow_html(block) : std::visit(HtmlBlockWriter{}, block);
  }
  return out + (grid ? "</div>\n" : "") + "</section>\n";
}

std::string head_html(const Report& report) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n",
      content_policy(), escape_html(report.title), style_sheet(), parts_style_sheet());
}

/// The first picture of a section, for the eye alone; nothing when it has none.
std::string thumbnail_html(const Section& section) {
  for (const Block& block : section.blocks) {
    std::string picture;
    if (const auto* plot = std::get_if<Plot>(&block)) picture = svg_of(*plot);
    if (const auto* bars = std::get_if<Bars>(&block)) picture = svg_of(*bars);
    if (const auto* forest = std::get_if<Forest>(&block); forest && !forest->panels.empty())
      picture = svg_of(Forest{.title = forest->title, .rows = forest->rows, .panels = {forest->panels[0]}});
    if (!picture.empty()) return fmt::format("<div class=\"thumb\" aria-hidden=\"true\">\n{}</div>", picture);
  }
  return "";
}

std::string contents_html(const Report& report) {
  std::string out = fmt::format("<nav aria-label=\"Contents\"><ul{}>\n", report.gallery ? " class=\"gallery\"" : "");
  for (std::size_t k = 0; k < report.sections.size(); ++k)
    out += fmt::format("<li><a href=\"#s-{}\">{}{}</a></li>\n", k,
                       report.gallery ? thumbnail_html(report.sections[k]) : "", escape_html(report.sections[k].title));
  return out + "</ul></nav>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string out = head_html(report);
  out += fmt::format(
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<div class=\"page\">\n<header>\n"
      "<div><h1>{}</h1>\n<p class=\"summary\">{}</p></div>\n"
      "<span id=\"theme-place\"></span>\n</header>\n",
      escape_html(report.title), escape_html(report.summary));
  if (report.sections.size() > 1) out += contents_html(report);
  out += "<main id=\"main\">\n";
  if (report.verdict) out += notice_html(*report.verdict, "verdict");
  if (!report.highlights.empty()) out += facts_html(report.highlights, "tiles");
  for (std::size_t k = 0; k < report.sections.size(); ++k) out += section_html(report.sections[k], k);
  out += "</main>\n";
  if (!report.footer.empty()) out += fmt::format("<footer>{}</footer>\n", escape_html(report.footer));
  return out + fmt::format("</div>\n<script>{}</script>\n</body>\n</html>\n", script());
}

}  // namespace dorm::report
