// SPDX-License-Identifier: Apache-2.0
// The comparison as text: every figure with all that belongs to it as CSV, and tables to read as Markdown.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "dorm/lab/comparison.h"

namespace dorm {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.6f}", value); }

std::string chosen_text(const ComparisonFigure& figure) {
  std::string text;
  for (const std::string& chosen : figure.chosen) text += (text.empty() ? "" : " | ") + chosen;
  return text;
}

std::string csv_line(const ComparisonRow& row, const MeasureResult& result, const std::string& rest) {
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", row.size, quoted(row.method), quoted(result.name),
                     number(result.mean), number(result.low), number(result.high), result.queries, result.skipped,
                     rest);
}

/// A figure with what makes it trustworthy: bold for the one tested against, a mark where no test sets it
/// apart from that.
std::string shown(const ComparisonFigure& figure) {
  if (std::isnan(figure.result.mean)) return "-";
  std::string text = fmt::format("{:.4f} [{:.4f}, {:.4f}]", figure.result.mean, figure.result.low, figure.result.high);
  if (figure.reference) return fmt::format("**{}**", text);
  if (std::isnan(figure.p_holm)) return text;
  return text + (figure.p_holm >= 0.05 ? " =" : "") + fmt::format(" (p {:.2g})", figure.p_holm);
}

std::string heading(const std::vector<std::string>& cells) {
  std::string names = "|", rule = "|";
  for (const std::string& cell : cells) {
    names += fmt::format(" {} |", cell);
    rule += "---|";
  }
  return names + '\n' + rule + '\n';
}

std::string size_name(std::size_t size) {
  return size == 0 ? "all training queries" : fmt::format("{} training queries", size);
}

std::string table_of(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> columns = {"method"};
  for (const ComparisonFigure& figure : rows.back()->figures) columns.push_back(figure.measure);
  columns.insert(columns.end(), {"seconds", "support vectors"});
  std::string text = heading(columns);
  for (const ComparisonRow* row : rows) {
    text += fmt::format("| {} |", row->method);
    if (!row->failure.empty()) {
      for (std::size_t m = 1; m < columns.size(); ++m) text += " - |";
      text += '\n';
      continue;
    }
    for (const ComparisonFigure& figure : row->figures) text += fmt::format(" {} |", shown(figure));
    const ComparisonFigure& first = row->figures.front();
    text += first.chosen.empty() ? " | |\n"
                                 : fmt::format(" {:.3g} | {} |\n", first.seconds,
                                               first.support_vectors > 0 ? fmt::format("{:.0f}", first.support_vectors)
                                                                         : std::string("-"));
  }
  return text;
}

std::string curve_of(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> columns = {"method"};
  for (const MeasureResult& result : rows.back()->curve) columns.push_back(result.name);
  std::string text = heading(columns);
  for (const ComparisonRow* row : rows) {
    if (row->curve.empty()) continue;
    text += fmt::format("| {} |", row->method);
    for (const MeasureResult& result : row->curve) text += fmt::format(" {:.4f} |", result.mean);
    text += '\n';
  }
  return text;
}

std::string failures_of(const std::vector<const ComparisonRow*>& rows) {
  std::string text;
  for (const ComparisonRow* row : rows)
    if (!row->failure.empty()) text += fmt::format("\n{}: {}\n", row->method, row->failure);
  return text;
}

}  // namespace

std::string comparison_csv(const ComparisonResult& result) {
  std::string text =
      "size,method,measure,mean,low,high,queries,skipped,reference,difference,p_t,p_permutation,p_holm,"
      "seconds,"
      "tuning_seconds,support_vectors,passes,chosen\n";
  for (const ComparisonRow& row : result.rows) {
    for (const ComparisonFigure& figure : row.figures) {
      const bool tested = !std::isnan(figure.p_holm);
      text += csv_line(
          row, figure.result,
          fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.1f},{:.1f},{}", figure.reference ? 1 : 0,
                      tested ? number(figure.test.mean_difference) : "",
                      tested ? fmt::format("{:.3g}", figure.test.p_t) : "",
                      tested ? fmt::format("{:.3g}", figure.test.p_permutation) : "",
                      tested ? fmt::format("{:.3g}", figure.p_holm) : "", figure.seconds, figure.tuning_seconds,
                      figure.support_vectors, figure.passes, quoted(chosen_text(figure))));
    }
    for (const MeasureResult& point : row.curve) text += csv_line(row, point, "0,,,,,,,,,curve");
  }
  return text;
}

std::string comparison_markdown(const ComparisonResult& result) {
  std::string text = fmt::format(
      "{} test queries, {} split{}. Brackets: 95 % bootstrap interval over queries. Bold: the one that the "
      "others are\ntested against; p: paired permutation test, Holm's correction within a column; \"=\": not "
      "told apart at 0.05.\nRandom is the expectation over all orders, ideal the order by label.\n",
      result.test_queries, result.splits, result.splits == 1 ? "" : "s");
  std::vector<std::size_t> sizes;
  for (const ComparisonRow& row : result.rows)
    if (sizes.empty() || sizes.back() != row.size) sizes.push_back(row.size);
  for (std::size_t size : sizes) {
    std::vector<const ComparisonRow*> rows;
    for (const ComparisonRow& row : result.rows)
      if (row.size == size) rows.push_back(&row);
    text += fmt::format("\n## {}\n\n{}{}", size_name(size), table_of(rows), failures_of(rows));
    if (!rows.back()->curve.empty()) text += fmt::format("\n### By cutoff\n\n{}", curve_of(rows));
  }
  return text;
}

}  // namespace dorm
