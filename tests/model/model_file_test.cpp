// SPDX-License-Identifier: Apache-2.0
// Which kind of model a file holds.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/model.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

TEST(ModelFile, KindsAreToldApartAndLoaded) {
  const test::TemporaryDirectory directory;
  Model model;
  model.features = {"1", "2"};
  model.weights = {1, 2};
  model.measure = "ndcg@10";
  const PositionModel positions{model, {1, 0.5}, {{1, 2}, {3, 4}}, {}};
  const std::string plain = directory.write("m.json", to_json(model)),
                    slots = directory.write("p.json", to_json(positions));
  EXPECT_EQ(std::get<Model>(load_any_model(plain)).weights, model.weights);
  EXPECT_EQ(std::get<PositionModel>(load_any_model(slots)).blocks, positions.blocks);
  EXPECT_THROW(load_any_model(directory.write("broken.json", "{")), Error);
}

}  // namespace
}  // namespace dorm
