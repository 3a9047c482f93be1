// SPDX-License-Identifier: Apache-2.0
// Measures under limits on groups, by hand.
#include "evaluation/within_limits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "evaluation/discounts.h"

namespace dorm {
namespace {

using test::kFifth;
using test::kSecond;
using test::kThird;

// Groups x x y y z; labels 2 2 1 0 1; the ranking is 0 1 3 2 4, so the list one per group is 0 3 4.
const std::vector<float> kLabels = {2, 2, 1, 0, 1};
const GroupLimits kGroups = {{0, 0, 1, 1, 2}, {1, 1, 1}};
const Ranking kRanking = {0, 1, 3, 2, 4};

double limited_value(const char* measure, bool as_ranked = false) {
  return value_within(*make_measure(measure), kLabels, kGroups, kRanking, as_ranked).value();
}

TEST(WithinLimits, ListsAndIdealsAreWithinTheLimits) {
  const double ideal = 3 + kSecond + kThird;  // one of the 2s, then the 1s of y and z
  EXPECT_NEAR(limited_value("ndcg"), (3 + kThird) / ideal, 1e-15);
  EXPECT_NEAR(limited_value("ndcg@2"), 3 / (3 + kSecond), 1e-15);
  EXPECT_NEAR(limited_value("dcg"), 3 + kThird, 1e-15);
  EXPECT_NEAR(limited_value("precision@3"), 2 / 3., 1e-15);
  EXPECT_NEAR(limited_value("mrr"), 1, 1e-15);
  EXPECT_NEAR(limited_value("recall@3"), 2 / 3., 1e-15);  // three groups have a relevant document
  EXPECT_NEAR(limited_value("map"), (1 + 2 / 3.) / 3, 1e-15);
}

TEST(WithinLimits, SurplusDocumentsTakeAPlaceAndGainNothingAsRanked) {
  const double ideal = 3 + kSecond + kThird;
  EXPECT_NEAR(limited_value("ndcg", true), (3 + kFifth) / ideal, 1e-15);
  EXPECT_NEAR(limited_value("precision@3", true), 1 / 3., 1e-15);
  EXPECT_NEAR(limited_value("recall@5", true), 2 / 3., 1e-15);
  EXPECT_NEAR(limited_value("map", true), (1 + 2 / 5.) / 3, 1e-15);
}

TEST(WithinLimits, LimitsThatDoNotBindChangeNothing) {
  const GroupLimits loose = {{0, 0, 1, 1, 2}, {5, 5, 5}};
  for (const char* name : {"ndcg@3", "ndcg", "precision@2", "mrr", "map", "recall@2", "err", "rbp", "neru", "wta"}) {
    const MeasurePtr measure = make_measure(name);
    for (bool as_ranked : {false, true})
      EXPECT_NEAR(value_within(*measure, kLabels, loose, kRanking, as_ranked).value(),
                  measure->evaluate(kLabels, kRanking).value(), 1e-15)
          << name;
  }
}

TEST(WithinLimits, QueriesWithNothingToFindHaveNoValue) {
  const std::vector<float> nothing(5, 0.0f);
  for (const char* name : {"ndcg@3", "map", "recall@2"})
    EXPECT_FALSE(value_within(*make_measure(name), nothing, kGroups, kRanking, false)) << name;
}

TEST(WithinLimits, PairsAndExpectedTiesAreRefused) {
  EXPECT_THROW(limited_value("auc"), Error);
  EXPECT_THROW(limited_value("kendall"), Error);
  const std::vector<double> scores = {1, 1, 1, 0, 0};
  const std::vector<ScoredQuery> queries = {{"1", kLabels, scores, {}, 1.0, &kGroups}};
  const std::vector<std::string> measures = {"ndcg@3"};
  EXPECT_THROW(evaluate(queries, measures, {.ties = "expected"}), Error);
  EXPECT_NEAR(evaluate(queries, measures).measures[0].mean, 1, 1e-15);  // 0, 2, 4 by index
}

TEST(WithinLimits, RunsAreGroupedByTheHostsOfTheirDocuments) {
  const std::vector<Judgment> judgments = {
      {"1", "http://a.org/1", 1}, {"1", "http://a.org/2", 1}, {"1", "http://b.org/1", 1}};
  const std::vector<RunEntry> run = {
      {"1", "http://a.org/1", 3}, {"1", "http://a.org/2", 2}, {"1", "http://c.org/1", 1}};
  const std::vector<std::string> measures = {"recall@2", "precision@2"};
  const EvaluationTable table = evaluate_run(judgments, run, measures, {.one_per = "host"});
  EXPECT_NEAR(table["recall@2"].mean, 1 / 2., 1e-15);  // a.org and b.org are to be found
  EXPECT_NEAR(table["precision@2"].mean, 1 / 2., 1e-15);
  EXPECT_EQ(table.one_per, "host");
}

}  // namespace
}  // namespace dorm
