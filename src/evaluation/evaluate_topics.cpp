// SPDX-License-Identifier: Apache-2.0
// Lists that keep topic budgets, judged against the best such lists.
#include <fmt/format.h>

#include <algorithm>

#include "base/numeric.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "evaluation/summarise.h"
#include "ranking/topics/best_list.h"

namespace dorm {
namespace {

const FactoredMeasure& as_sum(const Measure& measure) {
  const auto* factored = dynamic_cast<const FactoredMeasure*>(&measure);
  const std::vector<float> labels = {1, 0};
  if (!factored || factored->factor(labels).kind != Factors::Kind::sum)
    throw Error(ErrorCode::unsupported,
                fmt::format("{} is no sum over positions, so that the best list within topic limits is not known for "
                            "it; expected measures such as ndcg@5",
                            measure.name()));
  return *factored;
}

double best_value(const Factors& factors, std::size_t n, const Query& query, const TopicTable& topics,
                  const TopicOptions& options) {
  const TopicBudget budget{topics, query.first_document, query.size()};
  const TopicList best = best_list(gains_by_position(factors, n), n, &budget, options);
  if (best.documents.empty())
    throw Error(ErrorCode::bad_input, fmt::format("query {}: {}", query.id, explain_infeasible(n, budget)));
  return best.objective;
}

}  // namespace

EvaluationTable evaluate_topics(const Dataset& data, const std::vector<Ranking>& lists, std::size_t n,
                                const TopicTable& topics, std::span<const std::string> measures,
                                const TopicOptions& topic_options, const EvaluateOptions& options) {
  const Convention convention = convention_of(options);
  EvaluationTable table{convention.name, std::string(name_of(Ties::index)), "", {}, 0, {}};
  std::vector<double> weights;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    table.query_ids.emplace_back(data.query(q).id);
    weights.push_back(data.query(q).weight);
  }
  for (const std::string& spelling : measures) {
    const MeasurePtr made = make_measure(spelling, convention);
    const FactoredMeasure& measure = as_sum(*made);
    MeasureResult& result = table.measures.emplace_back();
    result.name = measure.name();
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const Query query = data.query(q);
      const Factors factors = measure.factor(query.labels);
      const bool empty = std::all_of(factors.b.begin(), factors.b.end(), [](double b) { return b == 0; });
      const double best = empty ? 0
                          : measure.relative_to_ideal()
                              ? best_value(factors, std::min(n, query.size()), query, topics, topic_options)
                              : 1;
      result.per_query.push_back(best > 0 ? value(factors, lists[q]) / best : count_empty(convention, measure));
    }
  }
  summarise(table, weights, options);
  return table;
}

}  // namespace dorm
