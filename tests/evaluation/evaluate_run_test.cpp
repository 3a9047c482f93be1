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

TEST(EvaluateRun, CompleteCountsMissingQueriesUnderTrec) {
  EvaluateOptions options = trec();
  options.complete = true;
  const EvaluationTable table = evaluate_run(kJudgments, kRun, Names{"map", "gmap"}, options);
  EXPECT_EQ(table.query_ids, (Names{"1", "2", "3"}));
  EXPECT_NEAR(table["map"].mean, 1.0 / 18, 1e-15);
  EXPECT_NEAR(table["gmap"].mean, std::cbrt(1.0 / 6 * 1e-5 * 1e-5), 1e-15);  // 0 counts as 1e-5
  EXPECT_GE(table["gmap"].mean, table["gmap"].low);
  EXPECT_LE(table["gmap"].mean, table["gmap"].high);
}

// Query 1 is ranked z b a: z without a judgment, b judged not relevant, a relevant; c was not retrieved.
TEST(EvaluateRun, TellsUnjudgedDocumentsFromThoseJudgedNotRelevant) {
  const EvaluationTable table = evaluate_run(kJudgments, kRun, Names{"bpref", "judged", "infap", "kendall"}, trec());
  EXPECT_EQ(table["bpref"].per_query[0], 0);  // the only document judged not relevant stands above
  EXPECT_NEAR(table["judged"].per_query[0], 2.0 / 3, 1e-15);
  // Of the two documents above a one is in the pool, and no relevant one: 1/3 + 2/3 * 1/2 * eps / (1 + 2 eps), over 2.
  EXPECT_NEAR(table["infap"].per_query[0], (1 + 1e-5 / (1 + 2e-5)) / 6, 1e-15);
  // To kendall z has label 0: of z b | a | c with labels 0 0 1 2, a pair tied, all others wrong.
  EXPECT_NEAR(table["kendall"].per_query[0], -5 / std::sqrt(6.0 * 5), 1e-15);
}

TEST(EvaluateRun, CountsDocuments) {
  EvaluateOptions options = trec();
  const RetrievalCounts counts = evaluate_run(kJudgments, kRun, Names{"map"}, options).counts[0];
  EXPECT_EQ(counts.retrieved, 3u);
  EXPECT_EQ(counts.relevant, 2u);
  EXPECT_EQ(counts.relevant_retrieved, 1u);
  EXPECT_EQ(counts.others_retrieved, 1u);
  options.relevant_from = 2;
  options.depth = 2;
  const RetrievalCounts fewer = evaluate_run(kJudgments, kRun, Names{"map"}, options).counts[0];
  EXPECT_EQ(fewer.retrieved, 2u);
  EXPECT_EQ(fewer.relevant, 1u);
  EXPECT_EQ(fewer.relevant_retrieved, 0u);
  EXPECT_EQ(fewer.others_retrieved, 1u);
}

TEST(EvaluateRun, RefusesExpectationsThatAreNotKnown) {
  EvaluateOptions options;
  options.ties = "expected";
  const auto message = [&](const char* measure) {
    return test::message_of([&] { evaluate_run(kJudgments, kRun, Names{measure}, options); });
  };
  EXPECT_EQ(message("iprec"),
            "the expectation of iprec over ties has no formula; expected ties by index, worst or document_id");
  options.depth = 2;
  EXPECT_EQ(message("map"), "ties at the depth are ambiguous; expected ties by index, worst or document_id");
  options.relevant_from = 0;
  EXPECT_EQ(message("map"), "relevant from label 0; expected a finite number above 0");
}

TEST(EvaluateRun, RefusesRepeatedDocuments) {
  const auto message = [](const std::vector<Judgment>& judgments, const std::vector<RunEntry>& run) {
    return test::message_of([&] { evaluate_run(judgments, run, Names{"map"}); });
  };
  EXPECT_EQ(message({{"1", "a", 1}, {"1", "a", 1}}, {}), "query \"1\", document \"a\" appears twice in the judgments");
  EXPECT_EQ(message({{"1", "a", 1}}, {{"1", "b", 1}, {"1", "b", 2}}),
            "query \"1\", document \"b\" appears twice in the run");
}

}  // namespace
}  // namespace dorm
