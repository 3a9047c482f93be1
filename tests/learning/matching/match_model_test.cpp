// SPDX-License-Identifier: Apache-2.0
// Match models as files.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/matching/match.h"
#include "support/message_of.h"

namespace dorm {
namespace {

MatchModel small_model() {
  MatchModel model;
  model.unmatched = true;
  model.node_features = {"x", "y"};
  model.node_factors = {1, 0.1};
  model.edge_features = {"length"};
  model.edge_factors = {3};
  model.weights = {0.1, -0.2, 0.3, 1.0 / 3, 4};
  model.learnt = true;
  model.C = 10;
  model.status = "converged";
  model.primal = 0.7;
  return model;
}

TEST(MatchModel, ReadsWhatItWrites) {
  const MatchModel model = small_model();
  const MatchModel again = match_model_from_json(to_json(model), "memory");
  EXPECT_EQ(again.weights, model.weights);
  EXPECT_EQ(again.node_factors, model.node_factors);
  EXPECT_EQ(again.edge_features, model.edge_features);
  EXPECT_EQ(again.C, 10);
  EXPECT_EQ(to_json(again), to_json(model));
  EXPECT_EQ(model.weight_names(), (std::vector<std::string>{"x", "y", "matched", "edge", "edge length"}));
}

TEST(MatchModel, RefusesOtherFiles) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { match_model_from_json(text, "m.json"); });
  };
  EXPECT_EQ(message("{\"format\": \"dorm-model\"}"),
            "m.json: not a usable match model: \"format\" should be \"dorm-match\"");
  std::string text = to_json(small_model());
  text.replace(text.find("\"weights\": ["), 12, "\"weights\": [7, ");
  EXPECT_NE(message(text).find("weights"), std::string::npos);
  EXPECT_NE(message("nonsense").find("m.json"), std::string::npos);
}

TEST(MatchModel, RefusesGraphsWithOtherFeatures) {
  GraphSet set;
  set.node_features = {"x", "z"};
  EXPECT_EQ(test::message_of([&] { predict_matches(small_model(), set, {}); }),
            "features of nodes: x, z; the model expects: x, y");
}

}  // namespace
}  // namespace dorm
