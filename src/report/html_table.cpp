// SPDX-License-Identifier: Apache-2.0
#include "report/html_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/page.h"
#include "report/text.h"

namespace dorm::report {
namespace {

bool numeric(const Column& column) { return column.kind != Column::Kind::text; }

std::string title_attribute(const std::string& help) {
  return help.empty() ? "" : fmt::format(" title=\"{}\"", escape_html(help));
}

std::string heading_html(const Table& table, std::size_t c) {
  const Column& column = table.columns[c];
  std::string order;
  if (table.order && table.order->column == c)
    order = fmt::format(" aria-sort=\"{}\"", table.order->descending ? "descending" : "ascending");
  return fmt::format("<th scope=\"col\" class=\"{}\"{}{}>{}</th>", numeric(column) ? "n" : "word", order,
                     title_attribute(column.help), column.name.empty() ? "name" : escape_html(column.name));
}

/// What the cells of a column share, so that they line up.
struct Layout {
  double decimals = 0;                     // after the point, of the figure that has most
  std::size_t extra = 0;                   // letters of the longest interval and note
  double low = kMissing, high = kMissing;  // the scale of the bars
};

/// Places after the point, which itself counts half; 0 for whole numbers, and for 1e-05, whose point tells nothing.
double decimals_of(std::string_view figure) {
  const std::size_t point = figure.find('.');
  if (point == std::string_view::npos || figure.find('e') != std::string_view::npos) return 0;
  return static_cast<double>(figure.size() - point - 1) + 0.5;
}

/// Interval and note as they follow a figure.
std::string extra_text(const Cell& cell, const Column& column) {
  const std::string interval = column.bars ? "" : interval_text(cell, column);
  return interval + (interval.empty() || cell.note.empty() ? "" : " ") + cell.note;
}

Layout layout_of(const Table& table, std::size_t c) {
  const Column& column = table.columns[c];
  Layout layout;
  for (const std::vector<Cell>& row : table.rows) {
    if (c >= row.size()) continue;
    layout.extra = std::max(layout.extra, extra_text(row[c], column).size());
    if (column.kind == Column::Kind::significant && row[c].text.empty())
      layout.decimals = std::max(layout.decimals, decimals_of(number_text(row[c].value, column)));
    if (!column.bars || !row[c].has_interval()) continue;
    layout.low = std::fmin(layout.low, row[c].low);
    layout.high = std::fmax(layout.high, row[c].high);
  }
  return layout;
}

/// The interval as a thin line, the figure as a point of it.
std::string bar_html(const Cell& cell, const Column& column, const Layout& layout) {
  const double width = layout.high - layout.low;
  const auto share = [&](double value) { return width > 0 ? 100 * (value - layout.low) / width : 50; };
  return fmt::format(
      "<span class=\"ci\"><i style=\"left:{0:.1f}%;width:{1:.1f}%\"></i><b style=\"left:{2:.1f}%\"></b></span>"
      "<span class=\"sr\"> {3}</span>",
      share(cell.low), share(cell.high) - share(cell.low), std::clamp(share(cell.value), 0.0, 100.0),
      escape_html(interval_text(cell, column)));
}

std::string content_html(const Cell& cell, const Column& column, const Layout& layout) {
  std::string out = escape_html(shown_text(cell, column));
  if (cell.best) out = fmt::format("<strong class=\"best\">{}</strong>", out);
  std::string extra;
  if (cell.has_interval() && !column.bars)
    extra += fmt::format(" <span class=\"interval\">{}</span>", escape_html(interval_text(cell, column)));
  if (!cell.note.empty()) extra += fmt::format(" <span class=\"note\">{}</span>", escape_html(cell.note));
  if (numeric(column) && layout.extra > 0)
    extra = fmt::format("<span class=\"extra\" style=\"min-width:{}ch\">{}</span>", layout.extra + 1, extra);
  out += extra;
  if (column.bars && cell.has_interval()) out += bar_html(cell, column, layout);
  return out;
}

std::string hint_of(const Cell& cell, const Column& column) {
  const std::string interval = column.bars ? interval_text(cell, column) : "";
  return interval + (interval.empty() || cell.hint.empty() ? "" : ", ") + cell.hint;
}

// The first column names its row.
std::string cell_html(const Cell& cell, const Column& column, const Layout& layout, bool first) {
  const std::string_view tag = first ? "th" : "td";
  std::string attributes;
  if (std::isfinite(cell.value)) attributes += fmt::format(" data-v=\"{}\"", exact_text(cell.value));
  const std::string figure = cell.text.empty() ? number_text(cell.value, column) : "";
  const bool aligned = !figure.empty() && figure.find('e') == std::string::npos;
  const double missing = aligned ? layout.decimals - decimals_of(figure) : 0;
  if (missing > 0) attributes += fmt::format(" style=\"padding-right:calc(.75em + {}ch)\"", missing);
  attributes += title_attribute(hint_of(cell, column));
  return fmt::format("<{}{} class=\"{}\"{}>{}</{}>", tag, first ? " scope=\"row\"" : "", numeric(column) ? "n" : "word",
                     attributes, content_html(cell, column, layout), tag);
}

std::string box(const std::string& label, const std::string& content) {
  return fmt::format("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{}</div>\n",
                     escape_html(label.empty() ? "table" : label), content);
}

std::string caption_html(const std::string& caption) {
  return caption.empty() ? "" : fmt::format("<caption><span>{}</span></caption>\n", escape_html(caption));
}

// The shade of a value above the lower end; the largest is the darkest.
int shade(double value, double low, double high) {
  if (!(high > low)) return kShades - 1;
  return std::clamp(static_cast<int>((value - low) / (high - low) * kShades), 0, kShades - 1);
}

// From the lower quartile to the largest value.
std::pair<double, double> range_of(const Heatmap& map) {
  std::vector<double> values;
  for (const auto& row : map.values)
    std::copy_if(row.begin(), row.end(), std::back_inserter(values), [](double value) { return std::isfinite(value); });
  if (values.empty()) return {0, 0};
  std::sort(values.begin(), values.end());
  return {values[(values.size() - 1) / 4], values.back()};
}

std::string heat_cell(const Heatmap& map, std::size_t r, std::size_t c, double low, double high) {
  const bool known = r < map.values.size() && c < map.values[r].size() && std::isfinite(map.values[r][c]);
  if (!known) return "<td></td>";
  const double value = map.values[r][c];
  const bool marked = map.mark && map.mark->row == r && map.mark->column == c;
  return fmt::format("<td class=\"h{}{}\">{}{}</td>", shade(value, low, high), marked ? " chosen" : "",
                     number_text(value, number_column("", map.digits)),
                     marked ? fmt::format("<span class=\"note\">{}</span>", escape_html(map.mark->text)) : "");
}

}  // namespace

std::string table_html(const Table& table) {
  const bool methods = !table.columns.empty() && table.columns[0].name == "method";
  std::string out = fmt::format("<table class=\"sortable{}\">\n{}<thead><tr>", methods ? " methods" : "",
                                caption_html(table.caption));
  std::vector<Layout> layouts;
  for (std::size_t c = 0; c < table.columns.size(); ++c) layouts.push_back(layout_of(table, c));
  for (std::size_t c = 0; c < table.columns.size(); ++c) out += heading_html(table, c);
  out += "</tr></thead>\n<tbody>\n";
  const Cell nothing;
  for (const std::vector<Cell>& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      out += cell_html(c < row.size() ? row[c] : nothing, table.columns[c], layouts[c], c == 0);
    out += "</tr>\n";
  }
  out = box(table.caption, out + "</tbody>\n</table>\n");
  for (const std::string& footnote : table.footnotes)
    out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(footnote));
  return out;
}

double table_width(const Table& table) {
  constexpr double kLetter = 7, kAround = 24;
  double width = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t letters = table.columns[c].name.size() + 2;
    for (const std::vector<Cell>& row : table.rows)
      if (c < row.size())
        letters = std::max(letters,
                           shown_text(row[c], table.columns[c]).size() + extra_text(row[c], table.columns[c]).size());
    width += kLetter * static_cast<double>(std::min<std::size_t>(letters, 44)) + kAround;
  }
  return width;
}

std::string heatmap_html(const Heatmap& map) {
  const auto [low, high] = range_of(map);
  std::string out = fmt::format("<table class=\"heat\">\n{}<thead><tr><th scope=\"col\">{} \\ {}</th>",
                                caption_html(map.title), escape_html(map.row_label), escape_html(map.column_label));
  for (const std::string& name : map.columns) out += fmt::format("<th scope=\"col\">{}</th>", escape_html(name));
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    out += fmt::format("<tr><th scope=\"row\" class=\"word\">{}</th>", escape_html(map.rows[r]));
    for (std::size_t c = 0; c < map.columns.size(); ++c) out += heat_cell(map, r, c, low, high);
    out += "</tr>\n";
  }
  out = box(map.title, out + "</tbody>\n</table>\n");
  if (!map.caption.empty()) out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(map.caption));
  return out;
}

}  // namespace dorm::report
