// SPDX-License-Identifier: Apache-2.0
#include "text/rankers_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "dorm/apps/rankers_table.h"
#include "dorm/apps/report.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kTestedInFull = 12;  // rankers; of more, the table with stars alone

std::string mean_text(double x) { return std::isnan(x) ? "-" : fmt::format("{:.4f}", x); }

// "-0.0141 **"
std::string difference_text(const RankersReport& report, std::size_t r, std::size_t m) {
  const std::string_view stars = significance_stars(report.corrected[r][m]);
  return fmt::format("{:+.4f}{}{}", report.table.rows[r].tests[m].mean_difference, stars.empty() ? "" : " ", stars);
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
      const std::string_view stars = significance_stars(report.corrected[r][m]);
      const std::string mean = mean_text(table.rows[r].table.measures[m].mean);
      row.push_back(table.best(r, m) ? styled(Style::green, mean + " best") : mean + "     ");
      row.push_back(r == table.reference ? "" : fmt::format("{:+.4f}", table.rows[r].tests[m].mean_difference));
      row.push_back(fmt::format("{:<3}", stars));
    }
  }
  return aligned(rows);
}

// The heading of the p-values, and of those corrected for the number of tests; empty: there is no correction.
std::pair<std::string, std::string> p_headings(const TestOptions& how) {
  const std::string name = how.test == "permutation" ? "perm." : how.test == "wilcoxon" ? "Wilcoxon" : how.test;
  const bool of_all = how.test == "tukey" && !how.over_measures;
  const char* correction = of_all || how.correction == "none" ? "" : how.correction == "bh" ? "p (B-H)" : "p (Holm)";
  return {fmt::format("p ({})", how.test == "tukey" ? "Tukey" : name), correction};
}

std::string needed_text(double queries) { return std::isinf(queries) ? "-" : fmt::format("{:.0f}", queries); }

std::string tests_table(const RankersReport& report, std::size_t m) {
  const RankerTable& table = report.table;
  const auto [p_heading, corrected_heading] = p_headings(report.how);
  const double within = report.how.same_within;
  std::vector<std::vector<std::string>> rows = {{first_table(report).measures[m].name, "difference",
                                                 fmt::format("{:g} % interval", 100 * report.options.confidence),
                                                 "wins", "losses", "ties", p_heading}};
  if (!corrected_heading.empty()) rows[0].push_back(corrected_heading);
  if (report.effects) rows[0].insert(rows[0].end(), {"effect d", "by ranks", "queries needed"});
  if (within > 0) rows[0].insert(rows[0].end(), {"p (not same)", fmt::format("same within {:g}", within)});
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r == table.reference) continue;
    const PairedTest& test = table.rows[r].tests[m];
    const DifferenceSize& size = report.sizes[r][m];
    rows.push_back({table.rows[r].name, fmt::format("{:+.4f}", test.mean_difference),
                    interval_text(test.low, test.high), std::to_string(test.wins), std::to_string(test.losses),
                    std::to_string(test.ties), report::p_value_text(report.p[r][m])});
    if (!corrected_heading.empty()) rows.back().push_back(report::p_value_text(report.corrected[r][m]));
    if (report.effects)
      rows.back().insert(rows.back().end(),
                         {fmt::format("{:+.3f}", size.effect), fmt::format("{:+.3f}", size.rank_effect),
                          needed_text(size.queries_needed)});
    const double p = p_not_same(report.sizes[r][m], within);
    if (within > 0) rows.back().insert(rows.back().end(), {report::p_value_text(p), p < 0.05 ? "yes" : "not shown"});
  }
  return aligned(rows);
}

std::string pairs_text(const RankersReport& report) {
  const RankerTable& table = report.table;
  const std::size_t count = table.rows.size();
  std::string text = fmt::format("row minus column: {}\n", pages::test_note(report));
  for (std::size_t m = 0; m < table.rows.front().table.measures.size(); ++m) {
    std::vector<std::vector<std::string>> rows(1, {table.rows.front().table.measures[m].name});
    for (std::size_t j = 0; j < count; ++j) rows[0].push_back(pages::mark_of(j, count) + "   ");
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(fmt::format("{} {}", pages::mark_of(i, count), table.rows[i].name));
      for (std::size_t j = 0; j < count; ++j)
        row.push_back(i == j ? "-   "
                             : fmt::format("{:+.4f}{:<3}",
                                           table.rows[i].table.measures[m].mean - table.rows[j].table.measures[m].mean,
                                           significance_stars(report.pairs[m][i * count + j])));
    }
    text += "\n" + without_trailing_blanks(aligned(rows));
  }
  return text;
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
    const DifferenceSize& size = report.sizes[r][m];
    out["against"]["p_wilcoxon"] = size.p_wilcoxon;
    out["against"]["effect"] = size.effect;
    out["against"]["rank_effect"] = size.rank_effect;
    out["against"]["queries_needed"] = size.queries_needed;
    out["against"]["p"] = report.p[r][m];
    out["against"]["p_corrected"] = report.corrected[r][m];
    if (report.how.same_within > 0) out["against"]["p_not_same"] = p_not_same(size, report.how.same_within);
    out["against"]["stars"] = significance_stars(report.corrected[r][m]);
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
    fields.resize(fields.size() + 14);
    return fields;
  }
  const double within = report.how.same_within, needed = report.sizes[r][m].queries_needed;
  fields.insert(fields.end(),
                {csv_number(test.mean_difference), csv_number(test.low), csv_number(test.high),
                 std::to_string(test.wins), std::to_string(test.losses), std::to_string(test.ties), report.how.test,
                 report.how.correction, csv_number(report.p[r][m]), csv_number(report.corrected[r][m]),
                 std::string(significance_stars(report.corrected[r][m])), csv_number(report.sizes[r][m].effect),
                 std::isinf(needed) ? "" : csv_number(needed),
                 within > 0 ? csv_number(p_not_same(report.sizes[r][m], within)) : ""});
  return fields;
}

}  // namespace

std::string stars_note(const RankersReport& report) {
  return fmt::format("* p < 0.05, ** p < 0.01, *** p < 0.001: {}", pages::difference_note(report));
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
  if (report.how.all_pairs) text += "\n" + pairs_text(report);
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
        row.emplace_back(r == table.reference ? std::string("reference") : difference_text(report, r, m));
    }
  }
  return report::to_markdown(out);
}

std::string rankers_csv(const RankersReport& report) {
  const std::vector<std::string> heading = {"ranker",
                                            "kind",
                                            "measure",
                                            "mean",
                                            "low",
                                            "high",
                                            "queries",
                                            "skipped",
                                            "best",
                                            "difference",
                                            "difference_low",
                                            "difference_high",
                                            "wins",
                                            "losses",
                                            "ties",
                                            "test",
                                            "correction",
                                            "p",
                                            "p_corrected",
                                            "stars",
                                            "effect",
                                            "queries_needed",
                                            "p_not_same"};
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
  out["test"] = report.how.test;
  out["correction"] = report.how.correction;
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
