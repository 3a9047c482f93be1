// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using Names = std::vector<std::string>;

// Query 1: labels 0 1, ids a b; query 2: labels 2 0, ids c d; query 2 weighs 3.
Dataset two_queries() {
  DatasetBuilder builder;
  const std::vector<float> features = {1};
  builder.add({0, "1", "a"}, features);
  builder.add({1, "1", "b"}, features);
  builder.add({2, "2", "c"}, features);
  builder.add({0, "2", "d"}, features);
  builder.set_query_weight("2", 3);
  return builder.finish();
}

TEST(EvaluateDataset, MatchesScoresWithDocumentsAndUsesWeights) {
  const std::vector<double> scores = {2, 1, 4, 3};  // query 1: wrong order; query 2: right order
  const EvaluationTable table = evaluate(two_queries(), scores, Names{"mrr"});
  EXPECT_EQ(table.query_ids, (Names{"1", "2"}));
  EXPECT_EQ(table["mrr"].per_query, (std::vector<double>{0.5, 1}));
  EXPECT_DOUBLE_EQ(table["mrr"].mean, (1 * 0.5 + 3 * 1) / 4);
}

TEST(EvaluateDataset, TakesDocumentIdsForTies) {
  const std::vector<double> scores = {0, 0, 0, 0};
  EvaluateOptions options;
  options.ties = "document_id";  // b before a, d before c
  EXPECT_EQ(evaluate(two_queries(), scores, Names{"mrr"}, options)["mrr"].per_query, (std::vector<double>{1, 0.5}));
}

TEST(EvaluateDataset, SaysHowManyScoresItWantsAndGot) {
  const std::vector<double> scores = {1, 2, 3};
  EXPECT_EQ(test::message_of([&] { evaluate(two_queries(), scores, Names{"mrr"}); }, ErrorCode::bad_input),
            "3 scores for 4 documents; expected one per document");
}

}  // namespace
}  // namespace dorm
