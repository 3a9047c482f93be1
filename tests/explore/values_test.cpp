// SPDX-License-Identifier: Apache-2.0
// The figures of the page are those of evaluate(), however they are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "serve/explore/query_values.h"
#include "serve/explore/scaled_columns.h"
#include "serve/explore/score_table.h"

namespace dorm::explore {
namespace {

Dataset random_queries(std::size_t queries, std::size_t features, std::uint64_t seed) {
  Rng rng(seed);
  DatasetBuilder builder;
  std::vector<float> row(features);
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0, size = 1 + rng.below(40); i < size; ++i) {
      for (float& x : row) x = static_cast<float>(rng.below(50)) / 4;
      builder.add({.label = static_cast<float>(q % 7 == 0 ? 0 : rng.below(4)), .query_id = fmt::format("q{}", q)}, row);
    }
  return builder.finish();
}

Model random_model(std::size_t features, ScalingKind kind, const Dataset& data) {
  Rng rng(9);
  Model model;
  for (std::size_t j = 0; j < features; ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(rng.normal());
  }
  model.scaling = fit_scaling(kind, data);
  return model;
}

TEST(ValuesTest, EqualThoseOfEvaluate) {
  const Dataset data = random_queries(60, 3, 1);
  Rng rng(5);
  std::vector<double> scores(data.num_documents());
  for (double& score : scores) score = static_cast<double>(rng.below(12));  // with ties
  for (const char* convention : {"standard", "letor4", "sklearn", "trec", "lightgbm"})
    for (const char* ties : {"", "index", "expected", "worst"})
      for (const char* measure : {"ndcg@5", "ndcg", "mrr", "precision@3", "map", "dcg@10", "gmap"}) {
        EvaluateOptions options{.convention = convention, .ties = ties};
        const QueryValues values(data, measure, options);
        const MeasureResult found = values.estimate(values.values(ScoreTable(scores)));
        const std::vector<std::string> names = {measure};
        const MeasureResult expected = evaluate(data, scores, names, options).measures[0];
        EXPECT_EQ(found.mean, expected.mean) << convention << ties << measure;
        EXPECT_EQ(found.low, expected.low);
        EXPECT_EQ(found.high, expected.high);
        EXPECT_EQ(found.queries, expected.queries);
        EXPECT_EQ(found.skipped, expected.skipped);
        for (std::size_t q = 0; q < data.num_queries(); ++q)
          EXPECT_TRUE(found.per_query[q] == expected.per_query[q] || std::isnan(expected.per_query[q]));
      }
}

TEST(ValuesTest, CutoffIsThatOfTheName) {
  const Dataset data = random_queries(5, 2, 2);
  EXPECT_EQ(QueryValues(data, "ndcg@5", {}).cutoff(), 5U);
  EXPECT_EQ(QueryValues(data, "ndcg@7:gain=linear", {}).cutoff(), 7U);
  EXPECT_EQ(QueryValues(data, "map", {}).cutoff(), 0U);
}

TEST(ValuesTest, ScoresByChangesAreThoseOfTheEditedModel) {
  const Dataset data = random_queries(50, 6, 3);
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax, ScalingKind::query_minmax,
                                 ScalingKind::log_zscore, ScalingKind::log_query_zscore}) {
    Model model = random_model(6, kind, data);
    ScaledColumns columns(model, data, 3 * 8 * data.num_documents(), 2);
    EXPECT_EQ(columns.room(), 3U);
    const auto base = std::make_shared<ScoreTable>(score(model, data));
    std::vector<WeightChange> changes;
    for (const std::size_t feature : {0U, 2U, 5U, 3U}) {  // one more than are kept
      changes.push_back({0.75, columns.column(feature)});
      model.weights[feature] += 0.75;
    }
    const ScoreTable changed(base, changes);
    const std::vector<double> found = changed.all(), expected = score(model, data);
    const double step = std::ldexp(2 * changed.largest(), -44);
    for (std::size_t d = 0; d < found.size(); ++d) EXPECT_NEAR(found[d], expected[d], 2 * step) << name_of(kind);
    const std::size_t first = data.first_document(7);
    EXPECT_EQ(changed.load(first, 2), std::vector<double>(&found[first], &found[first] + 2));
  }
}

}  // namespace
}  // namespace dorm::explore
