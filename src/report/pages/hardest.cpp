// SPDX-License-Identifier: Apache-2.0
// Where a model fails: the spread of its measure over queries, and the worst queries with their lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/pages/quality.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kHardest = 10;  // queries
constexpr std::size_t kListed = 10;   // documents of a list
constexpr std::size_t kMissed = 3;    // best documents below them
constexpr std::size_t kBins = 10;

double largest_label(const Query& query) { return *std::max_element(query.labels.begin(), query.labels.end()); }

std::size_t count_best(const Query& query) {
  return static_cast<std::size_t>(
      std::count(query.labels.begin(), query.labels.end(), static_cast<float>(largest_label(query))));
}

/// Lowest value first; among equals the longer lists, where there was more to lose.
std::vector<std::size_t> hardest(const Judgement& judgement) {
  const std::vector<double>& values = judgement.table.measures[0].per_query;
  std::vector<std::size_t> order;
  for (std::size_t q = 0; q < values.size(); ++q)
    if (!std::isnan(values[q])) order.push_back(q);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (values[a] != values[b]) return values[a] < values[b];
    return judgement.data->query(a).size() > judgement.data->query(b).size();
  });
  if (order.size() > kHardest) order.resize(kHardest);
  return order;
}

/// The top of the list, then the best documents that were left below it.
report::Table list_of(const Judgement& judgement, std::size_t q) {
  const Dataset& data = *judgement.data;
  const Query query = data.query(q);
  const MeasureResult& measure = judgement.table.measures[0];
  const std::span<const double> scores(judgement.scores.data() + query.first_document, query.size());
  const Ranking order = top_ranking(scores);
  report::Table table{
      .caption = fmt::format("{}: {} {:.4f}", query.id, measure.name, measure.per_query[q]),
      .columns = {report::count_column("rank"),
                  report::text_column("document", data.has_document_ids() ? "its id" : "its row in the file"),
                  report::significant_column("label", 4), report::significant_column("score", 5)},
      .order = report::Table::Order{0, false},
      .folded = true};
  std::size_t missed = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t i = order[rank];
    const bool best = query.labels[i] == largest_label(query);
    if (rank >= kListed && (!best || missed++ >= kMissed)) continue;
    const std::size_t document = query.first_document + i;
    report::Cell label(query.labels[i]);
    label.best = best;
    table.rows.push_back({rank + 1,
                          data.has_document_ids() ? std::string(data.document_id(document))
                                                  : fmt::format("row {}", data.source_row(document) + 1),
                          label, scores[i]});
  }
  if (table.rows.size() < query.size())
    table.footnotes.push_back(fmt::format("{} of {} documents: the first {}, and best ones below them.",
                                          table.rows.size(), query.size(), kListed));
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

}  // namespace

report::Section hardest_section(const Judgement& judgement) {
  const MeasureResult& measure = judgement.table.measures[0];
  report::Table table{.caption = fmt::format("The {} hardest queries", kHardest),
                      .columns = {report::text_column("query"), report::number_column(measure.name),
                                  report::count_column("documents"), report::significant_column("best label", 4),
                                  report::count_column("with it", "documents with the best label")},
                      .order = report::Table::Order{1, false}};
  report::Section section{"Hardest queries"};
  const std::vector<std::size_t> order = hardest(judgement);
  for (const std::size_t q : order) {
    const Query query = judgement.data->query(q);
    table.rows.push_back(
        {std::string(query.id), measure.per_query[q], query.size(), largest_label(query), count_best(query)});
  }
  section.blocks.push_back(spread_of(measure));
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(report::Paragraph{"Their lists, as the model orders them:"});
  for (const std::size_t q : order) section.blocks.push_back(list_of(judgement, q));
  return section;
}

}  // namespace dorm::pages
