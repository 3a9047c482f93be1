// SPDX-License-Identifier: Apache-2.0
// A data set and its scores as a list of scored queries.
#include <fmt/format.h>

#include <deque>

#include "data/source_order.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"

namespace dorm {
namespace {

/// A query whose documents are put in the order of their rows, by which ties are broken.
struct OrderedQuery {
  std::vector<float> labels;
  std::vector<double> scores;
  std::vector<std::string_view> ids;
  GroupLimits groups;

  OrderedQuery(const std::vector<std::uint32_t>& order, const ScoredQuery& query) {
    if (query.groups) groups.limit = query.groups->limit;
    for (const std::uint32_t i : order) {
      labels.push_back(query.labels[i]);
      scores.push_back(query.scores[i]);
      if (!query.document_ids.empty()) ids.push_back(query.document_ids[i]);
      if (query.groups) groups.group_of.push_back(query.groups->group_of[i]);
    }
  }

  ScoredQuery view(const ScoredQuery& query) const {
    return {query.id, labels, scores, ids, query.weight, query.groups ? &groups : nullptr};
  }
};

template <class Measures>
EvaluationTable evaluate_all(const Dataset& data, std::span<const double> scores, Measures measures,
                             const EvaluateOptions& options) {
  data.require_labels();
  if (scores.size() != data.num_documents())
    throw Error(ErrorCode::bad_input, fmt::format("{} scores for {} documents; expected one per document",
                                                  scores.size(), data.num_documents()));
  std::vector<std::string_view> ids;
  if (data.has_document_ids())
    for (std::size_t i = 0; i < data.num_documents(); ++i) ids.push_back(data.document_id(i));
  std::vector<GroupLimits> groups;
  if (!options.one_per.empty()) groups = group_limits(data, parse_one_per(options.one_per));
  std::vector<ScoredQuery> queries;
  std::deque<OrderedQuery> ordered;  // those that stand in another order
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const std::size_t first = query.first_document;
    const auto own_ids = ids.empty() ? std::span<const std::string_view>()
                                     : std::span<const std::string_view>(ids).subspan(first, query.size());
    queries.push_back({query.id, query.labels, scores.subspan(first, query.size()), own_ids, query.weight,
                       groups.empty() ? nullptr : &groups[q]});
    if (const std::vector<std::uint32_t> order = source_order(data, q); !order.empty())
      queries.back() = ordered.emplace_back(order, queries.back()).view(queries.back());
  }
  return evaluate(queries, measures, options);
}

/// Gains estimated from clicks estimate only what is linear in them. Others are figures, but not those of their name.
void name_estimates(EvaluationTable& table, std::span<const std::string> measures, const EvaluateOptions& options) {
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const MeasurePtr made = make_measure(measures[m], convention_of(options));
    const auto* factored = dynamic_cast<const FactoredMeasure*>(made.get());
    if (factored == nullptr || !factored->linear_in_labels()) table.measures[m].name += " of estimated gains";
  }
}

}  // namespace

EvaluationTable evaluate(const Dataset& data, std::span<const double> scores, std::span<const std::string> measures,
                         const EvaluateOptions& options) {
  EvaluationTable table = evaluate_all(data, scores, measures, options);
  if (data.input().of_clicks()) name_estimates(table, measures, options);
  return table;
}

EvaluationTable evaluate(const Dataset& data, std::span<const double> scores, std::span<const Measure* const> measures,
                         const EvaluateOptions& options) {
  return evaluate_all(data, scores, measures, options);
}

}  // namespace dorm
