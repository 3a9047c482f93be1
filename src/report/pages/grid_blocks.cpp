// SPDX-License-Identifier: Apache-2.0
#include "report/pages/grid_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dorm/data/prepare.h"
#include "dorm/tune.h"

namespace dorm::pages {
namespace {

constexpr double kNearlyFull = 0.7;  // share of a heat map that was tried

std::string C_text(double C) { return C < 1000 ? fmt::format("{:.4g}", C) : fmt::format("{:.0f}", C); }

std::string setting_of(const GridPoint& cell) {
  if (!cell.bound) return std::string(name_of(cell.start));
  return fmt::format("{}, {} from {}", cell.decay, name_of(*cell.bound), name_of(cell.start));
}

std::string of_cells(const std::string& trained_for) {
  return trained_for.empty() ? "initial models" : "grid points trained for " + trained_for;
}

/// Settings by C, of the cells trained for one measure.
report::Heatmap heatmap_of(const TuneResult& tuned, const GridPoint& chosen, const std::string& trained_for,
                           const std::string& measure) {
  report::Heatmap map{.title = fmt::format("Validation {} of {}", measure, of_cells(trained_for)),
                      .row_label = trained_for.empty() ? "ranker" : "decay, bound",
                      .column_label = "C"};
  std::set<double> grid;
  for (const GridPoint& cell : tuned.points)
    if (cell.measure == trained_for) grid.insert(cell.C);
  for (const double C : grid) map.columns.push_back(C_text(C));
  for (const GridPoint& cell : tuned.points) {
    if (cell.measure != trained_for) continue;
    const std::string setting = setting_of(cell);
    auto row = static_cast<std::size_t>(std::find(map.rows.begin(), map.rows.end(), setting) - map.rows.begin());
    if (row == map.rows.size()) {
      map.rows.push_back(setting);
      map.values.emplace_back(grid.size(), report::kMissing);
    }
    const auto column = static_cast<std::size_t>(std::distance(grid.begin(), grid.find(cell.C)));
    map.values[row][column] = cell.validation;
    if (&cell == &chosen) map.mark = report::Heatmap::Mark{row, column, "largest share"};
  }
  return map;
}

bool nearly_full(const report::Heatmap& map) {
  std::size_t known = 0;
  for (const auto& row : map.values)
    known += static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](double v) { return std::isfinite(v); }));
  return static_cast<double>(known) >= kNearlyFull * static_cast<double>(map.rows.size() * map.columns.size());
}

/// A line per setting, with a band of one standard error.
report::Plot path_plot(const TuneResult& tuned, const std::string& trained_for, const std::string& measure) {
  report::Plot plot{.title = fmt::format("{} by C, {}", measure, of_cells(trained_for)),
                    .x = {.label = "C", .log = true},
                    .y = {.label = "validation " + measure},
                    .caption = "Bands: one standard error; of more than three lines, of the one under the pointer."};
  std::vector<const GridPoint*> cells;
  for (const GridPoint& cell : tuned.points)
    if (cell.measure == trained_for) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(), [](const GridPoint* a, const GridPoint* b) { return a->C < b->C; });
  for (const GridPoint* cell : cells) {
    const std::string name = setting_of(*cell);
    auto line =
        std::find_if(plot.series.begin(), plot.series.end(), [&](const report::Series& s) { return s.name == name; });
    if (line == plot.series.end()) line = plot.series.insert(plot.series.end(), report::Series{.name = name});
    line->x.push_back(cell->C);
    line->y.push_back(cell->validation);
    line->low.push_back(cell->validation - cell->standard_error);
    line->high.push_back(cell->validation + cell->standard_error);
  }
  return plot;
}

/// Cells keep their values fold after fold; here they stand in the order of the queries.
MeasureResult by_query(const GridPoint& cell, const std::string& measure, const std::vector<std::size_t>& order) {
  MeasureResult out;
  out.name = measure;
  out.mean = cell.validation;
  out.per_query.assign(order.size(), report::kMissing);
  for (std::size_t k = 0; k < order.size(); ++k) out.per_query[order[k]] = cell.per_query[k];
  const PairedTest mean = compare(out.per_query, std::vector<double>(order.size(), 0.0));
  out.low = mean.low;
  out.high = mean.high;
  out.queries = mean.queries;
  return out;
}

}  // namespace

std::vector<report::Block> grid_pictures(const TuningReportData& tuning) {
  const TuneResult& tuned = tuning.tuned;
  const std::string& measure = tuning.options.train.measure;
  const GridPoint& chosen = *std::max_element(tuned.points.begin(), tuned.points.end(),
                                              [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
  std::vector<std::string> trained_for;
  for (const GridPoint& cell : tuned.points)
    if (std::find(trained_for.begin(), trained_for.end(), cell.measure) == trained_for.end())
      trained_for.push_back(cell.measure);
  std::vector<report::Block> plots, maps;
  for (const std::string& name : trained_for) {
    report::Heatmap map = heatmap_of(tuned, chosen, name, measure);
    if (map.columns.size() > 1) plots.emplace_back(path_plot(tuned, name, measure));
    if (map.columns.size() == 1 || nearly_full(map)) maps.emplace_back(std::move(map));
  }
  for (report::Block& map : maps) plots.push_back(std::move(map));
  return plots;
}

std::optional<Evidence> evidence_of_folds(const TrainingReportData& report_data, const TuningReportData& tuning,
                                          std::size_t threads) {
  const TuneResult& tuned = tuning.tuned;
  if (report_data.valid || tuned.points.empty() || report_data.train.num_features() == 0) return std::nullopt;
  const TrainOptions& options = tuning.options.train;
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& part : folds(report_data.train, tuning.options.folds, options.solve.seed))
    order.insert(order.end(), part.begin(), part.end());
  const GridPoint* chosen = nullptr;
  const GridPoint* ridge = nullptr;
  for (const GridPoint& cell : tuned.points) {
    if (cell.per_query.size() != order.size()) return std::nullopt;
    if (!chosen || cell.share > chosen->share) chosen = &cell;
    if (!cell.bound && cell.start == InitialModel::ridge && (!ridge || cell.validation > ridge->validation))
      ridge = &cell;
  }
  Evidence evidence{.figure = by_query(*chosen, options.measure, order),
                    .on = tuning.judged_on + ", each held out in turn",
                    .held_out = true};
  evidence.yardsticks.push_back(single_feature_yardstick(report_data.train, report_data.train, options.measure,
                                                         options.convention, threads, evidence.remarks));
  if (ridge && ridge != chosen)
    evidence.yardsticks.push_back({.name = "ridge regression", .figure = by_query(*ridge, options.measure, order)});
  if (std::isfinite(tuned.validated.mean)) {  // of what is delivered
    evidence.figure.mean = tuned.validated.mean;
    evidence.figure.low = tuned.validated.low;
    evidence.figure.high = tuned.validated.high;
    evidence.remarks.emplace_back("Tests use the values of the grid point with the largest share.");
  }
  evidence.remarks.emplace_back(
      "The best single feature was chosen on the data it is evaluated on, which favours it a little.");
  test_yardsticks(evidence);
  return evidence;
}

}  // namespace dorm::pages
