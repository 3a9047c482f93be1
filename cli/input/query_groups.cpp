// SPDX-License-Identifier: Apache-2.0
#include "input/query_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/quote.h"
#include "data/io/files/line_reader.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/document_table.h"
#include "dorm/apps/rankers_table.h"
#include "dorm/error.h"
#include "run/output.h"
#include "text/eval_text.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kQueryNames[] = {"qid", "query", "query_id", "query-id", "topic"};

std::size_t column_of_queries(const std::vector<std::string>& names) {
  for (const std::string_view known : kQueryNames)
    if (const auto found = std::find(names.begin(), names.end(), known); found != names.end())
      return static_cast<std::size_t>(found - names.begin());
  return 0;
}

struct ColumnOfQueries {
  std::string name;
  std::unordered_map<std::string, std::string> cells;  // by query
};

ColumnOfQueries read_column(const std::string& by) {
  const std::size_t colon = by.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == by.size())
    throw Error(ErrorCode::bad_option, fmt::format("--by is {}; expected FILE:COLUMN, a table of queries and one of "
                                                   "its columns",
                                                   in_quotes(by)));
  const std::string path = by.substr(0, colon);
  ColumnOfQueries column{by.substr(colon + 1), {}};
  const std::unique_ptr<TextSource> source = open_text(path);
  LineReader lines(*source, path);
  CsvRecords record(lines, CsvRecords::kBySight);
  const std::vector<std::string> names = read_header(record, path, "a column of queries and others");
  const auto found = std::find(names.begin(), names.end(), column.name);
  if (found == names.end())
    throw Error(ErrorCode::bad_input, {path, 1, 0},
                fmt::format("no column {}; the header has {}", in_quotes(column.name), fmt::join(names, ", ")));
  const std::size_t query = column_of_queries(names), cell = static_cast<std::size_t>(found - names.begin());
  while (record.next()) {
    require_cells(record, names.size());
    if (!column.cells.try_emplace(std::string(record[query]), record[cell]).second)
      throw record.error(query, fmt::format("the query {} has a row already", in_quotes(record[query])));
  }
  return column;
}

std::string name_of_p(const TestedRankers& tested) {
  const bool corrected = tested.how.correction != "none" && tested.table.rows.size() > 2;
  return corrected ? "p (corrected)" : "p";
}

std::string mean_cell(double x) { return std::isnan(x) ? "-" : fmt::format("{:.4f}", x); }

}  // namespace

GroupsReport rankers_by_group(const RankerTable& table, const std::string& by, const EvaluateOptions& options,
                              const TestOptions& how) {
  ColumnOfQueries column = read_column(by);
  std::vector<std::string> texts;
  std::size_t known = 0;
  for (const std::string& query : table.rows.front().table.query_ids) {
    const auto found = column.cells.find(query);
    known += found != column.cells.end();
    texts.push_back(found == column.cells.end() ? std::string() : found->second);
  }
  if (known == 0)
    throw Error(ErrorCode::bad_input, {by.substr(0, by.rfind(':'))},
                fmt::format("no row for any of the {} queries, such as {}; expected their ids", texts.size(),
                            in_quotes(table.rows.front().table.query_ids.front())));
  GroupsReport report{column.name, group_queries(texts), {}};
  report.tested = test_by_group(table, report.groups, options, how);
  return report;
}

std::string groups_text(const GroupsReport& report) {
  const RankerTable& all = report.tested.front().table;
  std::string text;
  for (std::size_t m = 0; m < all.rows.front().table.measures.size(); ++m) {
    const std::string& measure = all.rows.front().table.measures[m].name;
    std::vector<std::vector<std::string>> rows(
        1, {fmt::format("{} by {}", measure, report.column), "queries", "ranker", "mean", "interval"});
    const bool several = all.rows.size() > 1;
    if (several) rows[0].insert(rows[0].end(), {"difference", "interval", name_of_p(report.tested.front()), ""});
    for (std::size_t g = 0; g < report.groups.size(); ++g) {
      const TestedRankers& tested = report.tested[g];
      for (std::size_t r = 0; r < tested.table.rows.size(); ++r) {
        const RankerRow& row = tested.table.rows[r];
        const MeasureResult& result = row.table.measures[m];
        rows.push_back({r == 0 ? report.groups[g].name : "", r == 0 ? std::to_string(result.queries) : "", row.name,
                        mean_cell(result.mean), interval_text(result.low, result.high)});
        if (!several) continue;
        if (r == tested.table.reference) {
          rows.back().insert(rows.back().end(), {"", "", "", ""});
          continue;
        }
        const double p = tested.corrected[r][m];
        rows.back().insert(rows.back().end(), {fmt::format("{:+.4f}", row.tests[m].mean_difference),
                                               interval_text(row.tests[m].low, row.tests[m].high),
                                               report::p_value_text(p), fmt::format("{:<3}", significance_stars(p))});
      }
    }
    text += (m == 0 ? "" : "\n") + without_trailing_blanks(aligned(rows));
  }
  return text;
}

Json groups_json(const GroupsReport& report) {
  Json groups = Json::array();
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const TestedRankers& tested = report.tested[g];
    Json rankers = Json::array();
    for (std::size_t r = 0; r < tested.table.rows.size(); ++r) {
      const RankerRow& row = tested.table.rows[r];
      Json measures = Json::object();
      for (std::size_t m = 0; m < row.table.measures.size(); ++m) {
        Json& out = measures[row.table.measures[m].name] = measure_json(row.table.measures[m]);
        if (r == tested.table.reference) continue;
        out["against"] = test_json(row.tests[m], tested.table.rows[tested.table.reference].table.measures[m].mean);
        out["against"]["p"] = tested.p[r][m];
        out["against"]["p_corrected"] = tested.corrected[r][m];
      }
      rankers.push_back({{"name", row.name}, {"measures", measures}});
    }
    groups.push_back(
        {{"name", report.groups[g].name}, {"queries", report.groups[g].queries.size()}, {"rankers", rankers}});
  }
  return {{"by", report.column}, {"groups", groups}};
}

report::Section groups_section(const GroupsReport& report) {
  report::Section section{"By " + report.column};
  const RankerTable& all = report.tested.front().table;
  for (std::size_t m = 0; m < all.rows.front().table.measures.size(); ++m) {
    const std::string& measure = all.rows.front().table.measures[m].name;
    report::Table table{.caption = fmt::format("{} by {}", measure, report.column),
                        .columns = {report::text_column(report.column), report::number_column("queries", 0),
                                    report::text_column("ranker"), report::number_column("mean")}};
    report::Forest plot{.title = fmt::format("{} by {}, with intervals", measure, report.column)};
    report::Forest::Panel panel{.value = {.label = measure}};
    for (std::size_t g = 0; g < report.groups.size(); ++g)
      for (std::size_t r = 0; r < all.rows.size(); ++r) {
        const TestedRankers& tested = report.tested[g];
        const MeasureResult& result = tested.table.rows[r].table.measures[m];
        table.rows.push_back({report.groups[g].name, result.queries, tested.table.rows[r].name,
                              report::Cell(result.mean, result.low, result.high)});
        plot.rows.push_back(fmt::format("{}: {}", report.groups[g].name, tested.table.rows[r].name));
        const double p = tested.corrected[r][m];
        const bool reference = r == tested.table.reference;
        panel.points.push_back({result.mean, result.low, result.high,
                                reference                                           ? report::Forest::Told::nothing
                                : !(p < .05)                                        ? report::Forest::Told::same
                                : tested.table.rows[r].tests[m].mean_difference > 0 ? report::Forest::Told::better
                                                                                    : report::Forest::Told::worse,
                                reference ? "" : fmt::format("p {}", report::p_value_text(p))});
      }
    plot.panels.push_back(std::move(panel));
    section.blocks.emplace_back(std::move(plot));
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace dorm::cli
