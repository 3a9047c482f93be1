// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/pairwise_risk.h"

#include <gtest/gtest.h>

#include "base/vector/vector_ops.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Dataset weighted(double first, double second) {
  DatasetBuilder builder;
  for (const char* id : {"a", "b", "same"})
    for (int i = 0; i < 3; ++i)
      builder.add({id[0] == 's' ? 1.0f : static_cast<float>(i), id}, std::vector<float>{static_cast<float>(i), 1});
  builder.set_query_weight("a", first);
  builder.set_query_weight("b", second);
  return builder.finish();
}

TEST(PairwiseRisk, LeavesOutQueriesWithOneLabelOrNoWeight) {
  const LinearFeatures both(weighted(1, 1)), one(weighted(0, 2));
  EXPECT_EQ(PairwiseRisk(both).num_blocks(), 2u);
  EXPECT_EQ(PairwiseRisk(one).num_blocks(), 1u);
}

TEST(PairwiseRisk, WeightsAreOneOnAverageWhateverTheirUnit) {
  const LinearFeatures features(weighted(1e-6, 3e-6));
  PairwiseRisk risk(features);
  risk.set_trade_off(2);
  EXPECT_NEAR(risk.block_weight(0), 1, 1e-12);
  EXPECT_NEAR(risk.block_weight(1), 3, 1e-12);
}

TEST(PairwiseRisk, PlaneSupportsTheRiskEverywhere) {
  const LinearFeatures features(test::random_data({.lengths = {8, 6}, .seed = 3}));
  const PairwiseRisk risk(features);
  const auto workspace = risk.make_workspace();
  Rng rng(5);
  std::vector<double> w(4), v(4);
  for (int round = 0; round < 50; ++round) {
    for (double& x : w) x = rng.normal();
    for (double& x : v) x = rng.normal();
    for (std::size_t q = 0; q < risk.num_blocks(); ++q) {
      Plane at_w, at_v;
      const double value = risk.linearize(q, w, at_w, *workspace);
      const double other = risk.linearize(q, v, at_v, *workspace);
      EXPECT_NEAR(at_w.offset - risk.geometry().dot(w, at_w), value, 1e-5);
      EXPECT_GE(other, at_w.offset - risk.geometry().dot(v, at_w) - 1e-5);
    }
  }
}

}  // namespace
}  // namespace dorm
