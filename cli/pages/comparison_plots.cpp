// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pages/comparison_blocks.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kMostLines = 7;  // of methods that lie close together

std::string titled(const std::string& data, const std::string& title) {
  return data.empty() ? title : fmt::format("{}: {}", data, title);
}

std::string selection_text(std::size_t shown, std::size_t all, const std::string& measure) {
  if (shown == all) return "";
  return fmt::format("The best {} of {} methods by {}.", shown, all, measure);
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

report::Bars measure_bars(const ComparisonRows& rows, std::size_t measure, const std::string& data) {
  const std::string& name = rows.back()->figures[measure].measure;
  report::Bars bars{.title = titled(data, fmt::format("{} by method", name)),
                    .value = {.label = name, .low = 0},
                    .groups = {{}},
                    .caption = "Lines: 95 % bootstrap intervals over queries."};
  ComparisonRows shown = ranked_methods(rows, measure);
  if (const ComparisonRow* random = find_method(rows, "random")) shown.push_back(random);
  for (const ComparisonRow* row : shown) {
    const MeasureResult& result = row->figures[measure].result;
    bars.categories.push_back(row->method);
    bars.groups[0].values.push_back(result.mean);
    bars.groups[0].low.push_back(result.low);
    bars.groups[0].high.push_back(result.high);
  }
  return bars;
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
                    .caption = selection_text(shown, all.size(), rows.back()->figures[0].measure)};
  for (std::size_t k = 0; k < shown; ++k) {
    report::Series line{.name = all[k]->method};
    for (const MeasureResult& point : all[k]->curve) {
      line.x.push_back(cutoff_in(point.name));
      line.y.push_back(point.mean);
    }
    plot.series.push_back(std::move(line));
  }
  return plot;
}

/// One value per training size of each of the methods.
template <class Value>
report::Plot plot_by_size(const ComparisonResult& result, const std::vector<ComparisonRows>& sizes,
                          const ComparisonRows& methods, report::Plot plot, Value value) {
  for (const ComparisonRow* method : methods) {
    report::Series line{.name = method->method};
    for (const ComparisonRows& rows : sizes) {
      const ComparisonRow* row = find_method(rows, method->method);
      line.x.push_back(training_queries(result, rows.front()->size));
      line.y.push_back(row ? value(*row) : report::kMissing);
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
                    .caption = selection_text(methods.size(), all, sizes.back().back()->figures[0].measure)};
  return plot_by_size(result, sizes, methods, std::move(plot),
                      [&](const ComparisonRow& row) { return row.figures[measure].result.mean; });
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
  if (sizes.size() > 1) {
    for (std::size_t m = 0; m < measures; ++m) blocks.emplace_back(learning_curve(result, sizes, m, data));
    blocks.emplace_back(seconds_by_size(result, sizes, data));
  }
  if (!largest.back()->curve.empty()) blocks.emplace_back(cutoff_plot(largest, data));
  if (sizes.size() == 1 && !timed_methods(largest).empty()) blocks.emplace_back(quality_against_seconds(largest, data));
  for (std::size_t m = 0; m < measures; ++m) blocks.emplace_back(measure_bars(largest, m, data));
  return blocks;
}

}  // namespace dorm::cli
