// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

Dataset three_queries() {
  DatasetBuilder builder;
  for (const char* id : {"a", "b", "c"})
    for (float x : {1.0f, 2.0f}) builder.add({.label = x, .query_id = id}, std::vector<float>{x, -x});
  return builder.finish();
}

TEST(Reweight, SharesFeaturesAndOutlivesTheOriginal) {
  Dataset data = three_queries();
  const float* features = data.query(1).rows.dense_row(0);
  const Dataset weighted = with_query_weights(data, {0.0, 2.5, 1.0});
  data = Dataset();
  EXPECT_EQ(weighted.query(1).rows.dense_row(0), features);
  EXPECT_EQ(weighted.query(0).weight, 0.0);
  EXPECT_EQ(weighted.query(1).weight, 2.5);
  EXPECT_EQ(weighted.query(2).id, "c");
}

TEST(Reweight, RefusesWeightsThatMakeNoSense) {
  const Dataset data = three_queries();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> bad = {{},          {1, 1},           {1, 1, 1, 1}, {1, -1, 1},
                                                {1, nan, 1}, {1, INFINITY, 1}, {0, 0, 0}};
  for (const std::vector<double>& weights : bad) EXPECT_THROW(with_query_weights(data, weights), Error);
  const std::vector<std::size_t> some = {0, 2};
  EXPECT_THROW(with_query_weights(data.select(some), {1, 1}), Error);
}

TEST(Relabel, SharesFeaturesOfASelectionAndOutlivesTheOriginal) {
  Dataset data = three_queries();
  const float* features = data.query(2).rows.dense_row(1);
  const std::vector<std::size_t> some = {2, 0};
  const Dataset other = data.select(some).with_labels(std::vector<float>{7, 8, 9, 10});
  EXPECT_EQ(data.query(2).labels[0], 1);
  data = Dataset();
  ASSERT_EQ(other.num_queries(), 2u);
  EXPECT_EQ(other.query(0).id, "c");
  EXPECT_EQ(other.query(0).labels[1], 8);
  EXPECT_EQ(other.query(1).labels[0], 9);
  EXPECT_EQ(other.query(0).rows.dense_row(1), features);
}

TEST(Relabel, RefusesLabelsThatMakeNoSense) {
  const Dataset data = three_queries();
  EXPECT_THROW(data.with_labels(std::vector<float>{1, 2}), Error);
  EXPECT_THROW(data.with_labels(std::vector<float>{1, 2, 3, 4, 5, INFINITY}), Error);
}

}  // namespace
}  // namespace dorm
