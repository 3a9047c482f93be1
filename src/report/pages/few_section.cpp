// SPDX-License-Identifier: Apache-2.0
#include "report/pages/few_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace dorm::pages {

std::vector<std::string> left_out_after(const FeaturePath& path, std::size_t step) {
  std::vector<std::string> left_out = path.steps[step].features;
  if (step + 1 == path.steps.size()) return left_out;
  const std::vector<std::string>& next = path.steps[step + 1].features;
  std::erase_if(left_out, [&](const std::string& f) { return std::find(next.begin(), next.end(), f) != next.end(); });
  return left_out;
}

report::Section few_section(const FeaturePath& path, const std::string& measure) {
  report::Section section{"Features"};
  const FeatureStep& delivered = path.delivered();
  const bool costs = path.steps.front().cost != static_cast<double>(path.steps.front().features.size());
  section.blocks.push_back(report::Paragraph{
      .text = fmt::format("The model has {} of {} features: {}.", delivered.features.size(),
                          path.steps.front().features.size(), fmt::format("{}", fmt::join(delivered.features, ", ")))});
  report::Plot plot{.title = fmt::format("{} by number of features", measure),
                    .x = {.label = "features", .log = true},
                    .y = {.label = "validation " + measure},
                    .caption =
                        "Of queries that neither the weights nor the choice of features have seen. Band: 95 % "
                        "bootstrap interval over queries."};
  plot.series = {{.name = "validated"}, {.name = "this model", .mark = report::Series::Mark::points}};
  report::Series &line = plot.series[0], &model = plot.series[1];
  report::Table table{.caption = "Features that were dropped, the last ones to go first",
                      .columns = {report::count_column("features"), report::number_column(measure),
                                  report::text_column("dropped next")}};
  if (costs) table.columns.insert(table.columns.begin() + 1, report::significant_column("cost", 4));
  for (std::size_t k = path.steps.size(); k-- > 0;) {
    const FeatureStep& step = path.steps[k];
    const ValidatedFigure& figure = step.validated;
    line.x.push_back(static_cast<double>(step.features.size()));
    line.y.push_back(figure.mean);
    line.low.push_back(figure.low);
    line.high.push_back(figure.high);
    if (step.delivered) {
      model.x = {line.x.back()};
      model.y = {figure.mean};
    }
    report::Cell value(figure.mean, figure.low, figure.high);
    value.best = step.delivered;
    std::vector<report::Cell> row = {step.features.size(), value,
                                     fmt::format("{}", fmt::join(left_out_after(path, k), ", "))};
    if (costs) row.insert(row.begin() + 1, report::Cell(step.cost));
    table.rows.push_back(std::move(row));
  }
  section.blocks.emplace_back(std::move(plot));
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace dorm::pages
