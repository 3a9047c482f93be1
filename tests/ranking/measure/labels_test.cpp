// SPDX-License-Identifier: Apache-2.0
// Labels at the edge of what a measure is defined for, and rankings that leave documents out.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "dorm/error.h"
#include "dorm/measure.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::optional<double> value_of(const std::string& spelling, const std::vector<float>& labels) {
  return make_measure(spelling)->evaluate(labels, Ranking{0});
}

std::string message_of(const std::string& spelling, const std::vector<float>& labels) {
  return test::message_of([&] { value_of(spelling, labels); }, ErrorCode::bad_input);
}

TEST(Labels, LargeExponentsStayFinite) {
  const std::vector<float> labels(1000, 1000.0f);
  Ranking ranking(labels.size());
  std::iota(ranking.begin(), ranking.end(), 0u);
  EXPECT_TRUE(std::isfinite(*make_measure("dcg")->evaluate(labels, ranking)));
  EXPECT_NEAR(*make_measure("ndcg")->evaluate(labels, ranking), 1, 1e-12);
}

TEST(Labels, WhatWouldOverflowIsRefused) {
  EXPECT_EQ(message_of("ndcg@10", {1001}),
            "label 1001: the gain 2^label - 1 would overflow; expected at most 1000, or use gain=linear");
  EXPECT_NO_THROW(value_of("ndcg@10:gain=linear", {1001}));
}

TEST(Labels, PastTheGainTableIsRefused) {
  EXPECT_EQ(message_of("custom:gains=0/1/3,discounts=1", {2.5f}),
            "label 2.5 is past the gain table, which ends at label 2");
}

TEST(Labels, AboveTheHighestGradeIsRefusedWithTheSpellingThatWorks) {
  EXPECT_EQ(message_of("err@10", {5}), "label 5 is above the highest grade 4 of err@10; say err@10:max_grade=5");
  EXPECT_NO_THROW(value_of("err@10:max_grade=5", {5}));
}

// Labels 2 1 1, but only the last document was retrieved.
TEST(Labels, DocumentsThatWereNotRetrievedCountAsJudged) {
  const std::vector<float> labels = {2, 1, 1, 0};
  const Ranking ranking = {2, 3};
  const auto at = [&](const char* spelling) { return *make_measure(spelling)->evaluate(labels, ranking); };
  EXPECT_DOUBLE_EQ(at("ndcg"), 1 / (3 + 1 / std::log2(3.0) + 0.5));  // the ideal knows all four
  EXPECT_DOUBLE_EQ(at("map"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(at("recall@10"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(at("mrr"), 1);
  EXPECT_DOUBLE_EQ(at("wta"), 0);
  // One of three relevant documents stands above the only other; two stand below it.
  EXPECT_DOUBLE_EQ(at("auc"), 1.0 / 3);
  // Order 1 0 {2 1}: right 1-0; wrong 1-2, 0-2, 0-1; the missing are tied with each other. (1 - 3) / sqrt(6 * 5).
  EXPECT_DOUBLE_EQ(at("kendall"), -2 / std::sqrt(30.0));
}

}  // namespace
}  // namespace dorm
