// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dorm/dataset.h"
#include "dorm/evaluate.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// Holm (1979) by hand: .01 * 4, .02 * 3, .03 * 2, then never below what came before.
TEST(Holm, StepsDownThroughTheSortedValues) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> adjusted = holm({0.03, 0.01, none, 0.5, 0.02});
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[4], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.5);
  EXPECT_TRUE(std::isnan(adjusted[2]));
}

TEST(Stars, FollowTheThreeLevels) {
  EXPECT_EQ(significance_stars(0.0009), "***");
  EXPECT_EQ(significance_stars(0.001), "**");
  EXPECT_EQ(significance_stars(0.049), "*");
  EXPECT_EQ(significance_stars(0.05), "");
  EXPECT_EQ(significance_stars(std::nan("")), "");
}

RankerRow row_of(const std::string& name, const std::vector<double>& values) {
  RankerRow row{name, {}};
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (std::size_t q = 0; q < values.size(); ++q) row.table.query_ids.push_back(std::to_string(q));
  row.table.measures.push_back({"m", mean, 0, 0, values.size(), 0, values});
  return row;
}

// Ten queries: `up` is better in all of them, so that 2 of 1024 sign patterns are as far from 0; `same` never differs.
TEST(CompareRankers, TestsAgainstTheReferenceAndCorrects) {
  std::vector<double> base, up;
  for (int q = 0; q < 10; ++q) {
    base.push_back(0.1 * q);
    up.push_back(0.1 * q + 0.05);
  }
  const RankerTable table = compare_rankers({row_of("base", base), row_of("up", up), row_of("same", base)}, 0);
  EXPECT_TRUE(std::isnan(table.rows[0].p_holm[0]));
  EXPECT_NEAR(table.rows[1].tests[0].mean_difference, 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(table.rows[1].tests[0].p_permutation, 2.0 / 1024);
  EXPECT_DOUBLE_EQ(table.rows[1].p_holm[0], 2 * 2.0 / 1024);
  EXPECT_DOUBLE_EQ(table.rows[2].p_holm[0], 1);
  EXPECT_TRUE(table.best(1, 0));
  EXPECT_FALSE(table.best(0, 0));
  const RankerTable other = compare_rankers({row_of("base", base), row_of("up", up)}, 1);
  EXPECT_NEAR(other.rows[0].tests[0].mean_difference, -0.05, 1e-12);
}

TEST(CompareRankers, RefusesOtherQueries) {
  EXPECT_NE(test::message_of([] {
              compare_rankers({row_of("a", {1, 2}), row_of("b", {1, 2, 3})}, 0);
            }).find("b and a were evaluated by other measures or on other queries"),
            std::string::npos);
}

Dataset three_documents() {
  DatasetBuilder builder;
  const float x[] = {0};
  builder.add({.label = 1, .query_id = "q", .document_id = "a"}, x);
  builder.add({.label = 0, .query_id = "q", .document_id = "b"}, x);
  builder.add({.label = 1, .query_id = "r", .document_id = "c"}, x);
  builder.set_query_weight("r", 3);
  return builder.finish();
}

TEST(MatchRun, CountsWhatOneSideLacks) {
  const std::vector<RunEntry> run = {{"q", "b", 2}, {"q", "z", 1}, {"s", "a", 1}, {"s", "b", 1}};
  const RunOnData matched = match_run(three_documents(), run);
  EXPECT_EQ(matched.lacking_documents, 2u);
  EXPECT_EQ(matched.lacking_queries, 2u);
  EXPECT_EQ(matched.lacking_query, "q");
  EXPECT_EQ(matched.lacking_document, "a");
  EXPECT_EQ(matched.unknown_documents, 1u);
  EXPECT_EQ(matched.unknown_queries, 1u);
  EXPECT_EQ(matched.scores[1], 2);
  EXPECT_TRUE(std::isinf(matched.scores[0]));
}

TEST(MatchRun, RefusesADocumentTwice) {
  const std::vector<RunEntry> run = {{"q", "b", 2}, {"q", "b", 1}};
  EXPECT_NE(test::message_of([&] { match_run(three_documents(), run); }).find("appears twice in the run"),
            std::string::npos);
}

// q: b, z (label 0), then a is not retrieved: reciprocal rank 0. r is an empty list: 0. With a behind z: 1/3.
TEST(EvaluateRunOnData, CountsUnknownDocumentsAndWeights) {
  const std::vector<std::string> measures = {"mrr"};
  std::vector<RunEntry> run = {{"q", "b", 3}, {"q", "z", 2}};
  EXPECT_DOUBLE_EQ(evaluate_run(three_documents(), run, measures).measures[0].mean, 0);
  run.push_back({"q", "a", 1});
  const EvaluationTable table = evaluate_run(three_documents(), run, measures);
  EXPECT_DOUBLE_EQ(table.measures[0].per_query[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(table.measures[0].mean, 1.0 / 3 / 4);  // r weighs 3
}

}  // namespace
}  // namespace dorm
