// SPDX-License-Identifier: Apache-2.0
#include "report/html_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::string content_html(const Cell& cell, const Column& column) {
  std::string out = escape_html(shown_text(cell, column));
  if (cell.best) out = fmt::format("<strong class=\"best\">{}</strong>", out);
  if (cell.has_interval())
    out += fmt::format(" <span class=\"interval\">{}</span>", escape_html(interval_text(cell, column)));
  if (!cell.note.empty()) out += fmt::format(" <span class=\"note\">{}</span>", escape_html(cell.note));
  return out;
}

// The first column names its row.
std::string cell_html(const Cell& cell, const Column& column, bool first) {
  const std::string_view tag = first ? "th" : "td";
  return fmt::format("<{}{} class=\"{}\"{}>{}</{}>", tag, first ? " scope=\"row\"" : "", numeric(column) ? "n" : "word",
                     std::isfinite(cell.value) ? fmt::format(" data-v=\"{}\"", exact_text(cell.value)) : "",
                     content_html(cell, column), tag);
}

std::string box(const std::string& label, const std::string& content) {
  return fmt::format("<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n{}</div>\n",
                     escape_html(label.empty() ? "table" : label), content);
}

std::string caption_html(const std::string& caption) {
  return caption.empty() ? "" : fmt::format("<caption><span>{}</span></caption>\n", escape_html(caption));
}

// The shade of a value between the extremes; the largest is the darkest.
int shade(double value, double low, double high) {
  if (!(high > low)) return kShades - 1;
  return std::min(kShades - 1, static_cast<int>((value - low) / (high - low) * kShades));
}

std::pair<double, double> range_of(const Heatmap& map) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& row : map.values)
    for (const double value : row)
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  return {low, high};
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
  std::string out = "<table class=\"sortable\">\n" + caption_html(table.caption) + "<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) out += heading_html(table, c);
  out += "</tr></thead>\n<tbody>\n";
  const Cell nothing;
  for (const std::vector<Cell>& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      out += cell_html(c < row.size() ? row[c] : nothing, table.columns[c], c == 0);
    out += "</tr>\n";
  }
  out = box(table.caption, out + "</tbody>\n</table>\n");
  for (const std::string& footnote : table.footnotes)
    out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(footnote));
  return out;
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
