// SPDX-License-Identifier: Apache-2.0
// The grid that `dorm tune` went through, before the page of its model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/apps/pages.h"
#include "dorm/tune.h"
#include "report/pages/grid_blocks.h"
#include "report/pages/train_page.h"
#include "report/pages/words.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kShownCells = 20;  // a longer table is shown on request

report::Table grid_table(const TuneResult& tuned, const std::string& measure) {
  report::Table table{
      .caption = fmt::format("All {} grid points", tuned.points.size()),
      .columns = {report::number_column("share", 3), report::text_column("decay"), report::text_column("bound"),
                  report::text_column("start"), report::text_column("trained for"), report::significant_column("C", 4),
                  report::number_column("validation " + measure), report::number_column("standard error"),
                  report::number_column("explained risk", 3)},
      .order = report::Table::Order{6, true},
      .folded = tuned.points.size() > kShownCells};
  std::vector<const GridPoint*> cells;
  for (const GridPoint& cell : tuned.points) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const GridPoint* a, const GridPoint* b) { return a->validation > b->validation; });
  for (const GridPoint* cell : cells) {
    report::Cell share(cell->share);
    share.best = cell->chosen();
    report::Cell value(cell->validation);
    value.best = cell == cells.front();
    table.rows.push_back({share, cell->decay, std::string(cell->bound ? name_of(*cell->bound) : "none"),
                          start_name(*cell) + (cell->trees ? fmt::format(", {} leaves", cell->leaves) : ""),
                          cell->measure, cell->trees ? report::kMissing : cell->C, value, cell->standard_error,
                          cell->bound ? cell->explained_risk : report::kMissing});
  }
  return table;
}

report::Section grid_section(const TuningReportData& tuning, const Dataset& data) {
  const TuneResult& tuned = tuning.tuned;
  const std::string& measure = tuning.options.train.measure;
  const GridPoint& chosen = *std::max_element(tuned.points.begin(), tuned.points.end(),
                                              [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
  report::Section section{"Grid"};
  report::Facts facts{
      {{"judged on", tuning.judged_on}, {chosen.share == 1 ? "winner" : "largest share", cell_name(chosen)}}};
  if (!tuning.reason.empty()) facts.facts.push_back({"why", tuning.reason});
  if (tuned.worth) facts.facts.push_back({"linear or trees", worth_text(*tuned.worth, measure)});
  if (tuned.worth)
    for (const auto& [of, cost] : serving_costs(tuned, data)) facts.facts.push_back({of, serving_text(cost)});
  for (const CellsOut& out : cells_out(tuned))
    facts.facts.push_back({"dropped", fmt::format("{} grid point{}", out.cells, out.cells == 1 ? "" : "s"), out.rule});
  if (const std::string end = end_text(tuned); !end.empty()) section.blocks.push_back(report::Notice{.text = end});
  section.blocks.push_back(std::move(facts));
  for (report::Block& picture : grid_pictures(tuning)) section.blocks.push_back(std::move(picture));
  section.blocks.push_back(report::Paragraph{
      "Of a heat map, the stronger the shade, the better. What is missing was not tried: a path ends where its "
      "bound carries no information, or where a larger C does no better. C of ridge is 1 / lambda."});
  section.blocks.push_back(grid_table(tuned, measure));
  return section;
}

}  // namespace

// First what is honest: the figure on queries that were not trained on.
report::Report tune_page(const TrainingReportData& report_data, const TuningReportData& tuning, const Origin& origin) {
  const std::string& measure = tuning.options.train.measure;
  const ValidatedFigure& figure = tuning.tuned.validated;
  report::Report page = training_page(report_data, evidence_of_folds(report_data, tuning, origin.threads), origin);
  page.title = fmt::format("A ranker tuned for {}", measure);
  page.summary = fmt::format("Tuned on {}; {} {}, which the evaluated rankers were not trained on.",
                             report_data.train_name, measure, validated_text(figure, tuning.judged_on));
  if (tuning.tuned.model.tested)
    page.summary += fmt::format(" Then tested once, {}.", tested_text(*tuning.tuned.model.tested));
  if (report_data.valid && !report_data.test) page.highlights.erase(page.highlights.begin());  // the same figure
  page.highlights.insert(
      page.highlights.begin() + (report_data.test ? 1 : 0),
      {fmt::format("{}, {}", measure, report_data.valid ? "validated" : "cross-validated"),
       fmt::format("{:.4f}", figure.mean),
       std::isnan(figure.low) ? "" : fmt::format("95 % interval [{:.4f}, {:.4f}]", figure.low, figure.high)});
  page.sections.insert(page.sections.begin(), grid_section(tuning, report_data.train));
  return page;
}

}  // namespace dorm::pages
