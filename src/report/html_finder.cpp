// SPDX-License-Identifier: Apache-2.0
// Many tables of one form behind a search box. The page's script makes the tables; their data stands in the page as
// JSON, in which what would be markup is escaped.
#include "report/html_finder.h"

#include <fmt/format.h>

#include "base/json.h"
#include "report/text.h"

namespace dorm::report {
namespace {

Json cells_json(const std::vector<Cell>& cells, const std::vector<Column>& columns) {
  Json out = Json::array();
  for (std::size_t c = 0; c < columns.size(); ++c)
    out.push_back(c < cells.size() ? clean(shown_text(cells[c], columns[c])) : "");
  return out;
}

Json finder_json(const Finder& finder) {
  Json facts = Json::array(), columns = Json::array(), entries = Json::array();
  for (const Column& column : finder.facts) facts.push_back(clean(column.name));
  for (const Column& column : finder.columns)
    columns.push_back(Json::array({clean(column.name), column.kind == Column::Kind::text ? 0 : 1}));
  for (const Finder::Entry& entry : finder.entries) {
    Json item = Json::array({clean(entry.name), cells_json(entry.facts, finder.facts)});
    if (!entry.rows.empty()) {
      Json rows = Json::array();
      for (const std::vector<Cell>& row : entry.rows) rows.push_back(cells_json(row, finder.columns));
      item.push_back(std::move(rows));
    }
    entries.push_back(std::move(item));
  }
  return {{"facts", std::move(facts)}, {"columns", std::move(columns)}, {"entries", std::move(entries)}};
}

/// JSON without < > and &, which stand in its strings only.
std::string harmless(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string orders_html(const Finder& finder) {
  std::string out;
  for (std::size_t k = 0; k < finder.facts.size(); ++k)
    for (const bool up : {true, false})
      out += fmt::format("<option value=\"{} {}\">{}, {} first</option>\n", k, up ? "up" : "down",
                         escape_html(finder.facts[k].name), up ? "lowest" : "highest");
  return out;
}

}  // namespace

std::string finder_html(const Finder& finder) {
  std::string out = fmt::format(
      "<div class=\"finder\">\n<h3>{}</h3>\n<p class=\"plain\">The search box needs JavaScript; every figure is in the "
      "CSV form.</p>\n<div class=\"find\" hidden=\"hidden\">\n<div class=\"search\"><label>Find a {} "
      "<input type=\"search\" autocomplete=\"off\"/></label>\n<label>Order <select>\n{}</select></label>\n"
      "<span class=\"count note\" role=\"status\"></span></div>\n<ul class=\"found\"></ul>\n"
      "<div class=\"shown\" aria-live=\"polite\"></div>\n</div>\n",
      escape_html(finder.title), escape_html(finder.what), orders_html(finder));
  if (!finder.caption.empty()) out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(finder.caption));
  return out + fmt::format("<div class=\"data\" hidden=\"hidden\">{}</div>\n</div>\n",
                           harmless(printable_json(finder_json(finder))));
}

}  // namespace dorm::report
