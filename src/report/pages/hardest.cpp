// SPDX-License-Identifier: Apache-2.0
// Where a model fails: the spread of its measure over queries, the worst queries with their lists, and
// any other by name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/pages/lists.h"
#include "report/pages/quality.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kHardest = 10;         // queries shown with their lists
constexpr std::size_t kFound = 10'000;       // queries that the search box knows
constexpr std::size_t kFoundWithList = 120;  // with their lists
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
  report::Table table{.caption = fmt::format("{}: {} {:.4f}", query.id, measure.name, measure.per_query[list.query]),
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

/// The hardest ones, and others evenly spaced up to the easiest.
std::vector<std::size_t> with_lists(const std::vector<std::size_t>& order) {
  if (order.size() <= kFoundWithList) return order;
  const std::size_t hard = kFoundWithList / 2, others = kFoundWithList - hard, rest = order.size() - hard;
  std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(hard));
  for (std::size_t k = 1; k <= others; ++k) chosen.push_back(order[hard + k * rest / others - 1]);
  return chosen;
}

/// All queries by name and figures, some with their lists.
report::Finder finder_of(const Model& model, const Judgement& judgement, const std::vector<std::size_t>& order,
                         const Rival& rival, std::size_t threads) {
  const MeasureResult& measure = judgement.table.measures[0];
  report::Finder finder{.title = "Any query",
                        .what = "query",
                        .facts = {report::number_column(measure.name), report::count_column("documents")},
                        .columns = list_columns(model, *judgement.data)};
  if (rival.per_query) finder.facts.push_back(report::number_column("gain over " + rival.name));
  std::vector<QueryList> lists = lists_of(model, judgement, with_lists(order), threads);
  std::vector<QueryList*> list_of_query(judgement.data->num_queries(), nullptr);
  for (QueryList& list : lists) list_of_query[list.query] = &list;
  for (std::size_t k = 0; k < std::min(order.size(), kFound); ++k) {
    const std::size_t q = order[k];
    report::Finder::Entry entry{
        std::string(judgement.data->query(q).id), {measure.per_query[q], judgement.data->query(q).size()}, {}};
    if (rival.per_query) entry.facts.emplace_back(measure.per_query[q] - (*rival.per_query)[q]);
    if (list_of_query[q]) entry.rows = std::move(list_of_query[q]->rows);
    finder.entries.push_back(std::move(entry));
  }
  if (finder.entries.size() < order.size())
    finder.caption = fmt::format("The {} hardest of {} queries are on this page. ", kFound, order.size());
  if (lists.size() < order.size())
    finder.caption += fmt::format(
        "{} have their lists with them: the hardest, and others evenly spaced, so that the "
        "page stays small.",
        lists.size());
  return finder;
}

}  // namespace

report::Section hardest_section(const Model& model, const Judgement& judgement, const Rival& rival,
                                std::size_t threads) {
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
  section.blocks.push_back(finder_of(model, judgement, order, rival, threads));
  return section;
}

}  // namespace dorm::pages
