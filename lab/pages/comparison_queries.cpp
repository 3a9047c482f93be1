// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/lab/pages.h"
#include "lab/pages/comparison_blocks.h"
#include "report/pages/query_lists.h"

namespace dorm {
namespace {

constexpr std::size_t kExploredMethods = 8;

/// A test query: of which split, and where there.
struct TestQuery {
  const Dataset* data = nullptr;
  std::size_t place = 0;
};

std::vector<TestQuery> test_queries(const std::vector<DataSplit>& splits) {
  std::vector<TestQuery> queries;
  for (const DataSplit& split : splits)
    for (std::size_t q = 0; q < split.test.num_queries(); ++q) queries.push_back({&split.test, q});
  return queries;
}

/// Where the best two differ most first; of one method alone its lowest values.
std::vector<std::size_t> most_different_first(const ComparisonRows& methods, std::size_t queries) {
  const auto key = [&](std::size_t q) {
    const double best = methods[0]->figures[0].result.per_query[q];
    const double size = methods.size() > 1 ? std::fabs(best - methods[1]->figures[0].result.per_query[q]) : -best;
    return std::isnan(size) ? -2.0 : size;
  };
  std::vector<std::size_t> order(queries);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

report::Queries::Query query_of(const TestQuery& at, double ideal) {
  const Query query = at.data->query(at.place);
  const auto relevant = std::count_if(query.labels.begin(), query.labels.end(), [](float label) { return label > 0; });
  return {.name = std::string(query.id),
          .documents = query.size(),
          .relevant = static_cast<std::size_t>(relevant),
          .ideal = ideal};
}

report::Queries::Ranker ranker_of(const ComparisonRow& method, const Dataset& train) {
  report::Queries::Ranker ranker{.name = method.method, .values = {}, .weights = method.weights};
  for (std::size_t j = 0; j < method.weights.size(); ++j) ranker.features.push_back(train.feature_name(j));
  return ranker;
}

}  // namespace

report::Queries comparison_queries(const ComparisonResult& result, const std::vector<DataSplit>& splits) {
  const ComparisonRows rows = rows_by_size(result).back();
  report::Queries block{.title = "Every query", .measure = rows.back()->figures[0].measure, .data = "the test queries"};
  block.cutoff = pages::cutoff_of(block.measure);
  ComparisonRows methods = ranked_methods(rows, 0);
  if (methods.empty()) return block;
  const std::size_t all = methods.size();
  methods.resize(std::min(kExploredMethods, all));
  const std::vector<TestQuery> queries = test_queries(splits);
  const std::vector<std::size_t> order = most_different_first(methods, queries.size());
  const std::vector<double>& ideal = rows.back()->figures[0].result.per_query;  // the last row is the ideal order
  for (const ComparisonRow* method : methods) block.rankers.push_back(ranker_of(*method, splits.front().train));
  for (std::size_t k = 0; k < std::min(pages::kExploredQueries, order.size()); ++k) {
    const std::size_t q = order[k];
    block.queries.push_back(query_of(queries[q], ideal[q]));
    std::vector<Ranking> orders;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      block.rankers[m].values.push_back(methods[m]->figures[0].result.per_query[q]);
      orders.push_back(methods[m]->top.empty() ? Ranking() : methods[m]->top[q]);
    }
    if (k < pages::kQueriesWithLists)
      block.queries.back().lists = pages::lists_of_orders(*queries[q].data, queries[q].place, orders);
  }
  if (methods.size() > 1) block.second = 1;
  if (methods.size() < all) block.caption = fmt::format("The best {} of {} methods. ", methods.size(), all);
  block.caption += pages::pruned_text(block, order.size(), "those where the best two methods differ most");
  block.caption += " Weights are means over splits, each at unit length.";
  return block;
}

}  // namespace dorm
