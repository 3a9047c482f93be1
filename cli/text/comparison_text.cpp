// SPDX-License-Identifier: Apache-2.0
#include "text/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/output.h"
#include "text/tune_text.h"

namespace dorm::cli {
namespace {

using Lines = std::vector<std::vector<std::string>>;

// "0.4821*" for the one tested against, "0.4790 " for one that no test tells apart from it, "0.4512-" for one that is
// worse, "+" for better.
std::string shown(const ComparisonFigure& figure) {
  if (std::isnan(figure.result.mean)) return "- ";
  const char* mark = " ";
  if (figure.reference) mark = "*";
  if (figure.p_holm < 0.05) mark = figure.test.mean_difference < 0 ? "-" : "+";
  return fmt::format("{:.4f}{}{}", figure.result.mean, mark, figure.degenerate ? "!" : "");
}

std::vector<std::string> line_of(const ComparisonRow& row, std::size_t measures) {
  std::vector<std::string> line = {row.method};
  if (!row.failure.empty()) {
    line.insert(line.end(), measures + 3, "-");
    return line;
  }
  const ComparisonFigure& first = row.figures.front();
  line.push_back(fmt::format("{:.4f}..{:.4f}", first.result.low, first.result.high));
  for (const ComparisonFigure& figure : row.figures) line.push_back(shown(figure));
  line.push_back(first.chosen.empty() ? "" : fmt::format("{:.2f}", first.seconds));
  line.push_back(first.support_vectors > 0 ? fmt::format("{:.0f}", first.support_vectors) : "");
  return line;
}

std::string curve_text(const std::vector<const ComparisonRow*>& rows) {
  Lines lines = {{"method"}};
  for (const MeasureResult& point : rows.back()->curve) lines[0].push_back(point.name);
  for (const ComparisonRow* row : rows) {
    if (row->curve.empty()) continue;
    lines.push_back({row->method});
    for (const MeasureResult& point : row->curve) lines.back().push_back(fmt::format("{:.4f}", point.mean));
  }
  return aligned(lines);
}

/// What it costs to serve each, where the verdict or a model that is brought asks for it.
std::string costs_text(const std::vector<const ComparisonRow*>& rows) {
  std::size_t width = 0;
  for (const ComparisonRow* row : rows) width = std::max(width, row->method.size());
  std::string text;
  for (const ComparisonRow* row : rows)
    if (row->serving) text += fmt::format("{:<{}}  {}\n", row->method, width, serving_text(*row->serving));
  return text;
}

std::string size_text(const std::vector<const ComparisonRow*>& rows, const std::vector<ComparedTrees>& trees) {
  const ComparisonRow& ideal = *rows.back();
  Lines lines = {{"method", "95 % interval"}};
  for (const ComparisonFigure& figure : ideal.figures) lines[0].push_back(figure.measure + " ");
  lines[0].insert(lines[0].end(), {"seconds", "planes"});
  for (const ComparisonRow* row : rows) lines.push_back(line_of(*row, ideal.figures.size()));
  std::string text = ideal.size > 0 ? fmt::format("\n{} training queries\n", ideal.size) : "\n";
  text += aligned(lines, 1);  // the best comes first
  for (const ComparisonRow* row : rows)
    if (!row->failure.empty()) text += fmt::format("{}: {}\n", row->method, row->failure);
  const bool brought = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow* row) {
    return row->serving && row->figures.front().chosen.empty();
  });
  for (const ComparedTrees& each : trees)
    if (each.size == ideal.size) text += fmt::format("\n{}\n", each.text);
  if (!trees.empty() || brought) text += "\n" + costs_text(rows);
  if (!ideal.curve.empty()) text += "\nby cutoff\n" + curve_text(rows);
  return text;
}

Json figure_json(const ComparisonFigure& figure) {
  Json out = {{"mean", figure.result.mean},       {"low", figure.result.low},         {"high", figure.result.high},
              {"queries", figure.result.queries}, {"skipped", figure.result.skipped}, {"reference", figure.reference}};
  if (!std::isnan(figure.p_holm))
    out.update({{"difference", figure.test.mean_difference},
                {"p_t", figure.test.p_t},
                {"p_permutation", figure.test.p_permutation},
                {"p_holm", figure.p_holm}});
  if (!figure.chosen.empty())
    out.update({{"chosen", figure.chosen},
                {"candidates", figure.candidates},
                {"seconds", figure.seconds},
                {"tuning_seconds", figure.tuning_seconds},
                {"support_vectors", figure.support_vectors},
                {"degenerate", figure.degenerate},
                {"passes", figure.passes}});
  return out;
}

}  // namespace

std::string comparison_text(const ComparisonResult& result) {
  std::string text = fmt::format(
      "{} test queries, {} split{}; interval of the first measure\n"
      "* tested against; - worse, + better than that (p < 0.05, permutation test, Holm)\n"
      "! degenerate: its optimum explains no more risk than a constant, so doubt its figure\n",
      result.test_queries, result.splits, result.splits == 1 ? "" : "s");
  for (std::size_t first = 0, last = 0; first < result.rows.size(); first = last) {
    std::vector<const ComparisonRow*> rows;
    for (; last < result.rows.size() && result.rows[last].size == result.rows[first].size; ++last)
      rows.push_back(&result.rows[last]);
    text += size_text(rows, result.trees);
  }
  return text;
}

Json comparison_json(const ComparisonResult& result) {
  Json rows = Json::array();
  for (const ComparisonRow& row : result.rows) {
    Json out = {{"method", row.method}, {"size", row.size}};
    if (!row.failure.empty()) out["failure"] = row.failure;
    for (const ComparisonFigure& figure : row.figures) out["measures"][figure.measure] = figure_json(figure);
    for (const MeasureResult& point : row.curve) out["curve"][point.name] = point.mean;
    if (row.serving) out["serving"] = serving_json(*row.serving);
    rows.push_back(std::move(out));
  }
  Json trees = Json::array();
  for (const ComparedTrees& each : result.trees)
    trees.push_back({{"size", each.size},
                     {"difference", each.worth.difference},
                     {"interval", {each.worth.low, each.worth.high}},
                     {"linear", each.worth.linear.mean},
                     {"trees", each.worth.trees.mean},
                     {"text", each.text}});
  return {{"build", build_identity()}, {"test_queries", result.test_queries},
          {"splits", result.splits},   {"train_queries", result.train_queries},
          {"rows", std::move(rows)},   {"trees", std::move(trees)}};
}

}  // namespace dorm::cli
