// SPDX-License-Identifier: Apache-2.0
#include "model/features/linear_features.h"

#include <gtest/gtest.h>

#include "dorm/data/scale.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using test::random_data;
using test::RandomData;

// X^T coefficients, entry by entry.
std::vector<double> slow_pull_back(const Dataset& data, std::size_t q, const std::vector<double>& coefficients) {
  std::vector<double> out(data.num_features(), 0.0);
  const Query query = data.query(q);
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += coefficients[i] * static_cast<double>(query.rows.at(i, j));
  return out;
}

std::vector<double> dense_of(const Plane& plane, std::size_t dimension) {
  std::vector<double> out(dimension, 0.0);
  for (std::size_t k = 0; k < plane.direction.size(); ++k)
    out[plane.columns.empty() ? k : plane.columns[k]] = static_cast<double>(plane.direction[k]);
  return out;
}

class Storage : public testing::TestWithParam<bool> {
 protected:
  Dataset data_ = random_data({.lengths = {7, 1, 12}, .features = 9, .density = 0.3, .seed = 4, .sparse = GetParam()});
};

TEST_P(Storage, ScoresAreTheProducts) {
  ASSERT_EQ(data_.dense(), !GetParam());
  const LinearFeatures features(data_);
  Rng rng(1);
  std::vector<double> w(features.dimension());
  for (double& x : w) x = rng.normal();
  for (std::size_t q = 0; q < data_.num_queries(); ++q) {
    const Query query = data_.query(q);
    std::vector<double> scores(query.size());
    features.scores(q, w, scores);
    for (std::size_t i = 0; i < query.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * static_cast<double>(query.rows.at(i, j));
      EXPECT_NEAR(scores[i], sum, 1e-12);
    }
  }
}

TEST_P(Storage, PullBackIsTheTransposedProductAndLeavesNoTrace) {
  const LinearFeatures features(data_);
  Rng rng(2);
  PullBackWorkspace workspace;
  Plane plane;
  for (int round = 0; round < 20; ++round) {
    const std::size_t q = rng.below(3);
    std::vector<double> coefficients(data_.query(q).size());
    for (double& x : coefficients) x = rng.below(2) == 0 ? 0.0 : rng.normal();
    features.pull_back(q, coefficients, plane, workspace);
    const std::vector<double> expected = slow_pull_back(data_, q, coefficients);
    const std::vector<double> found = dense_of(plane, features.dimension());
    for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-5);
    for (std::size_t k = 1; k < plane.columns.size(); ++k) EXPECT_LT(plane.columns[k - 1], plane.columns[k]);
    std::vector<double> sum(features.dimension(), 1.0);
    features.accumulate(q, coefficients, sum);
    for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(sum[j], 1 + expected[j], 1e-12);
  }
}

TEST_P(Storage, WorkCountsStoredValues) {
  const LinearFeatures features(data_);
  double sum = 0;
  for (std::size_t q = 0; q < data_.num_queries(); ++q) sum += features.work(q);
  EXPECT_EQ(sum, static_cast<double>(data_.num_nonzeros()));
}

INSTANTIATE_TEST_SUITE_P(DenseAndCompressed, Storage, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Compressed" : "Dense"; });

// Ids up to 2^31 - 1 in three columns that occur.
Dataset wide_data() {
  DatasetBuilder builder;
  const std::vector<std::uint32_t> far = {3, 2147483646}, near = {3, 70000};
  builder.add({1, "a"}, SparseRow{far, std::vector<float>{1, 2}});
  builder.add({0, "a"}, SparseRow{near, std::vector<float>{5, 7}});
  builder.add({0, "b"}, SparseRow{});
  return builder.finish();
}

TEST(CompactColumns, WeightsLiveInTheColumnsThatOccur) {
  const Dataset data = wide_data();
  const LinearFeatures features(data);
  ASSERT_EQ(features.dimension(), 3u);
  EXPECT_EQ(data.feature_number(0), 3u);
  EXPECT_EQ(data.feature_number(1), 70000u);
  EXPECT_EQ(data.feature_number(2), 2147483646u);
  std::vector<double> scores(2), empty(1);
  features.scores(0, std::vector<double>{1, 10, 100}, scores);
  EXPECT_EQ(scores, (std::vector<double>{201, 75}));
  features.scores(1, std::vector<double>{1, 10, 100}, empty);
  EXPECT_EQ(empty[0], 0);
  PullBackWorkspace workspace;
  Plane plane;
  features.pull_back(0, std::vector<double>{1, -1}, plane, workspace);
  EXPECT_EQ(plane.columns, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(plane.direction, (std::vector<float>{-4, -7, 2}));
}

// Of scaled compressed data, whose zeros have moved.
TEST(Background, BelongsToScoresAndPullBacks) {
  const Dataset raw = random_data({.lengths = {7, 2, 12}, .features = 9, .density = 0.3, .seed = 4, .sparse = true});
  const std::vector<std::size_t> backwards = {2, 1, 0};
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::log_query_zscore}) {
    const Dataset data = apply_scaling(fit_scaling(kind, raw), raw).select(backwards);
    ASSERT_FALSE(data.dense());
    ASSERT_FALSE(data.query(0).rows.background().columns.empty());
    const LinearFeatures features(data);
    Rng rng(1);
    std::vector<double> w(features.dimension());
    for (double& x : w) x = rng.normal();
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const Query query = data.query(q);
      std::vector<double> scores(query.size()), coefficients(query.size());
      for (double& x : coefficients) x = rng.normal();
      features.scores(q, w, scores);
      std::vector<double> sum(w.size(), 0.0);
      for (std::size_t i = 0; i < query.size(); ++i) {
        double expected = 0;
        for (std::size_t j = 0; j < w.size(); ++j) expected += w[j] * static_cast<double>(query.rows.at(i, j));
        EXPECT_NEAR(scores[i] + features.level(w), expected, 1e-5);
        EXPECT_NEAR(features.score(q, i, w), scores[i], 1e-12);
        features.add_row(q, i, coefficients[i], sum);
      }
      if (query.rows.common_background()) continue;
      PullBackWorkspace workspace;
      Plane plane;
      features.pull_back(q, coefficients, plane, workspace);
      const std::vector<double> slow = slow_pull_back(data, q, coefficients), fast = dense_of(plane, w.size());
      for (std::size_t j = 0; j < w.size(); ++j) {
        EXPECT_NEAR(fast[j], slow[j], 1e-5);
        EXPECT_NEAR(sum[j], slow[j], 1e-5);
      }
    }
  }
}

TEST(Background, ADifferenceOfRankingsDoesNotTouchIt) {
  const Dataset raw = random_data({.lengths = {12, 12}, .features = 9, .density = 0.1, .seed = 4, .sparse = true});
  const LinearFeatures features(apply_scaling(fit_scaling(ScalingKind::log_query_zscore, raw), raw));
  std::vector<double> coefficients(12, 0.0);
  coefficients[3] = 0.1 + 0.2, coefficients[5] = -0.3;
  PullBackWorkspace workspace;
  Plane plane;
  features.pull_back(0, coefficients, plane, workspace);
  const Query query = features.data().query(0);
  EXPECT_LE(plane.columns.size(), query.rows.sparse_row(3).columns.size() + query.rows.sparse_row(5).columns.size());
}

TEST(CompactColumns, ASelectionKeepsItsColumns) {
  const Dataset data = wide_data();
  const LinearFeatures features(data.select(std::vector<std::size_t>{1, 0}));
  std::vector<double> scores(2);
  features.scores(1, std::vector<double>{1, 10, 100}, scores);
  EXPECT_EQ(scores, (std::vector<double>{201, 75}));
}

}  // namespace
}  // namespace dorm
