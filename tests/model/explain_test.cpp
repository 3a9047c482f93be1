// SPDX-License-Identifier: Apache-2.0
#include "dorm/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace dorm {
namespace {

// Two queries of features a and b; the first has three documents.
Dataset explained_data() {
  DatasetBuilder builder;
  builder.set_feature_names({"a", "b", "unused"});
  const float rows[4][3] = {{1, 10, 5}, {4, 20, 5}, {2, 60, 5}, {9, 9, 9}};
  for (std::size_t i = 0; i < 3; ++i)
    builder.add({.label = 0, .query_id = "q", .document_id = std::string_view("xyz").substr(i, 1)}, rows[i]);
  builder.add({.label = 1, .query_id = "r", .document_id = "w"}, rows[3]);
  return builder.finish();
}

Model explained_model(ScalingKind kind) {
  Model model;
  model.features = {"b", "a"};  // not in the order of the data
  model.weights = {0.5, -2};
  model.scaling.kind = kind;
  if (kind != ScalingKind::none && !model.scaling.per_query()) {
    model.scaling.shift = {3, 1};
    model.scaling.factor = {0.25, 2};
  }
  return model;
}

double sum_of(const DocumentExplanation& document, double FeaturePart::*what) {
  return std::accumulate(document.parts.begin(), document.parts.end(), 0.0,
                         [&](double sum, const FeaturePart& part) { return sum + part.*what; });
}

// By hand: scores 0.5 b - 2 a are 3, 2 and 26, with a mean of 31 / 3.
TEST(Explain, SplitsALinearScore) {
  const QueryExplanation result = explain(explained_model(ScalingKind::none), explained_data(), 0);
  ASSERT_EQ(result.documents.size(), 3u);
  EXPECT_TRUE(result.additive);
  EXPECT_NEAR(result.mean_score, 31.0 / 3, 1e-12);
  const DocumentExplanation& first = result.documents[0];
  EXPECT_EQ(first.document, 2u);
  EXPECT_EQ(first.rank, 1u);
  EXPECT_DOUBLE_EQ(first.score, 26);
  EXPECT_EQ(first.parts[0].feature, 0u);  // b
  EXPECT_EQ(first.parts[0].value, 60);
  EXPECT_DOUBLE_EQ(first.parts[0].contribution, 30);
  EXPECT_NEAR(first.parts[0].above_mean, 15, 1e-9);
  EXPECT_DOUBLE_EQ(first.parts[1].contribution, -4);
}

TEST(Explain, SumsAreTheScoresUnderEveryScaling) {
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax, ScalingKind::log_zscore,
                                 ScalingKind::query_minmax, ScalingKind::log_query_zscore}) {
    const Model model = explained_model(kind);
    const Dataset data = explained_data();
    const std::vector<double> scores = score(model, data);
    const QueryExplanation result = explain(model, data, 0);
    for (const DocumentExplanation& document : result.documents) {
      EXPECT_DOUBLE_EQ(document.score, scores[document.document]);
      EXPECT_NEAR(sum_of(document, &FeaturePart::contribution), document.score, 1e-12);
      EXPECT_NEAR(sum_of(document, &FeaturePart::above_mean), document.score - result.mean_score, 1e-12);
    }
  }
}

TEST(Explain, TakesTheTopOrTheDocumentsAskedFor) {
  const Model model = explained_model(ScalingKind::none);
  EXPECT_EQ(explain(model, explained_data(), 0, 2).documents.size(), 2u);
  const std::vector<std::size_t> asked = {1, 0};
  const QueryExplanation result = explain(model, explained_data(), 0, 1, asked);
  ASSERT_EQ(result.documents.size(), 2u);
  EXPECT_EQ(result.documents[0].document, 0u);  // rank 2
  EXPECT_EQ(result.documents[1].rank, 3u);
  EXPECT_EQ(explain(model, explained_data(), 1).documents[0].document, 3u);
}

// The row with the value put in has the score of the other.
TEST(Explain, AValueForAGainIsExact) {
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore}) {
    const Model model = explained_model(kind);
    const auto score_of = [&](std::span<const float> row) {
      DatasetBuilder one;
      one.set_feature_names({"b", "a"});
      one.add({.query_id = "q"}, row);
      return score(model, one.finish())[0];
    };
    for (std::size_t feature = 0; feature < 2; ++feature) {
      float low[] = {10, 1};
      const float high[] = {12, 0.5};
      const double gap = score_of(high) - score_of(low);
      const std::optional<double> value = value_for_gain(model, feature, low[feature], gap);
      ASSERT_TRUE(value);
      low[feature] = static_cast<float>(*value);
      EXPECT_NEAR(score_of(low), score_of(high), 1e-5 * std::fabs(gap));
    }
  }
}

TEST(Explain, NoValueWhereNoneIsKnown) {
  EXPECT_FALSE(value_for_gain(explained_model(ScalingKind::log_query_zscore), 0, 1, 1));
  Model without = explained_model(ScalingKind::none);
  without.weights[0] = 0;
  EXPECT_FALSE(value_for_gain(without, 0, 1, 1));
  EXPECT_FALSE(value_for_gain(explained_model(ScalingKind::log_zscore), 0, 1, 1e6));  // e^8e6
}

// g(x) = 2 k(x, 0) of a Gaussian; the effect is that of leaving one feature at its mean over the query.
TEST(Explain, AKernelTriesFeaturesOneByOne) {
  DatasetBuilder support;
  support.set_feature_names({"a", "b"});
  const float at[] = {0, 0};
  support.add({.query_id = "s"}, at);
  Model model;
  model.features = {"a", "b"};
  model.kernel.emplace();
  model.kernel->kernel = "rbf:gamma=0.5";
  model.kernel->approximation = "none";
  model.kernel->support = support.finish();
  model.kernel->coefficients = {2};
  DatasetBuilder builder;
  builder.set_feature_names({"a", "b"});
  const float rows[2][2] = {{1, 0}, {0, 2}};
  for (const auto& row : rows) builder.add({.query_id = "q"}, row);
  const QueryExplanation result = explain(model, builder.finish(), 0);
  EXPECT_FALSE(result.additive);
  const auto g = [](double a, double b) { return 2 * std::exp(-0.5 * (a * a + b * b)); };
  const DocumentExplanation& first = result.documents[0];  // (1, 0); means are 0.5 and 1
  EXPECT_NEAR(first.score, g(1, 0), 1e-5);
  for (const FeaturePart& part : first.parts)
    EXPECT_NEAR(part.contribution, g(1, 0) - (part.feature == 0 ? g(0.5, 0) : g(1, 1)), 1e-5);
}

}  // namespace
}  // namespace dorm
