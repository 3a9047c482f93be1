// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/pages/comparison_blocks.h"

namespace dorm {
namespace {

constexpr std::size_t kMostLines = 7;  // of methods that lie close together

std::string titled(const std::string& data, const std::string& title) {
  return data.empty() ? title : fmt::format("{}: {}", data, title);
}

/// Of more than three lines the page shows the band of the first alone, until the pointer is on another.
std::string bands_text(std::size_t lines) {
  return lines > 3 ? "Band: 95 % bootstrap interval of the best over test queries; those of the others are shown where "
                     "the pointer is on their line."
                   : "Bands: 95 % bootstrap intervals over test queries.";
}

std::string selection_text(std::size_t shown, std::size_t all, const std::string& measure) {
  if (shown == all) return "";
  return fmt::format("The best {} of {} methods by {}. ", shown, all, measure);
}

double training_queries(const ComparisonResult& result, std::size_t size) {
  if (size > 0) return static_cast<double>(size);
  const auto& counts = result.train_queries;
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0})) /
         static_cast<double>(std::max<std::size_t>(1, counts.size()));
}

const ComparisonRow* find_method(const ComparisonRows& rows, const std::string& method) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow* row) {
    return row->method == method && row->failure.empty();
  });
  return found == rows.end() ? nullptr : *found;
}

report::Forest::Told told_of(const ComparisonFigure& figure) {
  if (figure.reference) return report::Forest::Told::reference;
  if (std::isnan(figure.p_holm)) return report::Forest::Told::nothing;
  if (figure.p_holm >= 0.05) return report::Forest::Told::same;
  return figure.test.mean_difference > 0 ? report::Forest::Told::better : report::Forest::Told::worse;
}

/// Every method by every measure, the best by the first measure on top.
report::Forest measure_forest(const ComparisonRows& rows, const std::string& data) {
  report::Forest forest{.title = titled(data, "All methods by every measure"),
                        .caption =
                            "Lines: 95 % bootstrap intervals over queries. Tests are paired, so that intervals which "
                            "overlap may still differ significantly (permutation test, Holm's correction, 0.05)."};
  const ComparisonRows shown = ranked_methods(rows, 0);
  for (const ComparisonRow* row : shown) forest.rows.push_back(row->method);
  for (std::size_t m = 0; m < rows.back()->figures.size(); ++m) {
    report::Forest::Panel panel{.value = {.label = rows.back()->figures[m].measure}};
    for (const ComparisonRow* row : shown) {
      const ComparisonFigure& figure = row->figures[m];
      const std::string p = std::isnan(figure.p_holm) ? "" : "p " + report::p_value_text(figure.p_holm);
      panel.points.push_back({figure.result.mean, figure.result.low, figure.result.high, told_of(figure), p});
    }
    forest.panels.push_back(std::move(panel));
  }
  return forest;
}

/// "10" of "ndcg@10".
double cutoff_in(const std::string& measure) {
  const std::size_t at = measure.find('@');
  return at == std::string::npos ? report::kMissing : std::strtod(measure.c_str() + at + 1, nullptr);
}

report::Plot cutoff_plot(const ComparisonRows& rows, const std::string& data) {
  const std::vector<MeasureResult>& points = rows.back()->curve;
  const std::string family = points[0].name.substr(0, points[0].name.find('@'));
  const ComparisonRows all = ranked_methods(rows, 0);
  const std::size_t shown = std::min(kMostLines, all.size());
  report::Plot plot{.title = titled(data, fmt::format("{} by cutoff", family)),
                    .x = {.label = "cutoff", .whole = true},
                    .y = {.label = family},
                    .caption = selection_text(shown, all.size(), rows.back()->figures[0].measure) + bands_text(shown)};
  for (std::size_t k = 0; k < shown; ++k) {
    report::Series line{.name = all[k]->method};
    for (const MeasureResult& point : all[k]->curve) {
      line.x.push_back(cutoff_in(point.name));
      line.y.push_back(point.mean);
      line.low.push_back(point.low);
      line.high.push_back(point.high);
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

/// One value per training size of each of the methods: a number, or a cell with its interval.
template <class Value>
report::Plot plot_by_size(const ComparisonResult& result, const std::vector<ComparisonRows>& sizes,
                          const ComparisonRows& methods, report::Plot plot, Value value) {
  for (const ComparisonRow* method : methods) {
    report::Series line{.name = method->method};
    for (const ComparisonRows& rows : sizes) {
      const ComparisonRow* row = find_method(rows, method->method);
      line.x.push_back(training_queries(result, rows.front()->size));
      const report::Cell cell = row ? report::Cell(value(*row)) : report::Cell(report::kMissing);
      line.y.push_back(cell.value);
      line.low.push_back(cell.low);
      line.high.push_back(cell.high);
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

/// The methods that are best by the first measure, so that a method looks the same in every plot.
report::Plot learning_curve(const ComparisonResult& result, const std::vector<ComparisonRows>& sizes,
                            std::size_t measure, const std::string& data) {
  const std::string& name = sizes.back().back()->figures[measure].measure;
  ComparisonRows methods = ranked_methods(sizes.back(), 0);
  const std::size_t all = methods.size();
  methods.resize(std::min(kMostLines, all));
  report::Plot plot{.title = titled(data, fmt::format("{} by training set size", name)),
                    .x = {.label = "training queries", .whole = true},
                    .y = {.label = name},
                    .caption = selection_text(methods.size(), all, sizes.back().back()->figures[0].measure) +
                               bands_text(methods.size())};
  return plot_by_size(result, sizes, methods, std::move(plot), [&](const ComparisonRow& row) {
    const MeasureResult& found = row.figures[measure].result;
    return report::Cell(found.mean, found.low, found.high);
  });
}

ComparisonRows timed_methods(const ComparisonRows& rows) {
  ComparisonRows methods;
  for (const ComparisonRow* row : ranked_methods(rows, 0))
    if (!row->figures[0].chosen.empty()) methods.push_back(row);
  return methods;
}

report::Plot seconds_by_size(const ComparisonResult& result, const std::vector<ComparisonRows>& sizes,
                             const std::string& data) {
  report::Plot plot{.title = titled(data, "seconds of training all candidates"),
                    .x = {.label = "training queries", .whole = true},
                    .y = {.label = "seconds", .log = true},
                    .caption = "Processor time, mean over splits."};
  return plot_by_size(result, sizes, timed_methods(sizes.back()), std::move(plot),
                      [](const ComparisonRow& row) { return row.figures[0].tuning_seconds; });
}

report::Plot quality_against_seconds(const ComparisonRows& rows, const std::string& data) {
  const std::string& name = rows.back()->figures[0].measure;
  report::Plot plot{.title = titled(data, fmt::format("{} against seconds", name)),
                    .x = {.label = "seconds of training the chosen model", .log = true},
                    .y = {.label = name},
                    .caption = "The upper left is good and cheap. Processor time, mean over splits."};
  for (const ComparisonRow* row : timed_methods(rows))
    plot.series.push_back({.name = row->method,
                           .x = {row->figures[0].seconds},
                           .y = {row->figures[0].result.mean},
                           .mark = report::Series::Mark::points});
  return plot;
}

}  // namespace

std::vector<report::Block> comparison_plots(const ComparisonResult& result, const std::string& data) {
  std::vector<report::Block> blocks;
  if (result.rows.empty()) return blocks;
  const std::vector<ComparisonRows> sizes = rows_by_size(result);
  const ComparisonRows& largest = sizes.back();
  const std::size_t measures = largest.back()->figures.size();
  if (!ranked_methods(largest, 0).empty()) blocks.emplace_back(measure_forest(largest, data));
  if (sizes.size() > 1) {
    for (std::size_t m = 0; m < measures; ++m) blocks.emplace_back(learning_curve(result, sizes, m, data));
    blocks.emplace_back(seconds_by_size(result, sizes, data));
  }
  if (!largest.back()->curve.empty()) blocks.emplace_back(cutoff_plot(largest, data));
  if (sizes.size() == 1 && !timed_methods(largest).empty()) blocks.emplace_back(quality_against_seconds(largest, data));
  return blocks;
}

}  // namespace dorm
