// SPDX-License-Identifier: Apache-2.0
#include "report/pages/grid_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dorm/data/prepare.h"
#include "dorm/tune.h"
#include "report/pages/words.h"

namespace dorm::pages {
namespace {

constexpr double kNearlyFull = 0.7;  // share of a heat map that was tried

/// The axis of a path: C, or of trees their leaves.
double axis_of(const GridPoint& cell) { return cell.trees ? static_cast<double>(cell.leaves) : cell.C; }

constexpr const char* kTrees = "trees";  // what points of trees are gathered under, which are trained for no measure

std::string group_of(const GridPoint& cell) { return cell.trees ? kTrees : cell.measure; }

std::string C_text(double C) { return C < 1000 ? fmt::format("{:.4g}", C) : fmt::format("{:.0f}", C); }

std::string setting_of(const GridPoint& cell) {
  const std::string curves = cell.curves == "none" ? "" : ", curves " + cell.curves;
  if (!cell.bound) return start_name(cell) + curves;
  return fmt::format("{}, {} from {}{}", cell.decay, name_of(*cell.bound), name_of(cell.start), curves);
}

std::string of_cells(const std::string& trained_for) {
  if (trained_for == kTrees) return trained_for;
  return trained_for.empty() ? "initial models" : "grid points trained for " + trained_for;
}

/// Settings by C, of the cells trained for one measure.
report::Heatmap heatmap_of(const TuneResult& tuned, const GridPoint& chosen, const std::string& trained_for,
                           const std::string& measure) {
  report::Heatmap map{.title = fmt::format("Validation {} of {}", measure, of_cells(trained_for)),
                      .row_label = trained_for.empty() ? "ranker" : "decay, bound",
                      .column_label = trained_for == kTrees ? "leaves" : "C"};
  std::set<double> grid;
  for (const GridPoint& cell : tuned.points)
    if (group_of(cell) == trained_for) grid.insert(axis_of(cell));
  for (const double C : grid) map.columns.push_back(C_text(C));
  for (const GridPoint& cell : tuned.points) {
    if (group_of(cell) != trained_for) continue;
    const std::string setting = setting_of(cell);
    auto row = static_cast<std::size_t>(std::find(map.rows.begin(), map.rows.end(), setting) - map.rows.begin());
    if (row == map.rows.size()) {
      map.rows.push_back(setting);
      map.values.emplace_back(grid.size(), report::kMissing);
    }
    const auto column = static_cast<std::size_t>(std::distance(grid.begin(), grid.find(axis_of(cell))));
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
  report::Plot plot{
      .title = fmt::format("{} by {}, {}", measure, trained_for == kTrees ? "leaves" : "C", of_cells(trained_for)),
      .x = {.label = trained_for == kTrees ? "leaves" : "C", .log = true},
      .y = {.label = "validation " + measure},
      .caption = "Bands: one standard error; of more than three lines, of the one under the pointer."};
  std::vector<const GridPoint*> cells;
  for (const GridPoint& cell : tuned.points)
    if (group_of(cell) == trained_for) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const GridPoint* a, const GridPoint* b) { return axis_of(*a) < axis_of(*b); });
  for (const GridPoint* cell : cells) {
    const std::string name = setting_of(*cell);
    auto line =
        std::find_if(plot.series.begin(), plot.series.end(), [&](const report::Series& s) { return s.name == name; });
    if (line == plot.series.end()) line = plot.series.insert(plot.series.end(), report::Series{.name = name});
    line->x.push_back(axis_of(*cell));
    line->y.push_back(cell->validation);
    line->low.push_back(cell->validation - cell->standard_error);
    line->high.push_back(cell->validation + cell->standard_error);
  }
  return plot;
}

/// Values fold after fold; here they stand in the order of the queries.
MeasureResult by_query(const std::vector<double>& values, double mean_value, const std::string& measure,
                       const std::vector<std::size_t>& order) {
  MeasureResult out;
  out.name = measure;
  out.mean = mean_value;
  out.per_query.assign(order.size(), report::kMissing);
  for (std::size_t k = 0; k < order.size(); ++k) out.per_query[order[k]] = values[k];
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
    if (std::find(trained_for.begin(), trained_for.end(), group_of(cell)) == trained_for.end())
      trained_for.push_back(group_of(cell));
  std::vector<report::Block> plots, maps;
  for (const std::string& name : trained_for) {
    report::Heatmap map = heatmap_of(tuned, chosen, name, measure);
    if (map.columns.size() > 1) plots.emplace_back(path_plot(tuned, name, measure));
    if (map.columns.size() == 1 || nearly_full(map)) maps.emplace_back(std::move(map));
  }
  for (report::Block& map : maps) plots.push_back(std::move(map));
  return plots;
}

namespace {

/// The queries in the order in which folds hold them out.
std::vector<std::size_t> order_of_folds(const TrainingReportData& report_data, const TuningReportData& tuning) {
  std::vector<std::size_t> order;
  const TuneOptions& options = tuning.options;
  for (const std::vector<std::size_t>& part : folds(report_data.train, options.folds, options.train.solve.seed))
    order.insert(order.end(), part.begin(), part.end());
  return order;
}

/// The delivered ranker, as the folds saw it; nothing where no fold was finished.
std::optional<Evidence> figure_of_folds(const TuningReportData& tuning, const std::vector<std::size_t>& order) {
  const ValidatedFigure& validated = tuning.tuned.validated;
  if (validated.per_query.size() != order.size()) return std::nullopt;
  Evidence evidence{.figure = by_query(validated.per_query, validated.mean, tuning.options.train.measure, order),
                    .on = tuning.judged_on + ", each held out in turn",
                    .held_out = true};
  evidence.figure.low = validated.low;
  evidence.figure.high = validated.high;
  return evidence;
}

void add_production(const TrainingReportData& report_data, const TrainOptions& options, std::size_t threads,
                    Evidence& evidence) {
  if (report_data.baseline)
    evidence.yardsticks.push_back(
        production_yardstick(*report_data.baseline, report_data.train, options.measure, options.convention, threads));
}

}  // namespace

std::optional<Evidence> evidence_of_folds(const TrainingReportData& report_data, const TuningReportData& tuning,
                                          std::size_t threads) {
  const TuneResult& tuned = tuning.tuned;
  if (report_data.test || report_data.valid || tuned.points.empty() || report_data.train.num_features() == 0)
    return std::nullopt;
  const TrainOptions& options = tuning.options.train;
  const std::vector<std::size_t> order = order_of_folds(report_data, tuning);
  const GridPoint* ridge = nullptr;
  for (const GridPoint& cell : tuned.points)
    if (!cell.bound && !cell.trees && cell.start == InitialModel::ridge && cell.share < 1 &&
        cell.per_query.size() == order.size() && (!ridge || cell.validation > ridge->validation))
      ridge = &cell;
  std::optional<Evidence> evidence = figure_of_folds(tuning, order);
  if (!evidence) return evidence;
  evidence->yardsticks.push_back(single_feature_yardstick(report_data.train, report_data.train, options.measure,
                                                          options.convention, threads, evidence->remarks));
  if (ridge)
    evidence->yardsticks.push_back(
        {.name = "ridge regression", .figure = by_query(ridge->per_query, ridge->validation, options.measure, order)});
  add_production(report_data, options, threads, *evidence);
  evidence->remarks.emplace_back(
      "The best single feature was chosen on the data it is evaluated on, which favours it a little.");
  test_yardsticks(*evidence);
  return evidence;
}

std::optional<Evidence> evidence_against(const TrainingReportData& report_data, const TuningReportData& tuning,
                                         std::size_t threads) {
  if (!report_data.baseline) return std::nullopt;
  if (report_data.test || report_data.valid) return evidence_against(report_data, threads);
  std::optional<Evidence> evidence = figure_of_folds(tuning, order_of_folds(report_data, tuning));
  if (!evidence) return evidence;
  add_production(report_data, tuning.options.train, threads, *evidence);
  test_yardsticks(*evidence);
  return evidence;
}

}  // namespace dorm::pages
