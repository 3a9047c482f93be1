// SPDX-License-Identifier: Apache-2.0
// Comparisons as the paper's tables, and experiments as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiment/data_sets.h"
#include "lab/experiment/experiments.h"

namespace dorm {
namespace {

std::string interval_text(const MeasureResult& result) {
  return fmt::format("{} [{}, {}]", percent(result.mean), percent(result.low), percent(result.high));
}

}  // namespace

std::string percent(double value) { return std::isnan(value) ? "-" : fmt::format("{:.2f}", 100 * value); }

Spread spread_of(std::span<const double> values) {
  Spread out;
  for (const double x : values)
    if (!std::isnan(x)) out.mean += x, ++out.count;
  out.mean /= static_cast<double>(out.count);
  for (const double x : values)
    if (!std::isnan(x)) out.deviation += (x - out.mean) * (x - out.mean);
  out.deviation = out.count > 1 ? std::sqrt(out.deviation / static_cast<double>(out.count - 1)) : 0;
  return out;
}

std::string cells_folder(const Laboratory& laboratory) {
  return laboratory.options.directory.empty() ? "" : laboratory.options.directory + "/cells";
}

bool compare_on(const std::string& data, const std::vector<DataSplit>& splits, ComparisonOptions options,
                const Laboratory& laboratory, ExperimentResult& result, std::size_t sets) {
  options.threads = laboratory.options.threads;
  if (!options.sample_seed) options.seed = laboratory.options.seed;
  options.choice = laboratory.options.choice;
  options.directory = cells_folder(laboratory);
  const ComparisonObserver observer = [&](ComparisonProgress progress) {
    progress.set = data;
    progress.set_number = result.comparisons.size() + 1;
    progress.sets = sets;
    return !laboratory.observer || laboratory.observer(progress);
  };
  ComparisonResult compared = run_comparison(splits, options, observer);
  result.comparisons.emplace_back(data, std::move(compared));
  result.complete = result.comparisons.back().second.complete;
  return result.complete;
}

std::vector<std::string> web_sets(const Laboratory& laboratory) {
  std::vector<std::string> present;
  for (const char* name : {"mq2008", "mq2007-sample"})
    if (has_data_set(laboratory.options.data_directory, name)) present.emplace_back(name);
  if (present.empty()) require_data_set(laboratory.options.data_directory, "mq2008");
  return present;
}

report::Table figures_table(std::string caption, const ComparisonResult& result, std::size_t size) {
  report::Table table{std::move(caption), {report::text_column("method")}};
  for (const ComparisonRow& row : result.rows) {
    if (row.size != size) continue;
    std::vector<report::Cell>& line = table.rows.emplace_back();
    line.emplace_back(row.method);
    for (const ComparisonFigure& figure : row.figures) {
      if (line.size() > table.columns.size() - 1) table.columns.push_back(report::text_column(figure.measure));
      line.emplace_back(interval_text(figure.result) + (figure.reference ? " *" : ""));
    }
  }
  return table;
}

report::Table sizes_table(std::string caption, const ComparisonResult& result, std::size_t measure) {
  report::Table table{std::move(caption), {report::text_column("method")}};
  std::vector<std::size_t> sizes;
  for (const ComparisonRow& row : result.rows) {
    if (std::find(sizes.begin(), sizes.end(), row.size) == sizes.end()) {
      sizes.push_back(row.size);
      table.columns.push_back(report::text_column(row.size == 0 ? "all" : std::to_string(row.size)));
    }
    const auto line = std::find_if(table.rows.begin(), table.rows.end(),
                                   [&](const auto& cells) { return cells[0].text == row.method; });
    const std::string shown = row.figures.empty() ? "-" : percent(row.figures[measure].result.mean);
    if (line == table.rows.end())
      table.rows.push_back({row.method, shown});
    else
      line->emplace_back(shown);
  }
  return table;
}

std::string experiment_csv(const ExperimentResult& result) {
  std::vector<std::string> fields = {"dorm " + build_identity()};
  std::string text = report::csv_line(fields);
  for (const report::Table& table : result.tables) {
    text += "\n" + report::csv_line(std::span(&table.caption, 1));
    fields.clear();
    for (const report::Column& column : table.columns) fields.push_back(column.name);
    text += report::csv_line(fields);
    for (const auto& row : table.rows) {
      fields.clear();
      for (const report::Cell& cell : row) fields.push_back(cell.text);
      text += report::csv_line(fields);
    }
  }
  return text;
}

std::string experiment_markdown(const ExperimentResult& result) {
  std::string text = fmt::format("# {}: {}\n", result.name, result.title);
  if (!result.paper.empty()) text += fmt::format("\nThe paper: {}\n", result.paper);
  if (!result.difference.empty()) text += fmt::format("\nWhere we differ: {}\n", result.difference);
  for (const std::string& remark : result.remarks) text += fmt::format("\n{}\n", remark);
  text += fmt::format("\ndorm {}\n", build_identity());
  for (const report::Table& table : result.tables)
    text += fmt::format("\n## {}\n\n{}", table.caption, report::to_markdown(table));
  return text;
}

}  // namespace dorm
