// SPDX-License-Identifier: Apache-2.0
// The risks that solvers see: planes in the space of weights, dense and sparse data, weights of blocks.
#include "learning/baseline/score_risk.h"

#include <gtest/gtest.h>

#include "learning/baseline/class_risk.h"
#include "support/random_data.h"

namespace dorm {
namespace {

std::vector<double> random_weights(Rng& rng, std::size_t size) {
  std::vector<double> w(size);
  for (double& x : w) x = rng.normal();
  return w;
}

void expect_supporting_planes(const StructuredRisk& risk) {
  const auto workspace = risk.make_workspace();
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    const std::vector<double> w = random_weights(rng, risk.dimension()), v = random_weights(rng, risk.dimension());
    for (std::size_t q = 0; q < risk.num_blocks(); ++q) {
      Plane at_w, at_v;
      const double value = risk.linearize(q, w, at_w, *workspace);
      const double other = risk.linearize(q, v, at_v, *workspace);
      ASSERT_TRUE(risk.geometry().well_formed(at_w));
      EXPECT_GE(value, 0);
      EXPECT_NEAR(at_w.offset - risk.geometry().dot(w, at_w), value, 1e-4);
      EXPECT_GE(other, at_w.offset - risk.geometry().dot(v, at_w) - 1e-4);
    }
  }
}

TEST(ScoreRisk, PlanesSupportTheRiskWithAndWithoutBias) {
  for (bool sparse : {false, true}) {
    const LinearFeatures features(test::random_data({.lengths = {8, 6}, .grades = 3, .seed = 3, .sparse = sparse}));
    for (double bias : {0.0, 2.0})
      expect_supporting_planes(ScoreRisk(
          features, [](Labels y) { return class_hinge(y, 1); }, Unit::document, bias));
  }
}

TEST(ScoreRisk, TakesThePositivePartOfALossThatMayBeNegative) {
  const LinearFeatures features(test::random_data({.lengths = {9, 7}, .seed = 3}));
  expect_supporting_planes(ScoreRisk(
      features, [](Labels y) { return precision_hinge(y, 3, Convention{}); }, Unit::query));
}

TEST(ScoreRisk, CountsQueriesOrDocuments) {
  const LinearFeatures features(test::random_data({.lengths = {10, 30}, .seed = 4}));
  ScoreRisk queries(features, pairwise_mean, Unit::query), documents(features, pairwise_mean, Unit::document);
  queries.set_trade_off(2);
  documents.set_trade_off(2);
  EXPECT_DOUBLE_EQ(queries.block_weight(0), 2);
  EXPECT_DOUBLE_EQ(documents.block_weight(0), 1);
  EXPECT_DOUBLE_EQ(documents.block_weight(1), 3);
}

// max over all labellings of the documents of one query, each document on its own.
double crammer_singer(const Query& query, std::span<const double> w, double bias, const std::vector<double>& weights) {
  const std::size_t width = query.rows.num_features() + 1;
  double sum = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    std::vector<double> g(3);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j + 1 < width; ++j) g[k] += w[k * width + j] * double{query.rows.at(i, j)};
      g[k] += bias * w[(k + 1) * width - 1];
    }
    const auto own = static_cast<std::size_t>(query.labels[i]);
    double worst = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (k != own) worst = std::max(worst, 1 + g[k] - g[own]);
    sum += weights[own] * worst;
  }
  return sum / static_cast<double>(query.size());
}

TEST(ClassRisk, EqualsTheDefinitionOfCrammerAndSinger) {
  for (bool sparse : {false, true}) {
    const LinearFeatures features(test::random_data({.lengths = {8, 6}, .grades = 3, .seed = 6, .sparse = sparse}));
    const std::vector<double> weights = sparse ? std::vector<double>{1, 1, 1} : std::vector<double>{0.25, 2, 1.5};
    const ClassRisk risk(features, {0, 1, 2}, weights, 1.5);
    const auto workspace = risk.make_workspace();
    Rng rng(8);
    for (int round = 0; round < 20; ++round) {
      const std::vector<double> w = random_weights(rng, risk.dimension());
      for (std::size_t q = 0; q < 2; ++q) {
        Plane plane;
        EXPECT_NEAR(risk.linearize(q, w, plane, *workspace), crammer_singer(features.data().query(q), w, 1.5, weights),
                    1e-9);
      }
    }
    expect_supporting_planes(risk);
  }
}

}  // namespace
}  // namespace dorm
