// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "dorm/lab/pages.h"
#include "lab/pages/comparison_blocks.h"
#include "report/pages/provenance.h"

namespace dorm {
namespace {

/// The figure that a cell of text begins with: 63.7 of "63.7 ± 6", 0.0001 of "< 0.0001".
double leading_number(std::string_view text) {
  if (text.starts_with("< ")) text.remove_prefix(2);
  double value = report::kMissing;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() || *end == ' ';
  return error == std::errc() && whole ? value : report::kMissing;
}

bool is_numeric(const report::Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    const std::string& text = column < row.size() ? row[column].text : "";
    if (text.empty() || text == "-") continue;
    if (std::isnan(leading_number(text))) return false;
    any = true;
  }
  return any;
}

/// Columns of text that begin with figures are sorted by these.
report::Table with_figures(report::Table table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!is_numeric(table, c)) continue;
    table.columns[c] = report::number_column(table.columns[c].name);
    for (std::vector<report::Cell>& row : table.rows)
      if (c < row.size()) row[c].value = leading_number(row[c].text);
  }
  return table;
}

/// Our figures with the paper's beside them, for a table that has a column of each; no bars for others.
report::Bars paper_bars(const report::Table& table) {
  report::Bars bars{.title = fmt::format("{}: the paper beside ours", table.caption),
                    .value = {.label = "as in the table"},
                    .groups = {{.name = "ours", .values = {}}, {.name = "paper", .values = {}}}};
  std::size_t ours = 0, paper = 0;
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    if (table.columns[c].name.starts_with("ours")) ours = c;
    if (table.columns[c].name == "paper") paper = c;
  }
  if (ours == 0 || paper == 0) return bars;
  for (const auto& row : table.rows) {
    if (row.size() <= std::max(ours, paper) || row[paper].text.empty()) continue;
    bars.categories.push_back(row[0].text);
    bars.groups[0].values.push_back(leading_number(row[ours].text));
    bars.groups[1].values.push_back(leading_number(row[paper].text));
  }
  return bars;
}

void add_comparison(const std::string& data, const ComparisonResult& result, std::vector<report::Block>& blocks) {
  for (report::Block& plot : comparison_plots(result, data)) blocks.push_back(std::move(plot));
  if (result.rows.empty()) return;
  const ComparisonRows rows = rows_by_size(result).back();
  report::Table figures = comparison_table(rows, fmt::format("{}: every figure with its test", data));
  figures.folded = true;
  blocks.emplace_back(std::move(figures));
  for (std::size_t m = 0; m < rows.back()->figures.size(); ++m) {
    report::Table tests =
        tests_table(rows, m, fmt::format("{}: paired tests by {}", data, rows.back()->figures[m].measure));
    tests.folded = true;
    blocks.emplace_back(std::move(tests));
  }
  blocks.emplace_back(chosen_table(rows, fmt::format("{}: chosen by the validation queries", data)));
}

/// `prefix` goes before the names of tables and plots, which must differ on one page.
report::Section section_of(const ExperimentResult& result, const std::string& prefix) {
  report::Section section{fmt::format("{}: {}", result.name, result.title)};
  report::Facts beside;
  if (!result.paper.empty()) beside.facts.push_back({"the paper", result.paper});
  if (!result.difference.empty()) beside.facts.push_back({"where we differ", result.difference});
  if (!beside.facts.empty()) section.blocks.emplace_back(std::move(beside));
  for (const std::string& remark : result.remarks) section.blocks.emplace_back(report::Paragraph{remark});
  for (const report::Table& table : result.tables) {
    report::Table shown = with_figures(table);
    shown.caption.insert(0, prefix);
    section.blocks.emplace_back(std::move(shown));
  }
  for (const report::Table& table : result.tables) {
    report::Bars bars = paper_bars(table);
    bars.title.insert(0, prefix);
    if (!bars.categories.empty()) section.blocks.emplace_back(std::move(bars));
  }
  for (report::Plot plot : result.plots) {
    plot.title.insert(0, prefix);
    section.blocks.emplace_back(std::move(plot));
  }
  for (const auto& [data, comparison] : result.comparisons) add_comparison(prefix + data, comparison, section.blocks);
  return section;
}

}  // namespace

report::Report experiment_page(std::span<const ExperimentResult> results, const std::vector<std::string>& skipped,
                               const ExperimentOptions& options, const pages::Origin& origin) {
  const bool one = results.size() == 1 && skipped.empty();
  report::Report page{.title = one ? results[0].title : "The experiments of the paper",
                      .summary =
                          "Direct Optimization of Ranking Measures: our figures on data that can be had, the paper's "
                          "beside them.",
                      .footer = pages::footer_text(),
                      .gallery = !one};
  for (const ExperimentResult& result : results)
    page.sections.push_back(section_of(result, one ? "" : fmt::format("{}, ", result.name)));
  if (!skipped.empty()) {
    report::Section section{"Not run"};
    for (const std::string& reason : skipped)
      section.blocks.emplace_back(report::Notice{report::Notice::Kind::warning, reason});
    page.sections.push_back(std::move(section));
  }
  page.sections.push_back(pages::provenance_section(origin, options.seed, {{"data", options.data_directory}}));
  return page;
}

}  // namespace dorm
