// SPDX-License-Identifier: Apache-2.0
// Columns that compare documents with sets, against arithmetic by hand and loops over kernel values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dorm/learning/sets.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

struct SetRow {
  const char *query, *document;
  std::vector<float> features;
};

Dataset set_data(const std::vector<SetRow>& rows, std::vector<std::string> names) {
  DatasetBuilder builder;
  for (const SetRow& row : rows) builder.add({1.0f, row.query, row.document}, row.features);
  builder.set_feature_names(std::move(names));
  return builder.finish();
}

Dataset candidates() {
  return set_data({{"ann", "a", {1, 0}}, {"ann", "b", {1, 1}}, {"bob", "c", {0, 2}}}, {"x", "y"});
}

TEST(SetColumns, AreMeansAndMaximaOverTheSetOfTheQuery) {
  const Dataset sets = set_data({{"bob", "p", {3, 4}}, {"ann", "q", {2, 0}}, {"ann", "r", {0, 3}}}, {"x", "y"});
  const std::vector<std::string> asked = {"mean:linear", "max:linear", "mean:attribute", "columns"};
  const Dataset data = with_set_columns(candidates(), sets, asked);
  ASSERT_EQ(data.num_features(), 7u);
  const char* names[] = {"x", "y", "mean:linear", "max:linear", "mean:attribute", "set:x", "set:y"};
  for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(data.feature_name(j), names[j]);
  const float root = std::sqrt(0.5f);
  const std::vector<std::vector<float>> expected = {
      {1, 0, 1, 2, 0.5f, 1, 1.5f}, {1, 1, 2.5f, 3, root, 1, 1.5f}, {0, 2, 8, 8, 0.8f, 3, 4}};
  const Documents documents(data);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<float> row = test::row_of(documents, i);
    for (std::size_t j = 0; j < 7; ++j) EXPECT_FLOAT_EQ(row[j], expected[i][j]) << i << " " << j;
  }
  EXPECT_EQ(data.document_id(2), "c");
  EXPECT_EQ(data.query(0).labels[0], 1.0f);
}

TEST(SetColumns, FeaturesAreFoundByNameAndMayBeAbsent) {
  const Dataset sets = set_data({{"bob", "", {4, 3}}, {"ann", "", {0, 2}}}, {"z", "x"});
  const std::vector<std::string> asked = {"mean:attribute", "mean:linear(z)"};
  const Dataset data = with_set_columns(candidates(), sets, asked, {.only_added = true});
  ASSERT_EQ(data.num_features(), 2u);
  EXPECT_FLOAT_EQ(data.query(0).rows.at(0, 0), 1);  // (1, 0, 0) and (2, 0, 0) over x, y, z
  EXPECT_FLOAT_EQ(data.query(0).rows.at(1, 0), std::sqrt(0.5f));
  EXPECT_FLOAT_EQ(data.query(1).rows.at(0, 0), 0);  // y alone against x and z
  EXPECT_FLOAT_EQ(data.query(0).rows.at(0, 1), 0);
}

TEST(SetColumns, ADocumentIsNotComparedWithItself) {
  const Dataset sets = set_data({{"ann", "a", {100, 0}}, {"ann", "q", {2, 0}}, {"bob", "c", {7, 7}}}, {"x", "y"});
  const std::vector<std::string> asked = {"max:linear", "mean:linear", "columns"};
  const Dataset data = with_set_columns(candidates(), sets, asked, {.only_added = true});
  const Documents documents(data);
  EXPECT_EQ(test::row_of(documents, 0), (std::vector<float>{2, 2, 2, 0}));
  EXPECT_EQ(test::row_of(documents, 1), (std::vector<float>{100, 51, 51, 0}));
  EXPECT_EQ(test::row_of(documents, 2), (std::vector<float>{0, 0, 0, 0}));  // nothing is left of its set
}

TEST(SetColumns, AreLoopsOverKernelValues) {
  const Dataset data = test::random_data({.lengths = {20, 7, 40}, .features = 5, .seed = 3});
  const Dataset sets = test::random_data({.lengths = {33, 1, 16}, .features = 5, .seed = 4});
  const char* const kernel = "rbf(1-3):gamma=0.3 * poly(4 5) + 0.5 * correlation";
  const std::vector<std::string> asked = {std::string("mean:") + kernel, std::string("max:") + kernel};
  const Documents left(data), right(sets);
  const std::vector<float> gram = test::gram_of(*make_kernel(kernel, right), left, right);
  for (const std::size_t threads : {1, 3}) {
    const Dataset found = with_set_columns(data, sets, asked, {.only_added = true, .threads = threads});
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::size_t q = left.query_of(i), first = sets.first_document(q), size = sets.query(q).size();
      const float* const row = gram.data() + i * right.size() + first;
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += static_cast<double>(row[j]);
      const std::size_t at = i - data.first_document(q);
      EXPECT_EQ(found.query(q).rows.at(at, 0), static_cast<float>(sum / static_cast<double>(size)));
      EXPECT_EQ(found.query(q).rows.at(at, 1), *std::max_element(row, row + size));
    }
  }
}

TEST(SetColumns, WhatIsWrongIsNamed) {
  const test::Misspelt cases[] = {
      {"average:linear", "unknown similarity \"average\""},
      {"mean", "of which kernel? expected mean:KERNEL, such as mean:attribute"},
      {"mean:", "a part is missing"},
      {"columns:linear", "columns takes no kernel"},
      {"max:rbf", "gamma must be a number"},
      {"max:linear + rbf:gamma=median", "gamma must be a number"},
      {"max:precomputed", "has no features to compare by"},
      {"max:linaer", "did you mean \"linear\"?"},
  };
  for (const test::Misspelt& c : cases) {
    const std::string said = test::message_of([&] { check_set_similarity(c.text); });
    EXPECT_NE(said.find(c.expected), std::string::npos) << c.text << ": " << said;
  }
  const Dataset ann = set_data({{"ann", "q", {2, 0}}}, {"x", "y"});
  const auto message = [](const Dataset& data, const Dataset& sets, std::vector<std::string> asked) {
    return test::message_of([&] { with_set_columns(data, sets, asked); });
  };
  EXPECT_NE(message(candidates(), ann, {"mean:linear"}).find("query bob has no set"), std::string::npos);
  EXPECT_NE(message(ann, ann, {"mean:linear(z)"}).find("no feature \"z\""), std::string::npos);
  EXPECT_NE(message(ann, ann, {"mean:linear", "mean:linear"}).find("is there already"), std::string::npos);
  EXPECT_NE(message(ann, ann, {}).find("no similarities"), std::string::npos);
}

}  // namespace
}  // namespace dorm
