// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/dataset.h"
#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::message_of;
using Floats = std::vector<float>;

TEST(Builder, RefusesNumbersThatAreNotFinite) {
  DatasetBuilder builder;
  EXPECT_EQ(message_of([&] {
              builder.add({NAN, "q"}, Floats{1});
            }),
            "document 0 has the label nan; expected a finite number");
  EXPECT_EQ(message_of([&] {
              builder.add({1, "q"}, Floats{1, INFINITY});
            }),
            "document 0 has the value inf in column 1; expected a finite number");
  EXPECT_EQ(message_of([&] { builder.set_query_weight("q", -1); }),
            "the query 'q' has the weight -1; expected a finite number, 0 or more");
}

TEST(Builder, RefusesRowsThatDoNotFit) {
  DatasetBuilder builder;
  builder.add({1, "q"}, Floats{1, 2});
  EXPECT_EQ(message_of([&] {
              builder.add({1, "q"}, Floats{1});
            }),
            "document 1 has 1 features; expected 2 as in the documents before");
  EXPECT_EQ(message_of([&] { builder.add({1, ""}, Floats{1, 2}); }), "document 1 has no query id");
  const std::uint32_t columns[] = {3, 1, 3};
  EXPECT_EQ(message_of([&] {
              builder.add({1, "q"}, SparseRow{columns, Floats{1, 2, 3}});
            }),
            "document 1 has two values in column 3");
  EXPECT_EQ(message_of([&] {
              builder.add({1, "q"}, SparseRow{columns, Floats{1, 2}});
            }),
            "document 1 has 3 columns but 2 values");
}

TEST(Builder, RefusesAnEmptySetWrongNamesAndStrayWeights) {
  DatasetBuilder builder;
  EXPECT_EQ(message_of([&] { builder.finish(); }), "no documents");
  builder.add({1, "q"}, Floats{1, 2});
  builder.set_feature_names({"only one"});
  EXPECT_EQ(message_of([&] { builder.finish(); }), "1 feature names for 2 features");
  builder.add({1, "q"}, Floats{1, 2});
  builder.set_query_weight("other", 1);
  EXPECT_EQ(message_of([&] { builder.finish(); }), "a weight is set for the query 'other', which has no documents");
}

TEST(Builder, NamesMayReachBeyondTheColumnsInUse) {
  DatasetBuilder builder;
  const std::uint32_t columns[] = {1};
  builder.add({1, "q"}, SparseRow{columns, Floats{5}});
  builder.set_feature_names({"a", "b", "c"});
  const Dataset data = builder.finish();
  EXPECT_EQ(data.num_features(), 3u);
  EXPECT_EQ(data.feature_name(2), "c");
  EXPECT_EQ(data.query(0).rows.at(0, 1), 5.0f);
}

TEST(Builder, WithoutNamesFeaturesAreNumberedFromOne) {
  DatasetBuilder builder;
  builder.add({1, "q"}, Floats{5, -0.0f});
  const Dataset data = builder.finish();
  EXPECT_FALSE(data.has_feature_names());
  EXPECT_EQ(data.first_feature_id(), 1u);
  EXPECT_EQ(data.feature_name(1), "2");
  EXPECT_FALSE(std::signbit(data.query(0).rows.at(0, 1)));
}

TEST(Builder, ManyRowsSpanSeveralBlocks) {
  DatasetBuilder builder;
  Floats row(1000);
  for (std::size_t i = 0; i < 3000; ++i) {
    row[i % 1000] = static_cast<float>(i);
    row[(i + 1) % 1000] = 1;
    builder.add({0, std::to_string(i % 10)}, row);
  }
  const Dataset data = builder.finish();
  ASSERT_EQ(data.num_documents(), 3000u);
  for (std::size_t d = 0; d < 3000; d += 7) {
    const std::size_t source = data.source_row(d);
    EXPECT_EQ(source % 10, d / 300);
    EXPECT_EQ(data.query(d / 300).rows.at(d % 300, source % 1000), static_cast<float>(source));
  }
}

}  // namespace
}  // namespace dorm
