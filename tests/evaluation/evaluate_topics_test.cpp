// SPDX-License-Identifier: Apache-2.0
// Lists under topic budgets, judged against the best of all lists that keep them, found by enumeration.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dorm/evaluate.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

constexpr std::size_t kLength = 3;

// Document i takes (i % 3 + 1) / 2 of one topic; a list may take 2.
TopicTable one_topic(const Dataset& data) {
  TopicTable table{{"t"}, {2}, {0}, {}};
  for (std::size_t d = 0; d < data.num_documents(); ++d) {
    table.shares.push_back({0, static_cast<double>(d % 3 + 1) / 2});
    table.first.push_back(table.shares.size());
  }
  return table;
}

double dcg(Labels labels, const Ranking& list) {
  double sum = 0;
  for (std::size_t j = 0; j < list.size(); ++j)
    sum += (std::exp2(labels[list[j]]) - 1) / std::log2(static_cast<double>(j) + 2);
  return sum;
}

bool allowed(const TopicTable& topics, std::size_t first, const Ranking& list) {
  double taken = 0;
  for (const std::uint32_t i : list) taken += topics.shares[first + i].weight;
  return taken <= topics.limits[0] + 1e-9;
}

TEST(EvaluateTopics, IsRelativeToTheBestListThatKeepsTheBudgets) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const Dataset data = test::random_data({.lengths = {5, 6, 5}, .grades = 3, .seed = 12});
  const TopicTable topics = one_topic(data);
  std::vector<Ranking> lists;
  std::vector<double> expected;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Labels labels = data.query(q).labels;
    Ranking order(labels.size()), first;
    double best = 0;
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    do {
      const Ranking list(order.begin(), order.begin() + kLength);
      if (!allowed(topics, data.first_document(q), list)) continue;
      if (first.empty()) first = list;
      best = std::max(best, dcg(labels, list));
    } while (std::next_permutation(order.begin(), order.end()));
    expected.push_back(best > 0 ? dcg(labels, first) / best : std::nan(""));
    lists.push_back(first);
  }
  const std::vector<std::string> measures = {"ndcg@3", "precision@3"};
  const EvaluationTable table = evaluate_topics(data, lists, kLength, topics, measures, {}, {.bootstrap = 0});
  for (std::size_t q = 0; q < expected.size(); ++q) {
    if (std::isnan(expected[q])) {
      EXPECT_TRUE(std::isnan(table["ndcg@3"].per_query[q])) << "nothing to find";
      continue;
    }
    EXPECT_NEAR(table["ndcg@3"].per_query[q], expected[q], 1e-9);
    double relevant = 0;
    for (const std::uint32_t i : lists[q]) relevant += data.query(q).labels[i] > 0;
    EXPECT_NEAR(table["precision@3"].per_query[q], relevant / 3, 1e-12);
  }
}

TEST(EvaluateTopics, RefusesMeasuresThatAreNoSum) {
  const Dataset data = test::random_data({.lengths = {5}, .seed = 1});
  for (const char* name : {"mrr", "map"}) {
    const std::vector<std::string> measures = {name};
    const std::string message = test::message_of([&] {
      evaluate_topics(data, {{0, 1, 2}}, 3, one_topic(data), measures);
    });
    EXPECT_NE(message.find("no sum over positions"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace dorm
