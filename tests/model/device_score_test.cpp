// SPDX-License-Identifier: Apache-2.0
// Scores of linear models on a device against those of the CPU. On the device `host`, and on the one that
// DORM_TEST_DEVICE names (make test-gpu).
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/model.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/tested_device.h"

namespace dorm {
namespace {

ComputeOptions on_tested_device(std::uint64_t bytes = 0) {
  return {.threads = 2, .device = test::tested_device(), .memory = bytes};
}

Model some_linear_model(const Dataset& data, ScalingKind kind, std::uint64_t seed) {
  Rng rng(seed);
  Model model;
  model.measure = "ndcg@10";
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(rng.normal());
  }
  model.scaling = fit_scaling(kind, data);
  return model;
}

TEST(DeviceScore, EveryScaling) {
  const Dataset data = test::random_data({.lengths = {30, 1, 1500, 45, 2}, .features = 7, .seed = 3});
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax, ScalingKind::log_zscore,
                                 ScalingKind::query_minmax, ScalingKind::log_query_zscore}) {
    const Model model = some_linear_model(data, kind, 5);
    const std::vector<double> here = score(model, data, 1), there = score(model, data, on_tested_device());
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(there[i], here[i], 1e-5) << name_of(kind);
  }
}

// 12,000 rows of 32 bytes: on a GPU, some are sent in parts.
TEST(DeviceScore, TheSameBitsAgainAndInParts) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(300, 40), .features = 7, .seed = 8});
  const Model model = some_linear_model(data, ScalingKind::zscore, 6);
  const std::vector<double> once = score(model, data, on_tested_device());
  EXPECT_EQ(score(model, data, on_tested_device()), once);
  EXPECT_EQ(score(model, data, on_tested_device(700'000)), once);
}

// A feature that never occurs, one that the model does not know, and columns in another order.
TEST(DeviceScore, FeaturesAreMatchedByName) {
  Model model;
  model.features = {"3", "1", "9"};
  model.weights = {1, 10, 100};
  model.measure = "ndcg@10";
  model.scaling = {ScalingKind::zscore, {1, 2, 3}, {1, 0.5, 2}};
  const Dataset data = test::random_data({.lengths = {5, 6}, .features = 4, .seed = 6});
  const std::vector<double> here = score(model, data, 1), there = score(model, data, on_tested_device());
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(there[i], here[i], 1e-4);
}

TEST(DeviceScore, NoDocuments) {
  const Dataset data = test::random_data({.lengths = {5, 6}, .features = 4, .seed = 6});
  const Model model = some_linear_model(data, ScalingKind::none, 1);
  EXPECT_TRUE(score(model, data.select(std::vector<std::size_t>{}), on_tested_device()).empty());
}

TEST(DeviceScore, CompressedRowsAreRefused) {
  const Dataset data = test::random_data({.sparse = true});
  const Model model = some_linear_model(data, ScalingKind::none, 1);
  EXPECT_EQ(test::message_of([&] { score(model, data, on_tested_device()); }, ErrorCode::unsupported),
            "a device holds dense rows, but these features are compressed (mostly zero); expected the device cpu");
}

}  // namespace
}  // namespace dorm
