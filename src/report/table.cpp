// SPDX-License-Identifier: Apache-2.0
// Columns, and the tables behind pictures.
#include <algorithm>
#include <cmath>

#include "dorm/apps/report.h"
#include "report/text.h"

namespace dorm::report {
namespace {

constexpr int kDigits = 6;

Cell point(const Series& series, std::size_t i) { return {at(series.y, i), at(series.low, i), at(series.high, i)}; }

bool share_x(const std::vector<const Series*>& series) {
  return std::all_of(series.begin(), series.end(), [&](const Series* s) { return s->x == series[0]->x; });
}

// One row per x, one column per series.
void add_wide(Table& table, const Plot& plot, const std::vector<const Series*>& series) {
  table.columns = {significant_column(plot.x.label, kDigits)};
  for (const Series* s : series) table.columns.push_back(significant_column(s->name, kDigits));
  for (std::size_t i = 0; i < series[0]->x.size(); ++i) {
    table.rows.push_back({Cell(series[0]->x[i])});
    for (const Series* s : series) table.rows.back().push_back(point(*s, i));
  }
}

// One row per point.
void add_long(Table& table, const Plot& plot, const std::vector<const Series*>& series) {
  table.columns = {text_column("series"), significant_column(plot.x.label, kDigits),
                   significant_column(plot.y.label, kDigits)};
  for (const Series* s : series)
    for (std::size_t i = 0; i < s->x.size(); ++i)
      if (std::isfinite(s->x[i]) && std::isfinite(at(s->y, i))) table.rows.push_back({s->name, s->x[i], point(*s, i)});
}

}  // namespace

Column text_column(std::string name, std::string help) {
  return {std::move(name), Column::Kind::text, 0, std::move(help)};
}
Column number_column(std::string name, int decimals, std::string help) {
  return {std::move(name), Column::Kind::fixed, decimals, std::move(help)};
}
Column count_column(std::string name, std::string help) { return number_column(std::move(name), 0, std::move(help)); }
Column significant_column(std::string name, int digits, std::string help) {
  return {std::move(name), Column::Kind::significant, digits, std::move(help)};
}

Column barred_column(std::string name, int decimals, std::string help) {
  Column column = number_column(std::move(name), decimals, std::move(help));
  column.bars = true;
  return column;
}

std::vector<Column> text_columns(std::vector<std::string> names) {
  std::vector<Column> columns;
  for (std::string& name : names) columns.push_back(text_column(std::move(name)));
  return columns;
}

Table numbers_of(const Plot& plot) {
  Table table{.caption = plot.title, .columns = {}};
  std::vector<const Series*> series;
  for (const Series& s : plot.series)
    if (s.mark != Series::Mark::rule && s.mark != Series::Mark::area) series.push_back(&s);
  if (series.empty()) return table;
  if (share_x(series))
    add_wide(table, plot, series);
  else
    add_long(table, plot, series);
  return table;
}

Table numbers_of(const Bars& bars) {
  Table table{.caption = bars.title, .columns = {text_column("")}};
  for (const Bars::Group& group : bars.groups)
    table.columns.push_back(significant_column(group.name.empty() ? bars.value.label : group.name, kDigits));
  for (std::size_t i = 0; i < bars.categories.size(); ++i) {
    table.rows.push_back({bars.categories[i]});
    for (const Bars::Group& group : bars.groups)
      table.rows.back().push_back({at(group.values, i), at(group.low, i), at(group.high, i)});
  }
  return table;
}

Table numbers_of(const Forest& forest) {
  Table table{.caption = forest.title, .columns = {text_column("")}};
  for (const Forest::Panel& panel : forest.panels) table.columns.push_back(number_column(panel.value.label));
  for (std::size_t i = 0; i < forest.rows.size(); ++i) {
    table.rows.push_back({forest.rows[i]});
    for (const Forest::Panel& panel : forest.panels) {
      const Forest::Point point = i < panel.points.size() ? panel.points[i] : Forest::Point{};
      Cell cell(point.value, point.low, point.high);
      cell.note = point.told == Forest::Told::reference ? "reference" : point.note;
      table.rows.back().push_back(std::move(cell));
    }
  }
  return table;
}

Table numbers_of(const Queries& queries) {
  Table table{.caption = queries.title, .columns = {text_column("query"), count_column("documents")}};
  for (const Queries::Ranker& ranker : queries.rankers)
    table.columns.push_back(number_column(ranker.name, 4, queries.measure));
  for (std::size_t q = 0; q < queries.queries.size(); ++q) {
    const Queries::Query& query = queries.queries[q];
    table.rows.push_back({query.name, query.documents > 0 ? Cell(query.documents) : Cell()});
    for (const Queries::Ranker& ranker : queries.rankers) table.rows.back().emplace_back(at(ranker.values, q));
  }
  return table;
}

Table numbers_of(const Heatmap& map) {
  Table table{.caption = map.title, .columns = {text_column(map.row_label)}};
  for (const std::string& name : map.columns)
    table.columns.push_back(number_column(map.column_label + " " + name, map.digits));
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    table.rows.push_back({map.rows[r]});
    for (std::size_t c = 0; c < map.columns.size(); ++c)
      table.rows.back().push_back(r < map.values.size() ? at(map.values[r], c) : kMissing);
    if (map.mark && map.mark->row == r && map.mark->column < map.columns.size()) {
      Cell& marked = table.rows.back()[map.mark->column + 1];
      marked.best = true;
      marked.note = map.mark->text;
    }
  }
  return table;
}

}  // namespace dorm::report
