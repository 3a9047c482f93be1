// SPDX-License-Identifier: Apache-2.0
// Diversity-aware measures by hand; tests/python/test_diversity.py sets them beside ndeval.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/ranking/subtopics.h"
#include "dorm/read.h"
#include "evaluation/discounts.h"

namespace dorm {
namespace {

using test::kFourth;
using test::kSecond;
using test::kThird;

// "jordan": country (a, b), player (b, c), river (d, not retrieved); e is judged not relevant to the river.
constexpr std::string_view kSubtopicJudgments =
    "1 country a 1\n1 country b 1\n1 player b 1\n1 player c 2\n1 river d 1\n1 river e 0\n";
constexpr std::string_view kSubtopicRun = "1 Q0 a 1 9 t\n1 Q0 e 2 8 t\n1 Q0 b 3 7 t\n1 Q0 x 4 6 t\n";

double subtopic_value(const std::string& measure, const EvaluateOptions& options = {}) {
  const std::vector<std::string> measures = {measure};
  return evaluate_subtopics(parse_subtopics(kSubtopicJudgments, "j"), parse_run(kSubtopicRun, "r"), measures, options)
      .measures[0]
      .mean;
}

TEST(Subtopics, AlphaNdcgIsHandArithmetic) {
  // Ranking a e b: 1 + (1/2 + 1)/log2(4). Ideal b d a c: 2, 1, 1/2, 1/2.
  EXPECT_NEAR(subtopic_value("alpha-ndcg@3"), (1 + 1.5 * kThird) / (2 + kSecond + 0.5 * kThird), 1e-15);
  EXPECT_NEAR(subtopic_value("alpha-ndcg"), (1 + 1.5 * kThird) / (2 + kSecond + 0.5 * (kThird + kFourth)), 1e-15);
  EXPECT_NEAR(subtopic_value("alpha-ndcg@3:alpha=1"), (1 + 1 * kThird) / (2 + kSecond), 1e-15);
  EXPECT_NEAR(subtopic_value("alpha-ndcg@3:alpha=0"), (1 + 2 * kThird) / (2 + kSecond + kThird), 1e-15);
}

TEST(Subtopics, PrecisionAndRecallAreHandArithmetic) {
  EXPECT_NEAR(subtopic_value("ia-precision@2"), 1 / 2. / 3, 1e-15);
  EXPECT_NEAR(subtopic_value("ia-precision@10"), 3 / 10. / 3, 1e-15);
  EXPECT_NEAR(subtopic_value("subtopic-recall@1"), 1 / 3., 1e-15);
  EXPECT_NEAR(subtopic_value("subtopic-recall@3"), 2 / 3., 1e-15);
}

TEST(Subtopics, LimitsFilterTheRun) {
  const auto judgments = parse_subtopics("1 p http://x.org/1 1\n1 q http://y.org/1 1\n", "j");
  const auto run = parse_run("1 Q0 http://x.org/1 1 3 t\n1 Q0 http://x.org/2 2 2 t\n1 Q0 http://y.org/1 3 1 t\n", "r");
  const std::vector<std::string> measures = {"subtopic-recall@2"};
  EXPECT_EQ(evaluate_subtopics(judgments, run, measures).measures[0].mean, 0.5);
  EXPECT_EQ(evaluate_subtopics(judgments, run, measures, {.one_per = "host"}).measures[0].mean, 1);
}

TEST(Subtopics, QueriesWithoutRelevantSubtopicsAreSkippedAndUnjudgedOnesCounted) {
  const auto judgments = parse_subtopics("1 p a 0\n2 p a 1\n", "j");
  const auto run = parse_run("2 Q0 a 1 3 t\n3 Q0 a 1 3 t\n", "r");
  const std::vector<std::string> measures = {"alpha-ndcg@2"};
  const EvaluationTable table = evaluate_subtopics(judgments, run, measures);
  EXPECT_EQ(table.measures[0].queries, 1u);
  EXPECT_EQ(table.measures[0].skipped, 1u);
  EXPECT_EQ(table.unjudged_queries, 1u);
}

TEST(Subtopics, WhatMakesNoSenseIsRefused) {
  for (const char* name : {"ndcg@10", "alpha-ndcg@10:alpha=2", "alpha-ndcg:beta=1", "ia-precision", "subtopic-recall"})
    EXPECT_THROW(make_subtopic_measure(name), Error) << name;
  EXPECT_THROW(subtopic_value("alpha-ndcg", {.ties = "expected"}), Error);
  const auto run = parse_run(kSubtopicRun, "r");
  const std::vector<std::string> measures = {"alpha-ndcg"};
  EXPECT_THROW(evaluate_subtopics(parse_subtopics("1 p a 1\n1 p a 1\n", "j"), run, measures), Error);
  EXPECT_THROW(parse_subtopics("1 p a\n", "j"), Error);
}

}  // namespace
}  // namespace dorm
