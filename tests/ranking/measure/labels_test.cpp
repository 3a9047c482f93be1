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

// By hand: labels .5, 0, 2 in this order.
TEST(Labels, AreGainsWhereAMeasureIsLinearInThem) {
  const std::vector<float> labels = {0.5f, 0, 2};
  const Ranking order = {0, 1, 2};
  const auto value = [&](const char* spelling) { return *make_measure(spelling)->evaluate(labels, order); };
  EXPECT_DOUBLE_EQ(value("precision@2:gain=linear"), 0.25);
  EXPECT_DOUBLE_EQ(value("rbp:p=0.5,gain=linear"), 0.5 * 0.5 + 0.125 * 2);
  EXPECT_DOUBLE_EQ(value("avgrank"), 0.5 * 1 + 2 * 0);
  EXPECT_DOUBLE_EQ(*make_measure("avgrank")->evaluate(labels, Ranking{2, 0, 1}), 2 * 1 + 0.5 * 0.5);
  for (const char* linear : {"dcg@3:gain=linear", "precision@2:gain=linear", "rbp:gain=linear", "eru", "avgrank"})
    EXPECT_TRUE(make_trainable(linear)->linear_in_labels()) << linear;
  for (const char* other : {"dcg@3", "ndcg:gain=linear", "precision@2", "rbp", "eru:neutral=1", "neru", "mrr"})
    EXPECT_FALSE(make_trainable(other)->linear_in_labels()) << other;
  EXPECT_EQ(test::message_of([] { make_measure("rbp:gain=exp2"); }, ErrorCode::bad_option),
            "measure \"rbp:gain=exp2\": gain \"exp2\"; expected linear, or none for relevance");
  EXPECT_EQ(test::message_of([] { make_measure("precision@2:gain=linear,rel=1"); }, ErrorCode::bad_option),
            "measure \"precision@2:gain=linear,rel=1\": rel beside gain=linear; expected one of them");
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
