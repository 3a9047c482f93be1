// SPDX-License-Identifier: Apache-2.0
#include "text/rankers_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kTestedInFull = 12;  // rankers; of more, the table with stars alone

std::string mean_text(double x) { return std::isnan(x) ? "-" : fmt::format("{:.4f}", x); }

// "-0.0141 **"
std::string difference_text(const RankerRow& row, std::size_t m) {
  const std::string_view stars = significance_stars(row.p_holm[m]);
  return fmt::format("{:+.4f}{}{}", row.tests[m].mean_difference, stars.empty() ? "" : " ", stars);
}

const EvaluationTable& first_table(const RankersReport& report) { return report.table.rows.front().table; }

std::string main_table(const RankersReport& report) {
  const RankerTable& table = report.table;
  std::vector<std::vector<std::string>> rows(1, {"ranker"});
  for (const MeasureResult& measure : first_table(report).measures) {
    rows[0].push_back(measure.name + "     ");  // above the figures, which " best" may follow
    rows[0].insert(rows[0].end(), {"", ""});
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(table.rows[r].name);
    for (std::size_t m = 0; m < first_table(report).measures.size(); ++m) {
      const std::string_view stars = significance_stars(table.rows[r].p_holm[m]);
      const std::string mean = mean_text(table.rows[r].table.measures[m].mean);
      row.push_back(table.best(r, m) ? styled(Style::green, mean + " best") : mean + "     ");
      row.push_back(r == table.reference ? "" : fmt::format("{:+.4f}", table.rows[r].tests[m].mean_difference));
      row.push_back(fmt::format("{:<3}", stars));
    }
  }
  return aligned(rows);
}

std::string tests_table(const RankersReport& report, std::size_t m) {
  const RankerTable& table = report.table;
  std::vector<std::vector<std::string>> rows = {{first_table(report).measures[m].name, "difference",
                                                 fmt::format("{:g} % interval", 100 * report.options.confidence),
                                                 "wins", "losses", "ties", "p (perm.)", "p (Holm)"}};
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r == table.reference) continue;
    const PairedTest& test = table.rows[r].tests[m];
    rows.push_back({table.rows[r].name, fmt::format("{:+.4f}", test.mean_difference),
                    interval_text(test.low, test.high), std::to_string(test.wins), std::to_string(test.losses),
                    std::to_string(test.ties), report::p_value_text(test.p_permutation),
                    report::p_value_text(table.rows[r].p_holm[m])});
  }
  return aligned(rows);
}

Json ranker_json(const RankersReport& report, std::size_t r) {
  const RankerRow& row = report.table.rows[r];
  Json measures = Json::object();
  for (std::size_t m = 0; m < row.table.measures.size(); ++m) {
    const MeasureResult& result = row.table.measures[m];
    Json& out = measures[result.name] = measure_json(result);
    out["best"] = report.table.best(r, m);
    if (r == report.table.reference) continue;
    out["against"] = test_json(row.tests[m], report.table.rows[report.table.reference].table.measures[m].mean);
    out["against"]["p_holm"] = row.p_holm[m];
    out["against"]["stars"] = significance_stars(row.p_holm[m]);
  }
  return {{"name", row.name}, {"kind", report.kinds[r]}, {"source", report.sources[r]}, {"measures", measures}};
}

std::string csv_number(double x) { return std::isnan(x) ? "" : fmt::format("{}", x); }

std::vector<std::string> csv_fields(const RankersReport& report, std::size_t r, std::size_t m) {
  const RankerRow& row = report.table.rows[r];
  const MeasureResult& result = row.table.measures[m];
  const PairedTest& test = row.tests[m];
  std::vector<std::string> fields = {row.name,
                                     report.kinds[r],
                                     result.name,
                                     csv_number(result.mean),
                                     csv_number(result.low),
                                     csv_number(result.high),
                                     std::to_string(result.queries),
                                     std::to_string(result.skipped),
                                     report.table.best(r, m) ? "1" : "0"};
  if (r == report.table.reference) {
    fields.resize(fields.size() + 9);
    return fields;
  }
  fields.insert(fields.end(), {csv_number(test.mean_difference), csv_number(test.low), csv_number(test.high),
                               std::to_string(test.wins), std::to_string(test.losses), std::to_string(test.ties),
                               csv_number(test.p_permutation), csv_number(row.p_holm[m]),
                               std::string(significance_stars(row.p_holm[m]))});
  return fields;
}

}  // namespace

std::string stars_note(const RankersReport& report) {
  const std::size_t tests = report.table.rows.size() - 1;
  return fmt::format(
      "* p < 0.05, ** p < 0.01, *** p < 0.001: permutation test of the difference to {}, {}",
      report.table.rows[report.table.reference].name,
      tests == 1 ? "one test per measure" : fmt::format("Holm's correction for {} tests per measure", tests));
}

std::string rankers_text(const RankersReport& report) {
  const RankerTable& table = report.table;
  std::string text = fmt::format("{}\n\n{}", evaluation_line(first_table(report), report.options),
                                 without_trailing_blanks(main_table(report)));
  if (table.rows.size() < 2) return text;
  text += fmt::format("\n{}\n", stars_note(report));
  if (table.rows.size() > kTestedInFull) return text + "intervals and p-values: --format csv or --json\n";
  text += fmt::format("\ndifference to {}\n", table.rows[table.reference].name);
  for (std::size_t m = 0; m < first_table(report).measures.size(); ++m) text += "\n" + tests_table(report, m);
  return text;
}

std::string rankers_markdown(const RankersReport& report) {
  const RankerTable& table = report.table;
  report::Table out{.caption = {}, .columns = {report::text_column("ranker")}};
  for (const MeasureResult& measure : first_table(report).measures) {
    out.columns.push_back(report::number_column(measure.name));
    if (table.rows.size() > 1) out.columns.push_back(report::text_column("difference"));
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<report::Cell>& row = out.rows.emplace_back();
    row.emplace_back(table.rows[r].name);
    for (std::size_t m = 0; m < first_table(report).measures.size(); ++m) {
      const MeasureResult& result = table.rows[r].table.measures[m];
      row.emplace_back(result.mean, result.low, result.high).best = table.best(r, m);
      if (table.rows.size() > 1)
        row.emplace_back(r == table.reference ? std::string("reference") : difference_text(table.rows[r], m));
    }
  }
  return report::to_markdown(out);
}

std::string rankers_csv(const RankersReport& report) {
  const std::vector<std::string> heading = {
      "ranker",     "kind",           "measure",         "mean", "low",    "high", "queries",       "skipped", "best",
      "difference", "difference_low", "difference_high", "wins", "losses", "ties", "p_permutation", "p_holm",  "stars"};
  std::string text = report::csv_line(heading);
  for (std::size_t r = 0; r < report.table.rows.size(); ++r)
    for (std::size_t m = 0; m < first_table(report).measures.size(); ++m)
      text += report::csv_line(csv_fields(report, r, m));
  return text;
}

std::string rankers_json(const RankersReport& report) {
  Json out = evaluation_json(first_table(report), report.options);
  Json rankers = Json::array();
  for (std::size_t r = 0; r < report.table.rows.size(); ++r) rankers.push_back(ranker_json(report, r));
  out["reference"] = report.table.rows[report.table.reference].name;
  out["rankers"] = std::move(rankers);
  return printable_json(out, 2) + "\n";
}

std::string rankers_per_query(const RankerTable& table) {
  std::vector<std::string> fields = {"ranker", "qid"};
  for (const MeasureResult& m : table.rows.front().table.measures) fields.push_back(m.name);
  std::string text = report::csv_line(fields);
  for (const RankerRow& row : table.rows)
    for (std::size_t q = 0; q < row.table.query_ids.size(); ++q) {
      fields = {row.name, row.table.query_ids[q]};
      for (const MeasureResult& m : row.table.measures) fields.push_back(csv_number(m.per_query[q]));
      text += report::csv_line(fields);
    }
  return text;
}

}  // namespace dorm::cli
