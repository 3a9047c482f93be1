// SPDX-License-Identifier: Apache-2.0
// The comparison as text: every figure with all that belongs to it as CSV, and tables to read as Markdown.
#include <fmt/format.h>

#include <cmath>

#include "dorm/apps/report.h"
#include "dorm/lab/comparison.h"

namespace dorm {
namespace {

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.6f}", value); }

std::string chosen_text(const ComparisonFigure& figure) {
  std::string text;
  for (const std::string& chosen : figure.chosen) text += (text.empty() ? "" : " | ") + chosen;
  return text;
}

/// What every line begins with, whether it is of the table or of the curve.
std::vector<std::string> first_fields(const ComparisonRow& row, const MeasureResult& result) {
  return {std::to_string(row.size),
          row.method,
          result.name,
          number(result.mean),
          number(result.low),
          number(result.high),
          std::to_string(result.queries),
          std::to_string(result.skipped)};
}

std::string line_of(const ComparisonRow& row, const ComparisonFigure& figure) {
  std::vector<std::string> fields = first_fields(row, figure.result);
  const auto tested = [&figure](const std::string& text) { return std::isnan(figure.p_holm) ? "" : text; };
  fields.insert(
      fields.end(),
      {figure.reference ? "1" : "0", tested(number(figure.test.mean_difference)),
       tested(fmt::format("{:.3g}", figure.test.p_t)), tested(fmt::format("{:.3g}", figure.test.p_permutation)),
       tested(fmt::format("{:.3g}", figure.p_holm)), fmt::format("{:.4f}", figure.seconds),
       fmt::format("{:.4f}", figure.tuning_seconds), fmt::format("{:.1f}", figure.support_vectors),
       fmt::format("{:.1f}", figure.passes), std::to_string(figure.candidates), chosen_text(figure), build_identity()});
  return report::csv_line(fields);
}

/// A figure with what makes it trustworthy: bold for the one tested against, a mark where no test sets it
/// apart from that.
report::Cell shown(const ComparisonFigure& figure) {
  if (std::isnan(figure.result.mean)) return "-";
  report::Cell cell(fmt::format("{:.4f} [{:.4f}, {:.4f}]", figure.result.mean, figure.result.low, figure.result.high));
  cell.best = figure.reference;
  if (!figure.reference && !std::isnan(figure.p_holm))
    cell.text += fmt::format("{} (p {})", figure.p_holm >= 0.05 ? " =" : "", report::p_value_text(figure.p_holm));
  return cell;
}

std::string size_name(std::size_t size) {
  return size == 0 ? "all training queries" : fmt::format("{} training queries", size);
}

std::string table_of(const std::vector<const ComparisonRow*>& rows) {
  report::Table table{"", {report::text_column("method")}};
  for (const ComparisonFigure& figure : rows.back()->figures)
    table.columns.push_back(report::text_column(figure.measure));
  for (const char* name : {"seconds", "support vectors"}) table.columns.push_back(report::text_column(name));
  for (const ComparisonRow* row : rows) {
    std::vector<report::Cell>& line = table.rows.emplace_back();
    line.emplace_back(row->method);
    if (!row->failure.empty()) {
      line.resize(table.columns.size(), "-");
      continue;
    }
    for (const ComparisonFigure& figure : row->figures) line.push_back(shown(figure));
    const ComparisonFigure& first = row->figures.front();
    if (first.chosen.empty()) continue;
    line.emplace_back(fmt::format("{:.3g}", first.seconds));
    line.emplace_back(first.support_vectors > 0 ? fmt::format("{:.0f}", first.support_vectors) : "-");
  }
  return report::to_markdown(table);
}

std::string curve_of(const std::vector<const ComparisonRow*>& rows) {
  report::Table table{"", {report::text_column("method")}};
  for (const MeasureResult& result : rows.back()->curve) table.columns.push_back(report::text_column(result.name));
  for (const ComparisonRow* row : rows) {
    if (row->curve.empty()) continue;
    table.rows.push_back({row->method});
    for (const MeasureResult& result : row->curve) table.rows.back().emplace_back(fmt::format("{:.4f}", result.mean));
  }
  return report::to_markdown(table);
}

std::string failures_of(const std::vector<const ComparisonRow*>& rows) {
  std::string text;
  for (const ComparisonRow* row : rows)
    if (!row->failure.empty()) text += fmt::format("\n{}: {}\n", row->method, row->failure);
  return text;
}

}  // namespace

std::string comparison_csv(const ComparisonResult& result) {
  const std::vector<std::string> heading = {
      "size",           "method",          "measure",    "mean",       "low",           "high",   "queries",
      "skipped",        "reference",       "difference", "p_t",        "p_permutation", "p_holm", "seconds",
      "tuning_seconds", "support_vectors", "passes",     "candidates", "chosen",        "build"};
  std::string text = report::csv_line(heading);
  for (const ComparisonRow& row : result.rows) {
    for (const ComparisonFigure& figure : row.figures) text += line_of(row, figure);
    for (const MeasureResult& point : row.curve) {
      std::vector<std::string> fields = first_fields(row, point);
      fields.insert(fields.end(), {"0", "", "", "", "", "", "", "", "", "", "curve", build_identity()});
      text += report::csv_line(fields);
    }
  }
  return text;
}

std::string comparison_markdown(const ComparisonResult& result) {
  std::string text = fmt::format(
      "{} test queries, {} split{}. Brackets: 95 % bootstrap interval over queries. Bold: the one that the "
      "others are\ntested against; p: paired permutation test, Holm's correction within a column; \"=\": not "
      "significantly different at 0.05.\nRandom is the expectation over all orders, ideal the order by label. dorm "
      "{}.\n",
      result.test_queries, result.splits, result.splits == 1 ? "" : "s", build_identity());
  std::vector<std::size_t> sizes;
  for (const ComparisonRow& row : result.rows)
    if (sizes.empty() || sizes.back() != row.size) sizes.push_back(row.size);
  for (std::size_t size : sizes) {
    std::vector<const ComparisonRow*> rows;
    for (const ComparisonRow& row : result.rows)
      if (row.size == size) rows.push_back(&row);
    text += fmt::format("\n## {}\n\n{}{}", size_name(size), table_of(rows), failures_of(rows));
    for (const ComparedTrees& trees : result.trees)
      if (trees.size == size) text += fmt::format("\nLinear or trees? {}.\n", trees.text);
    if (!rows.back()->curve.empty()) text += fmt::format("\n### By cutoff\n\n{}", curve_of(rows));
  }
  return text;
}

}  // namespace dorm
