// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/pages/comparison_blocks.h"

namespace dorm {
namespace {

bool is_yardstick(const ComparisonRow& row) { return row.method == "random" || row.method == "ideal"; }

report::Cell figure_cell(const ComparisonFigure& figure, bool best) {
  const MeasureResult& result = figure.result;
  if (std::isnan(result.mean)) return "-";
  report::Cell cell(result.mean, result.low, result.high);
  cell.best = best;
  if (figure.reference)
    cell.note = "ref.";
  else if (!std::isnan(figure.p_holm)) {
    cell.note = figure.p_holm >= 0.05 ? "n.s." : "";
    cell.hint = fmt::format("p {}", report::p_value_text(figure.p_holm));
  }
  return cell;
}

report::Cell p_cell(double p) {
  report::Cell cell(p);
  cell.text = report::p_value_text(p);
  return cell;
}

std::vector<report::Cell> line_of(const ComparisonRow& row, const std::vector<const ComparisonRow*>& best) {
  std::vector<report::Cell> line = {row.method};
  for (std::size_t m = 0; m < row.figures.size(); ++m) {
    line.push_back(figure_cell(row.figures[m], best[m] == &row));
    // Random and ideal lie far from the others: on one scale with them, intervals would be dots.
    if (is_yardstick(row)) line.back().low = line.back().high = report::kMissing;
  }
  if (row.figures.empty() || row.figures[0].chosen.empty()) return line;
  const ComparisonFigure& first = row.figures[0];
  line.insert(line.end(), {first.seconds, first.tuning_seconds});
  if (first.support_vectors > 0) line.emplace_back(first.support_vectors);
  return line;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " | ") + (name.empty() ? "-" : name);
  return text;
}

}  // namespace

std::vector<ComparisonRows> rows_by_size(const ComparisonResult& result) {
  std::vector<ComparisonRows> groups;
  for (const ComparisonRow& row : result.rows) {
    if (groups.empty() || groups.back().front()->size != row.size) groups.emplace_back();
    groups.back().push_back(&row);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const ComparisonRows& a, const ComparisonRows& b) {
    return a.front()->size - 1 < b.front()->size - 1;  // 0, all of them, is the largest
  });
  return groups;
}

ComparisonRows ranked_methods(const ComparisonRows& rows, std::size_t measure) {
  ComparisonRows methods;
  for (const ComparisonRow* row : rows)
    if (!is_yardstick(*row) && row->failure.empty()) methods.push_back(row);
  std::stable_sort(methods.begin(), methods.end(), [&](const ComparisonRow* a, const ComparisonRow* b) {
    return a->figures[measure].result.mean > b->figures[measure].result.mean;
  });
  return methods;
}

report::Table comparison_table(const ComparisonRows& rows, std::string caption) {
  report::Table table{.caption = std::move(caption), .columns = {report::text_column("method")}};
  std::vector<const ComparisonRow*> best;
  for (std::size_t m = 0; m < rows.back()->figures.size(); ++m) {
    table.columns.push_back(report::barred_column(rows.back()->figures[m].measure));
    const ComparisonRows ranked = ranked_methods(rows, m);
    best.push_back(ranked.empty() ? nullptr : ranked.front());
  }
  table.columns.push_back(report::significant_column("seconds", 3, "training of the chosen model"));
  table.columns.push_back(report::significant_column("tuning seconds", 3, "training of all candidates"));
  table.columns.push_back(report::count_column("support vectors", "planes of the chosen model"));
  for (const ComparisonRow* row : ranked_methods(rows, 0)) table.rows.push_back(line_of(*row, best));
  for (const ComparisonRow* row : rows) {
    if (is_yardstick(*row)) table.rows.push_back(line_of(*row, best));
    if (!row->failure.empty()) table.footnotes.push_back(fmt::format("{}: {}", row->method, row->failure));
  }
  table.footnotes.push_back(
      "Lines: 95 % bootstrap intervals over queries, on one scale within a column. n.s.: not significantly different "
      "from the "
      "reference (ref.) at 0.05 by a paired permutation test, with Holm's correction within the column. Interval and p "
      "are shown on hover and stand in the CSV form. Processor seconds and support vectors are those of the model "
      "chosen for the first measure, means over splits.");
  return table;
}

report::Table tests_table(const ComparisonRows& rows, std::size_t measure, std::string caption) {
  report::Table table{
      .caption = std::move(caption),
      .columns = {report::text_column("method"),
                  report::number_column("difference", 4, "mean over queries; below 0: worse"),
                  report::count_column("wins"), report::count_column("losses"), report::count_column("ties"),
                  report::number_column("p, t test"), report::number_column("p, sign test"),
                  report::number_column("p, permutation"), report::number_column("p, Holm")}};
  for (const ComparisonRow* row : ranked_methods(rows, measure)) {
    const ComparisonFigure& figure = row->figures[measure];
    const PairedTest& test = figure.test;
    if (std::isnan(figure.p_holm)) continue;
    table.rows.push_back({row->method, report::Cell(test.mean_difference, test.low, test.high), test.wins, test.losses,
                          test.ties, p_cell(test.p_t), p_cell(test.p_sign), p_cell(test.p_permutation),
                          p_cell(figure.p_holm)});
  }
  return table;
}

report::Table chosen_table(const ComparisonRows& rows, std::string caption) {
  report::Table table{.caption = std::move(caption),
                      .columns = {report::text_column("method"), report::text_column("measure"),
                                  report::text_column("chosen, split by split")},
                      .folded = true};
  for (const ComparisonRow* row : rows)
    for (const ComparisonFigure& figure : row->figures)
      if (std::any_of(figure.chosen.begin(), figure.chosen.end(), [](const auto& c) { return !c.empty(); }))
        table.rows.push_back({row->method, figure.measure, joined(figure.chosen)});
  return table;
}

}  // namespace dorm
