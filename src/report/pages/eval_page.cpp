// SPDX-License-Identifier: Apache-2.0
// Several rankers on the same queries: which is better, by how much, and on which queries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/apps/pages.h"
#include "dorm/apps/rankers_table.h"
#include "report/pages/baseline_lists.h"
#include "report/pages/provenance.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kDrawnRankers = 4;  // in the plot of differences
constexpr double kSignificant = 0.05;

const MeasureResult& result_of(const RankersReportData& report_data, std::size_t row, std::size_t m) {
  return report_data.table.rows[row].table.measures[m];
}

const std::string& name_of_row(const RankersReportData& report_data, std::size_t row) {
  return report_data.table.rows[row].name;
}

std::size_t num_measures(const RankersReportData& report_data) {
  return report_data.table.rows.front().table.measures.size();
}

std::string test_words(const RankersReportData& report_data, std::size_t row, std::size_t m) {
  const PairedTest& test = report_data.table.rows[row].tests[m];
  return fmt::format("[{:.4f}, {:.4f}], p {}, {} wins, {} losses, {} ties", test.low, test.high,
                     report::p_value_text(report_data.tested.corrected[row][m]), test.wins, test.losses, test.ties);
}

/// The verdict on the first measure: the reference, and the best of the others.
report::Notice verdict_of(const RankersReportData& report_data, std::size_t baseline) {
  const std::size_t reference = report_data.table.reference;
  const MeasureResult& own = result_of(report_data, reference, 0);
  if (baseline == reference)
    return {report::Notice::Kind::plain,
            fmt::format("{}: {} {:.4f} over {} queries.", name_of_row(report_data, reference), own.name, own.mean,
                        own.queries)};
  const PairedTest& test = report_data.table.rows[baseline].tests[0];
  const double p = report_data.tested.corrected[baseline][0];
  const bool real = p<kSignificant, up = test.mean_difference> 0;
  const std::string of_others = report_data.table.rows.size() > 2
                                    ? fmt::format(" (best of {} others)", report_data.table.rows.size() - 1)
                                    : std::string();
  std::string text = fmt::format(
      "{}{} is {} {} by {}: {:.4f} against {:.4f}, a difference of {:+.4f} [{:.4f}, {:.4f}], p {}{}.",
      name_of_row(report_data, baseline), of_others,
      real ? (up ? "better than" : "worse than") : "not significantly different from",
      name_of_row(report_data, reference), own.name, result_of(report_data, baseline, 0).mean, own.mean,
      test.mean_difference, test.low, test.high, report::p_value_text(p),
      report_data.table.rows.size() > 2 ? fmt::format(" ({})", difference_note(report_data.tested)) : std::string());
  text += fmt::format(" It wins {} queries, loses {}, and ties on {}.", test.wins, test.losses, test.ties);
  return {real && up ? report::Notice::Kind::good : report::Notice::Kind::plain, text};
}

report::Table rankers_table(const RankersReportData& report_data) {
  report::Table table{.caption = "Means over queries, and differences to the reference",
                      .columns = {report::text_column("ranker")}};
  const bool several = report_data.table.rows.size() > 1;
  for (std::size_t m = 0; m < num_measures(report_data); ++m) {
    table.columns.push_back(report::barred_column(result_of(report_data, 0, m).name));
    if (several) table.columns.push_back(report::number_column("difference", 4, "to the reference, query by query"));
  }
  for (std::size_t r = 0; r < report_data.table.rows.size(); ++r) {
    std::vector<report::Cell>& row = table.rows.emplace_back();
    row.emplace_back(name_of_row(report_data, r));
    if (r == report_data.table.reference && several) row.back().note = "reference";
    for (std::size_t m = 0; m < num_measures(report_data); ++m) {
      const MeasureResult& result = result_of(report_data, r, m);
      row.emplace_back(result.mean, result.low, result.high).best = report_data.table.best(r, m);
      if (!several) continue;
      if (r == report_data.table.reference) {
        row.emplace_back();
        continue;
      }
      report::Cell difference(report_data.table.rows[r].tests[m].mean_difference);
      difference.text = fmt::format("{:+.4f}", difference.value);
      difference.note = significance_stars(report_data.tested.corrected[r][m]);
      difference.hint = test_words(report_data, r, m);
      row.push_back(std::move(difference));
    }
  }
  if (several)
    table.footnotes.push_back(
        fmt::format("* p < 0.05, ** p < 0.01, *** p < 0.001: {}.", difference_note(report_data.tested)));
  return table;
}

report::Forest difference_forest(const RankersReportData& report_data) {
  using Told = report::Forest::Told;
  report::Forest forest{
      .title = fmt::format("Differences to {}", name_of_row(report_data, report_data.table.reference)),
      .caption = "Mean difference over queries with its bootstrap interval."};
  for (const RankerRow& row : report_data.table.rows) forest.rows.push_back(row.name);
  for (std::size_t m = 0; m < num_measures(report_data); ++m) {
    report::Forest::Panel panel{.value = {.label = result_of(report_data, 0, m).name}};
    for (std::size_t r = 0; r < report_data.table.rows.size(); ++r) {
      if (r == report_data.table.reference) {
        panel.points.push_back({.value = 0, .told = Told::reference});
        continue;
      }
      const PairedTest& test = report_data.table.rows[r].tests[m];
      const double p = report_data.tested.corrected[r][m];
      panel.points.push_back({.value = test.mean_difference,
                              .low = test.low,
                              .high = test.high,
                              .told = !(p < kSignificant)        ? Told::same
                                      : test.mean_difference > 0 ? Told::better
                                                                 : Told::worse,
                              .note = fmt::format("p {}", report::p_value_text(p))});
    }
    forest.panels.push_back(std::move(panel));
  }
  return forest;
}

report::Table wins_table(const RankersReportData& report_data) {
  report::Table table{
      .caption = fmt::format("Queries won and lost against {}", name_of_row(report_data, report_data.table.reference)),
      .columns = {report::text_column("ranker"), report::text_column("measure"), report::count_column("wins"),
                  report::count_column("losses"), report::count_column("ties"),
                  report::number_column("p (sign test)", 4)}};
  for (std::size_t r = 0; r < report_data.table.rows.size(); ++r) {
    if (r == report_data.table.reference) continue;
    for (std::size_t m = 0; m < num_measures(report_data); ++m) {
      const PairedTest& test = report_data.table.rows[r].tests[m];
      report::Cell p(test.p_sign);
      p.text = report::p_value_text(test.p_sign);
      table.rows.push_back(
          {name_of_row(report_data, r), result_of(report_data, r, m).name, test.wins, test.losses, test.ties, p});
    }
  }
  return table;
}

/// Differences of the first measure, sorted, one line for each of a few rankers.
report::Plot sorted_differences(const RankersReportData& report_data, std::size_t baseline) {
  const std::size_t reference = report_data.table.reference;
  report::Plot plot{.title = fmt::format("Differences in {}, query by query", result_of(report_data, 0, 0).name),
                    .x = {.label = "queries, from the largest loss to the largest win", .whole = true},
                    .y = {.label = "difference"}};
  std::vector<std::size_t> drawn = {baseline};
  for (std::size_t r = 0; r < report_data.table.rows.size() && drawn.size() < kDrawnRankers; ++r)
    if (r != reference && r != baseline) drawn.push_back(r);
  for (const std::size_t r : drawn) {
    report::Series series{.name = name_of_row(report_data, r)};
    for (const std::size_t q : queries_by_difference(report_data, r))
      series.y.push_back(difference_of(report_data, r, q));
    for (std::size_t k = 0; k < series.y.size(); ++k) series.x.push_back(static_cast<double>(k + 1));
    plot.series.push_back(std::move(series));
  }
  plot.series.push_back({.name = name_of_row(report_data, reference), .y = {0.0}, .mark = report::Series::Mark::rule});
  return plot;
}

/// The first measure from cutoff 1 to its own: rankers may change places on the way.
report::Plot cutoff_plot(const RankersReportData& report_data) {
  report::Plot plot{.title = fmt::format("{} by cutoff", result_of(report_data, 0, 0).name),
                    .x = {.label = "cutoff", .whole = true},
                    .y = {.label = "mean over queries"},
                    .caption =
                        "Bands: bootstrap intervals. Those of two rankers may overlap although the rankers differ "
                        "on the same queries."};
  for (std::size_t r = 0; r < std::min(report_data.by_cutoff.size(), kDrawnRankers); ++r) {
    report::Series series{.name = name_of_row(report_data, r)};
    for (std::size_t k = 0; k < report_data.cutoffs.size(); ++k) {
      const MeasureResult& result = report_data.by_cutoff[r].measures[k];
      series.x.push_back(static_cast<double>(report_data.cutoffs[k]));
      series.y.push_back(result.mean);
      if (std::isnan(result.low)) continue;  // without a bootstrap
      series.low.push_back(result.low);
      series.high.push_back(result.high);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

/// One point per query: the value of the baseline over that of the reference.
report::Plot value_plot(const RankersReportData& report_data, std::size_t baseline) {
  const std::vector<double>& x = result_of(report_data, report_data.table.reference, 0).per_query;
  const std::vector<double>& y = result_of(report_data, baseline, 0).per_query;
  report::Series queries{.name = "queries", .x = x, .y = y, .mark = report::Series::Mark::points};
  double low = 0, high = 1;
  for (const std::vector<double>* values : {&x, &y})
    for (const double value : *values)
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  return {.title = fmt::format("{} of both, one point per query", result_of(report_data, 0, 0).name),
          .x = {.label = name_of_row(report_data, report_data.table.reference), .low = low, .high = high},
          .y = {.label = name_of_row(report_data, baseline), .low = low, .high = high},
          .series = {std::move(queries), {.name = "equal", .x = {low, high}, .y = {low, high}}},
          .caption = "Above the line the query is won, below it is lost."};
}

std::vector<report::Fact> highlights_of(const RankersReportData& report_data, std::size_t baseline) {
  std::vector<report::Fact> facts;
  for (const std::size_t r : {report_data.table.reference, baseline}) {
    const MeasureResult& result = result_of(report_data, r, 0);
    facts.push_back({name_of_row(report_data, r), fmt::format("{:.4f}", result.mean),
                     fmt::format("{} [{:.4f}, {:.4f}]", result.name, result.low, result.high)});
    if (baseline == report_data.table.reference) return facts;
  }
  const PairedTest& test = report_data.table.rows[baseline].tests[0];
  facts.push_back({"difference", fmt::format("{:+.4f}", test.mean_difference),
                   fmt::format("[{:.4f}, {:.4f}], p {}", test.low, test.high,
                               report::p_value_text(report_data.tested.corrected[baseline][0]))});
  facts.push_back({"queries", std::to_string(test.queries),
                   fmt::format("{} won, {} lost, {} tied", test.wins, test.losses, test.ties)});
  return facts;
}

/// Rankers that know the answers are named before anything else is said.
void add_training_notices(const RankersReportData& report_data, report::Report& page) {
  std::vector<report::Block>& first = page.sections.front().blocks;
  for (std::size_t r = report_data.rankers.size(); r-- > 0;) {
    const double share = report_data.rankers[r].trained_share;
    if (!(share > 0)) continue;
    first.insert(first.begin(),
                 report::Notice{report::Notice::Kind::warning,
                                fmt::format("{} was trained on {} documents, which flatters it: its figures, and tests "
                                            "against it, say nothing about queries it has not seen.",
                                            name_of_row(report_data, r),
                                            share < 1 ? fmt::format("{:.0f} % of these", 100 * share) : "these very")});
    page.summary += fmt::format(" Trained on these documents: {}.", name_of_row(report_data, r));
  }
}

}  // namespace

report::Report eval_page(const RankersReportData& report_data, const Origin& origin) {
  std::size_t baseline = report_data.table.reference;
  for (std::size_t r = 0; r < report_data.table.rows.size(); ++r)
    if (r != report_data.table.reference &&
        (baseline == report_data.table.reference ||
         result_of(report_data, r, 0).mean > result_of(report_data, baseline, 0).mean))
      baseline = r;
  const EvaluationTable& first = report_data.table.rows.front().table;
  const bool several = baseline != report_data.table.reference;
  report::Report page;
  page.title = several ? fmt::format("{} against {}", name_of_row(report_data, baseline),
                                     name_of_row(report_data, report_data.table.reference))
                       : fmt::format("How well {} ranks", name_of_row(report_data, baseline));
  page.summary =
      fmt::format("{} {} on {} queries{}; convention {}, ties {}.", report_data.table.rows.size(),
                  report_data.table.rows.size() == 1 ? "ranker" : "rankers", first.query_ids.size(),
                  report_data.data_name.empty() ? "" : " of " + report_data.data_name, first.convention, first.ties);
  page.verdict = verdict_of(report_data, baseline);
  page.highlights = highlights_of(report_data, baseline);
  page.sections.push_back({"Rankers", {rankers_table(report_data)}});
  add_training_notices(report_data, page);
  if (several) {
    page.sections.back().blocks.emplace_back(difference_forest(report_data));
  }
  if (!report_data.by_cutoff.empty()) page.sections.back().blocks.emplace_back(cutoff_plot(report_data));
  if (several) {
    page.sections.push_back(
        {"Query by query",
         {sorted_differences(report_data, baseline), value_plot(report_data, baseline), wins_table(report_data)}});
  }
  for (report::Section& section : baseline_sections(report_data, baseline)) page.sections.push_back(std::move(section));
  page.sections.push_back(provenance_section(origin, report_data.options.seed));
  page.footer = footer_text();
  return page;
}

}  // namespace dorm::pages
