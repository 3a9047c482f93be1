// SPDX-License-Identifier: Apache-2.0
// Where a model fails: the spread of its measure over queries, the worst queries with their lists, and all of
// them to explore.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/pages/evidence.h"
#include "report/pages/lists.h"
#include "report/pages/query_lists.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kHardest = 10;  // queries shown with their lists
constexpr std::size_t kBins = 10;

double largest_label(const Query& query) { return *std::max_element(query.labels.begin(), query.labels.end()); }

std::size_t count_best(const Query& query) {
  return static_cast<std::size_t>(
      std::count(query.labels.begin(), query.labels.end(), static_cast<float>(largest_label(query))));
}

/// Lowest value first; among equals the longer lists, where there was more to lose. Without skipped queries.
std::vector<std::size_t> hardest_first(const Judgement& judgement) {
  const std::vector<double>& values = judgement.table.measures[0].per_query;
  std::vector<std::size_t> order;
  for (std::size_t q = 0; q < values.size(); ++q)
    if (!std::isnan(values[q])) order.push_back(q);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (values[a] != values[b]) return values[a] < values[b];
    return judgement.data->query(a).size() > judgement.data->query(b).size();
  });
  return order;
}

report::Table folded_list(const Model& model, const Judgement& judgement, const QueryList& list) {
  const Query query = judgement.data->query(list.query);
  const MeasureResult& measure = judgement.table.measures[0];
  report::Table table{
      .caption = fmt::format("{}: {} {:.4f}", query_caption(*judgement.data, list.query, judgement.texts), measure.name,
                             measure.per_query[list.query]),
      .columns = list_columns(model, *judgement.data),
      .rows = list.rows,
      .order = report::Table::Order{0, false},
      .folded = true};
  if (table.rows.size() < query.size())
    table.footnotes.push_back(
        fmt::format("{} of {} documents: the first ones, and best ones below them.", table.rows.size(), query.size()));
  return table;
}

report::Bars spread_of(const MeasureResult& measure) {
  // The measures of a convention may exceed 1 (DCG): bins reach to the largest value.
  double top = 1;
  for (const double value : measure.per_query)
    if (std::isfinite(value)) top = std::max(top, value);
  std::vector<double> counts(kBins, 0.0);
  for (const double value : measure.per_query)
    if (std::isfinite(value))
      ++counts[std::min(kBins - 1, static_cast<std::size_t>(std::max(0.0, value / top) * kBins))];
  report::Bars bars{.title = fmt::format("Queries by their {}", measure.name),
                    .value = {.label = "queries", .whole = true}};
  for (std::size_t k = 0; k < kBins; ++k)
    bars.categories.push_back(fmt::format("{:.3g} to {:.3g}", top * static_cast<double>(k) / kBins,
                                          top * static_cast<double>(k + 1) / kBins));
  bars.groups.push_back({"", std::move(counts)});
  return bars;
}

/// The model first, then what it is compared with.
std::vector<ExploredRanker> rankers_of(const Model& model, const Judgement& judgement, const Evidence& evidence) {
  std::vector<ExploredRanker> rankers = {
      {"this model", &judgement.table.measures[0].per_query, &judgement.scores, &model}};
  if (evidence.held_out) rankers.push_back({"the cell with the largest share, held out", &evidence.figure.per_query});
  for (const Yardstick& yardstick : evidence.yardsticks)
    rankers.push_back(
        {yardstick.name, &yardstick.figure.per_query, yardstick.scores.empty() ? nullptr : &yardstick.scores});
  return rankers;
}

}  // namespace

report::Section hardest_section(const Model& model, const Judgement& judgement, std::size_t threads) {
  const MeasureResult& measure = judgement.table.measures[0];
  report::Table table{.caption = fmt::format("The {} hardest queries", kHardest),
                      .columns = {report::text_column("query"), report::number_column(measure.name),
                                  report::count_column("documents"), report::significant_column("best label", 4),
                                  report::count_column("with it", "documents with the best label")},
                      .order = report::Table::Order{1, false}};
  report::Section section{"Hardest queries"};
  const std::vector<std::size_t> order = hardest_first(judgement);
  const auto shown = std::span(order).first(std::min(kHardest, order.size()));
  for (const std::size_t q : shown) {
    const Query query = judgement.data->query(q);
    table.rows.push_back(
        {std::string(query.id), measure.per_query[q], query.size(), largest_label(query), count_best(query)});
  }
  section.blocks.push_back(spread_of(measure));
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(report::Paragraph{"Their lists, as the model orders them:"});
  for (const QueryList& list : lists_of(model, judgement, shown, threads))
    section.blocks.push_back(folded_list(model, judgement, list));
  return section;
}

report::Section every_query_section(const Model& model, const Judgement& judgement, const Evidence& evidence,
                                    const std::string& data) {
  const MeasureResult& measure = judgement.table.measures[0];
  const std::vector<std::size_t> order = hardest_first(judgement);
  const std::vector<ExploredRanker> rankers = rankers_of(model, judgement, evidence);
  report::Queries block =
      explored_queries(*judgement.data, rankers, measure.name, {.convention = judgement.table.convention}, order,
                       first_and_spaced(order, kQueriesWithLists), judgement.texts);
  block.data = data;
  for (std::size_t r = 1; r < rankers.size(); ++r)
    if (!block.second || rankers[r].scores) block.second = r;
  block.caption = pruned_text(block, order.size(), "the hardest, and others evenly spaced up to the easiest");
  return {"Every query", {std::move(block)}};
}

}  // namespace dorm::pages
