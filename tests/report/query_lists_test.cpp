// SPDX-License-Identifier: Apache-2.0
// What a report keeps of queries, against numbers by hand.
#include "report/pages/query_lists.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace dorm::pages {
namespace {

/// Two queries. Labels of the first are 0, 2, 1; those of the second 1, 0.
Dataset explored_data() {
  DatasetBuilder builder;
  builder.set_feature_names({"a", "b"});
  const float rows[5][2] = {{1, 0}, {0, 1}, {1, 1}, {3, 3}, {2, 5}};
  const float labels[5] = {0, 2, 1, 1, 0};
  for (std::size_t i = 0; i < 5; ++i)
    builder.add(
        {.label = labels[i], .query_id = i < 3 ? "q" : "r", .document_id = std::string_view("vwxyz").substr(i, 1)},
        rows[i]);
  return builder.finish();
}

/// Scores 2 a - b: 2, -1, 1 and 3, -1.
Model explored_model() {
  Model model;
  model.features = {"b", "a"};  // not in the order of the data
  model.weights = {-1, 2};
  model.scaling.kind = ScalingKind::none;
  return model;
}

TEST(ExploredQueries, HaveTheListsAndContributionsOfTheModel) {
  const Dataset data = explored_data();
  const Model model = explored_model();
  const std::vector<double> scores = score(model, data, 1), values = {0.25, 1};
  const double none = -std::numeric_limits<double>::infinity();
  const std::vector<double> other = {1, none, 5, 0, 1}, others = {0.5, 0.75};
  const std::vector<ExploredRanker> rankers = {{"m", &values, &scores, &model}, {"run", &others, &other}};
  const std::vector<std::size_t> order = {1, 0}, listed = {0};
  const report::Queries block = explored_queries(data, rankers, "ndcg@10", {}, order, listed);

  ASSERT_EQ(block.queries.size(), 2u);
  EXPECT_EQ(block.cutoff, 10u);
  EXPECT_EQ(block.queries[0].name, "r");
  EXPECT_FALSE(block.queries[0].lists);
  EXPECT_EQ(block.rankers[0].values, (std::vector<double>{1, 0.25}));
  EXPECT_EQ(block.rankers[1].values, (std::vector<double>{0.75, 0.5}));
  const report::Queries::Query& query = block.queries[1];
  EXPECT_EQ(query.documents, 3u);
  EXPECT_EQ(query.relevant, 2u);
  EXPECT_DOUBLE_EQ(query.ideal, 1);

  ASSERT_TRUE(query.lists);
  const report::Queries::Lists& lists = *query.lists;
  std::vector<std::string> names;
  std::vector<std::size_t> ideal_ranks;
  for (const report::Queries::Document& document : lists.documents) {
    names.push_back(document.name);
    ideal_ranks.push_back(document.ideal_rank);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"v", "w", "x"}));
  EXPECT_EQ(ideal_ranks, (std::vector<std::size_t>{3, 1, 2}));
  EXPECT_EQ(lists.ideal, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(lists.rankers[0].order, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(lists.rankers[0].ranks, (std::vector<std::size_t>{1, 3, 2}));
  EXPECT_EQ(lists.rankers[0].scores, (std::vector<double>{2, -1, 1}));
  EXPECT_EQ(lists.rankers[1].order, (std::vector<std::size_t>{2, 0}));  // w was not retrieved
  EXPECT_EQ(lists.rankers[1].ranks, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_FALSE(lists.rankers[1].why);

  // Contributions of a are 2, 0, 2 with a mean of 4/3, those of b are 0, -1, -1 with a mean of -2/3.
  ASSERT_TRUE(lists.rankers[0].why);
  const report::Queries::Contributions& why = *lists.rankers[0].why;
  EXPECT_EQ(block.rankers[0].features, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(block.rankers[0].weights, (std::vector<double>{-1, 2}));
  EXPECT_EQ(why.features, (std::vector<std::size_t>{1, 0}));  // a moves documents by 8/3, b by 4/3
  EXPECT_NEAR(why.mean_score, 2.0 / 3, 1e-12);
  EXPECT_NEAR(why.means[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR(why.means[1], -2.0 / 3, 1e-12);
  const double above[3][2] = {{2.0 / 3, 2.0 / 3}, {-4.0 / 3, -1.0 / 3}, {2.0 / 3, -1.0 / 3}};
  const double raw[3][2] = {{1, 0}, {0, 1}, {1, 1}};
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(why.above[d][k], above[d][k], 1e-12);
      EXPECT_EQ(why.values[d][k], raw[d][k]);
    }
}

TEST(ExploredQueries, KeepTheFeaturesThatMoveDocumentsMost) {
  DatasetBuilder builder;
  std::vector<float> row(20);
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<float>(d * j);
    builder.add({.label = static_cast<float>(d), .query_id = "q"}, row);
  }
  const Dataset data = builder.finish();
  Model model;
  for (std::size_t j = 0; j < row.size(); ++j) model.features.push_back(data.feature_name(j));
  model.weights.assign(row.size(), 0.5);
  model.scaling.kind = ScalingKind::none;
  const std::vector<double> scores = score(model, data, 1), values = {1};
  const std::vector<ExploredRanker> rankers = {{"m", &values, &scores, &model}};
  const std::vector<std::size_t> order = {0};
  const report::Queries block = explored_queries(data, rankers, "mrr", {}, order, order);
  const report::Queries::Contributions& why = *block.queries[0].lists->rankers[0].why;
  EXPECT_EQ(why.features, (std::vector<std::size_t>{19, 18, 17, 16, 15, 14, 13, 12}));
  // What was kept, and the rest, make the score: 0.5 * 2 * (0 + ... + 19) for the last document.
  double kept = std::accumulate(why.above[2].begin(), why.above[2].end(), 0.0);
  EXPECT_NEAR(kept, 0.5 * (12 + 13 + 14 + 15 + 16 + 17 + 18 + 19), 1e-9);
  EXPECT_NEAR(why.mean_score, 0.5 * 190, 1e-9);
  EXPECT_EQ(scores[2], 190);
  EXPECT_EQ(block.cutoff, std::nullopt);
}

TEST(ExploredQueries, ShowTheFirstOfLongListsAndTheBestDocuments) {
  DatasetBuilder builder;
  const float row[1] = {0};
  for (std::size_t d = 0; d < 30; ++d) builder.add({.label = d == 29 ? 1.0F : 0.0F, .query_id = "q"}, row);
  const Dataset data = builder.finish();
  Ranking order(30);
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<Ranking> orders = {order, {}};
  const report::Queries::Lists lists = lists_of_orders(data, 0, orders);
  EXPECT_EQ(lists.documents.size(), kListPositions + 1);  // the relevant one stands last, and first in the best order
  EXPECT_EQ(lists.rankers[0].order.size(), kListPositions);
  EXPECT_EQ(lists.rankers[0].ranks.back(), 30u);
  EXPECT_TRUE(lists.rankers[1].order.empty());
  EXPECT_EQ(lists.ideal.front(), kListPositions);
}

TEST(ExploredQueries, AreChosenFromTheHardestAndEvenlyUpToTheEasiest) {
  std::vector<std::size_t> order(10);
  std::iota(order.begin(), order.end(), std::size_t{0});
  EXPECT_EQ(first_and_spaced(order, 10), order);
  EXPECT_EQ(first_and_spaced(order, 4), (std::vector<std::size_t>{0, 1, 5, 9}));
  EXPECT_EQ(cutoff_of("ndcg@5"), 5u);
  EXPECT_EQ(cutoff_of("map"), std::nullopt);
}

}  // namespace
}  // namespace dorm::pages
