// SPDX-License-Identifier: Apache-2.0
#include "report/pages/baseline_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dorm/explain.h"
#include "report/pages/query_lists.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kLargest = 10;     // losses and wins shown with their lists
constexpr std::size_t kListLength = 10;  // documents of a list
constexpr std::size_t kReasons = 2;      // features that say why a document stands there
constexpr std::size_t kNotListed = std::numeric_limits<std::size_t>::max();

/// The ranking of one query by one ranker.
struct BaselineList {
  Ranking order;                     // what it retrieved, best first
  std::vector<std::size_t> rank_of;  // by document of the query, from 1; kNotListed: not retrieved
  std::vector<std::string> reasons;  // by position of the list's beginning; empty: the ranker cannot say
};

BaselineList list_of(const RankersReportData& report_data, std::size_t row, std::size_t q) {
  const Query query = report_data.data->query(q);
  const std::span<const double> scores =
      std::span(*report_data.rankers[row].scores).subspan(query.first_document, query.size());
  BaselineList list;
  for (const std::uint32_t i : top_ranking(scores))
    if (std::isfinite(scores[i])) list.order.push_back(i);
  list.rank_of.assign(query.size(), kNotListed);
  for (std::size_t k = 0; k < list.order.size(); ++k) list.rank_of[list.order[k]] = k + 1;
  const Model* model = report_data.rankers[row].model;
  if (!model || model->kernel) return list;
  const Dataset& data = report_data.rankers[row].data ? *report_data.rankers[row].data : *report_data.data;
  const QueryExplanation explanation = explain(*model, data, q, kListLength);
  if (!explanation.additive) return list;
  for (const DocumentExplanation& document : explanation.documents) {
    std::string& text = list.reasons.emplace_back();
    for (std::size_t k = 0; k < std::min(kReasons, document.parts.size()); ++k)
      text += fmt::format("{}{}: {:+.2f}", k == 0 ? "" : ", ", model->features[document.parts[k].feature],
                          document.parts[k].above_mean);
  }
  return list;
}

/// Cells of one side: document, its label, where the other has it, and why it stands there.
void add_side(const RankersReportData& report_data, const Query& query, const BaselineList& own,
              const BaselineList& other, std::size_t k, bool reasons, std::vector<report::Cell>& row) {
  if (k >= own.order.size()) {
    row.resize(row.size() + (reasons ? 4 : 3));
    return;
  }
  const std::size_t i = own.order[k];
  row.emplace_back(report_data.data->document_name(query.first_document + i));
  report::Cell label(query.labels[i]);
  label.best = query.labels[i] == *std::max_element(query.labels.begin(), query.labels.end());
  row.push_back(std::move(label));
  report::Cell there;
  if (other.rank_of[i] == kNotListed)
    there.text = "none";
  else
    there = report::Cell(other.rank_of[i]);
  row.push_back(std::move(there));
  if (reasons) row.emplace_back(k < own.reasons.size() ? own.reasons[k] : std::string());
}

void add_columns(const std::string& name, const std::string& other, bool reasons,
                 std::vector<report::Column>& columns) {
  columns.push_back(report::text_column(name, "document"));
  columns.push_back(report::significant_column("label", 4));
  columns.push_back(report::count_column("there", fmt::format("its rank in {}", other)));
  if (reasons)
    columns.push_back(report::text_column("why", "largest contributions above the mean of the query's documents"));
}

const std::vector<double>& values_of_row(const RankersReportData& report_data, std::size_t row) {
  return report_data.table.rows[row].table.measures[0].per_query;
}

std::vector<std::vector<report::Cell>> side_by_side(const RankersReportData& report_data, std::size_t baseline,
                                                    std::size_t q, bool& baseline_reasons, bool& reference_reasons) {
  const Query query = report_data.data->query(q);
  const BaselineList own = list_of(report_data, baseline, q);
  const BaselineList other = list_of(report_data, report_data.table.reference, q);
  baseline_reasons = !own.reasons.empty();
  reference_reasons = !other.reasons.empty();
  std::vector<std::vector<report::Cell>> rows;
  const std::size_t length = std::min(kListLength, std::max(own.order.size(), other.order.size()));
  for (std::size_t k = 0; k < length; ++k) {
    std::vector<report::Cell>& row = rows.emplace_back();
    row.emplace_back(k + 1);
    add_side(report_data, query, own, other, k, baseline_reasons, row);
    add_side(report_data, query, other, own, k, reference_reasons, row);
  }
  return rows;
}

report::Table query_table(const RankersReportData& report_data, std::size_t baseline, std::size_t q, bool folded) {
  const std::string& own = report_data.table.rows[baseline].name;
  const std::string& other = report_data.table.rows[report_data.table.reference].name;
  bool own_reasons = false, other_reasons = false;
  report::Table table{
      .caption = fmt::format("query {}: {:+.4f}, {} {:.4f} and {} {:.4f}",
                             query_caption(*report_data.data, q, report_data.texts),
                             difference_of(report_data, baseline, q), own, values_of_row(report_data, baseline)[q],
                             other, values_of_row(report_data, report_data.table.reference)[q]),
      .columns = {report::count_column("rank")},
      .order = report::Table::Order{0, false},
      .folded = folded};
  table.rows = side_by_side(report_data, baseline, q, own_reasons, other_reasons);
  add_columns(own, other, own_reasons, table.columns);
  add_columns(other, own, other_reasons, table.columns);
  if (table.rows.size() < report_data.data->query(q).size())
    table.footnotes.push_back(
        fmt::format("The first {} of {} documents.", table.rows.size(), report_data.data->query(q).size()));
  return table;
}

report::Section extremes(const RankersReportData& report_data, std::size_t baseline, bool losses) {
  std::vector<std::size_t> order = queries_by_difference(report_data, baseline);
  if (!losses) std::reverse(order.begin(), order.end());
  report::Section section{losses ? "Largest losses" : "Largest wins"};
  for (const std::size_t q : order) {
    const double difference = difference_of(report_data, baseline, q);
    if (section.blocks.size() == kLargest || !(losses ? difference < 0 : difference > 0)) break;
    section.blocks.emplace_back(query_table(report_data, baseline, q, !section.blocks.empty()));
  }
  if (section.blocks.empty())
    section.blocks.emplace_back(report::Paragraph{losses ? "It loses no query." : "It wins no query."});
  return section;
}

/// Without documents: figures alone.
report::Queries figures_alone(const RankersReportData& report_data, std::span<const std::size_t> order) {
  report::Queries block{
      .title = "Every query", .measure = report_data.table.rows.front().table.measures[0].name, .data = {}};
  for (const std::size_t q : order.first(std::min(kExploredQueries, order.size())))
    block.queries.push_back({.name = report_data.table.rows.front().table.query_ids[q]});
  for (std::size_t r = 0; r < report_data.table.rows.size(); ++r) {
    report::Queries::Ranker& ranker = block.rankers.emplace_back();
    ranker.name = report_data.table.rows[r].name;
    for (const std::size_t q : order.first(block.queries.size()))
      ranker.values.push_back(values_of_row(report_data, r)[q]);
  }
  return block;
}

/// The baseline and the reference first: those two explain themselves.
std::vector<std::size_t> rows_explained_first(const RankersReportData& report_data, std::size_t baseline) {
  std::vector<std::size_t> rows = {report_data.table.reference};
  if (baseline != report_data.table.reference) rows.push_back(baseline);
  for (std::size_t r = 0; r < report_data.table.rows.size(); ++r)
    if (r != baseline && r != report_data.table.reference) rows.push_back(r);
  return rows;
}

/// The largest differences first; of a ranker alone the smallest values.
std::vector<std::size_t> queries_in_order(const RankersReportData& report_data, std::size_t baseline) {
  std::vector<std::size_t> order = queries_by_difference(report_data, baseline);
  const bool alone = baseline == report_data.table.reference;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (alone) return values_of_row(report_data, baseline)[a] < values_of_row(report_data, baseline)[b];
    return std::fabs(difference_of(report_data, baseline, a)) > std::fabs(difference_of(report_data, baseline, b));
  });
  return order;
}

report::Queries all_queries(const RankersReportData& report_data, std::size_t baseline) {
  const std::vector<std::size_t> order = queries_in_order(report_data, baseline);
  const bool alone = baseline == report_data.table.reference;
  report::Queries block;
  if (report_data.data) {
    std::vector<ExploredRanker> rankers;
    for (const std::size_t r : rows_explained_first(report_data, baseline)) {
      const RankerView& view = report_data.rankers[r];
      rankers.push_back(
          {report_data.table.rows[r].name, &values_of_row(report_data, r), view.scores, view.model, view.data});
    }
    const auto listed = std::span(order).first(std::min(kQueriesWithLists, order.size()));
    block = explored_queries(*report_data.data, rankers, report_data.table.rows.front().table.measures[0].name,
                             report_data.options, order, listed, report_data.texts);
    block.caption = pruned_text(block, order.size(), alone ? "the hardest" : "the largest differences");
    if (!alone) block.second = 1;
  } else {
    block = figures_alone(report_data, order);
    block.first = report_data.table.reference;
    if (!alone) block.second = baseline;
  }
  block.data = report_data.data_name;
  return block;
}

}  // namespace

double difference_of(const RankersReportData& report_data, std::size_t row, std::size_t q) {
  return values_of_row(report_data, row)[q] - values_of_row(report_data, report_data.table.reference)[q];
}

std::vector<std::size_t> queries_by_difference(const RankersReportData& report_data, std::size_t row) {
  std::vector<std::size_t> order;
  for (std::size_t q = 0; q < report_data.table.rows.front().table.query_ids.size(); ++q)
    if (!std::isnan(difference_of(report_data, row, q))) order.push_back(q);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return difference_of(report_data, row, a) < difference_of(report_data, row, b);
  });
  return order;
}

std::vector<report::Section> baseline_sections(const RankersReportData& report_data, std::size_t baseline) {
  std::vector<report::Section> sections;
  if (report_data.data && baseline != report_data.table.reference) {
    sections.push_back(extremes(report_data, baseline, true));
    sections.push_back(extremes(report_data, baseline, false));
  }
  sections.push_back({"Every query", {all_queries(report_data, baseline)}});
  return sections;
}

}  // namespace dorm::pages
