// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using Names = std::vector<std::string>;

EvaluateOptions trec() {
  EvaluateOptions options;
  options.convention = "trec";
  return options;
}

const std::vector<Judgment> kJudgments = {{"1", "a", 1}, {"1", "b", 0}, {"1", "c", 2},
                                          {"2", "a", 0}, {"2", "b", 0}, {"3", "x", 1}};
const std::vector<RunEntry> kRun = {{"1", "a", 1.0}, {"1", "b", 1.0}, {"1", "z", 1.0},
                                    {"2", "a", 1.0}, {"2", "b", 2.0}, {"9", "a", 1.0}};

// Query 1 is ranked z b a by descending id; a is the only relevant document retrieved, at rank 3; c was not retrieved.
// The values are those pytrec_eval 0.5 prints for the same input.
TEST(EvaluateRun, EqualsTrecEval) {
  const EvaluationTable table = evaluate_run(kJudgments, kRun, Names{"map", "mrr", "precision@5", "ndcg"}, trec());
  EXPECT_EQ(table.query_ids, (Names{"1", "2"}));
  EXPECT_EQ(table.ties, "document_id");
  EXPECT_NEAR(table["map"].per_query[0], 0.16666666666666666, 1e-15);
  EXPECT_NEAR(table["mrr"].per_query[0], 0.3333333333333333, 1e-15);
  EXPECT_NEAR(table["precision@5"].per_query[0], 0.2, 1e-15);
  EXPECT_NEAR(table["ndcg"].per_query[0], 0.19004688335796713, 1e-15);
  EXPECT_EQ(table["ndcg"].per_query[1], 0);
  EXPECT_EQ(table["map"].queries, 2u);
}

TEST(EvaluateRun, CountsQueriesThatOneSideLacks) {
  const EvaluationTable table = evaluate_run(kJudgments, kRun, Names{"map"}, trec());
  EXPECT_EQ(table.unjudged_queries, 1u);  // 9
  EXPECT_EQ(table["map"].skipped, 1u);    // 3, as trec_eval does
}

TEST(EvaluateRun, JudgedQueriesTheRunLacksAreEmptyListsElsewhere) {
  const EvaluationTable table = evaluate_run(kJudgments, kRun, Names{"map", "kendall", "err@5"});
  EXPECT_EQ(table.query_ids, (Names{"1", "2", "3"}));
  EXPECT_EQ(table["map"].per_query[2], 0);
  EXPECT_EQ(table["err@5"].per_query[2], 0);
  EXPECT_EQ(table["map"].skipped, 1u);  // 2 has nothing relevant
}

TEST(EvaluateRun, RefusesRepeatedDocuments) {
  const auto message = [](const std::vector<Judgment>& judgments, const std::vector<RunEntry>& run) {
    return test::message_of([&] { evaluate_run(judgments, run, Names{"map"}); });
  };
  EXPECT_EQ(message({{"1", "a", 1}, {"1", "a", 1}}, {}), "query \"1\", document \"a\" stands twice in the judgments");
  EXPECT_EQ(message({{"1", "a", 1}}, {{"1", "b", 1}, {"1", "b", 2}}),
            "query \"1\", document \"b\" stands twice in the run");
}

}  // namespace
}  // namespace dorm
