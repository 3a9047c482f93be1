// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "support/message_of.h"

namespace dorm {
namespace {

struct JoinRow {
  const char *query, *document, *group;
  float label;
  std::vector<float> features;
};

const std::vector<JoinRow> kJoined = {{"b", "x", "g", 1, {1, 0, 2}}, {"b", "y", "h", 0, {0, 3, 0}},
                                      {"a", "x", "", 2, {4, 4, 4}},  {"c", "z", "g", 0, {0, 0, 5}},
                                      {"c", "u", "k", 1, {6, 0, 0}}, {"c", "v", "", 0, {0, 0, 7}}};

Dataset set_of(std::size_t first, std::size_t last, bool sparse = false) {
  DatasetBuilder builder;
  for (std::size_t r = first; r < last; ++r) {
    const JoinRow& row = kJoined[r];
    const DatasetBuilder::Document document{row.label, row.query, row.document, row.group};
    std::vector<std::uint32_t> columns = {0, 1, 2, 90};
    std::vector<float> values = row.features;
    values.push_back(1);
    if (sparse)
      builder.add(document, SparseRow{columns, values});
    else
      builder.add(document, row.features);
  }
  if (first == 0) builder.set_query_weight("b", 3);
  return builder.finish();
}

class Join : public testing::TestWithParam<bool> {};

TEST_P(Join, IsTheWholeAndSharesFeatures) {
  const Dataset whole = set_of(0, 6, GetParam());
  Dataset first = set_of(0, 2, GetParam()), last = set_of(2, 6, GetParam());
  const float* const kept =
      GetParam() ? last.query(1).rows.sparse_row(0).values.data() : last.query(1).rows.dense_row(0);
  const Dataset joined = join({first, last});
  first = last = Dataset();
  EXPECT_EQ(joined.fingerprint(), whole.fingerprint());
  EXPECT_EQ(joined.num_nonzeros(), whole.num_nonzeros());
  ASSERT_EQ(joined.num_documents(), 6u);
  for (std::size_t d = 0; d < 6; ++d) {
    EXPECT_EQ(joined.source_row(d), d);
    EXPECT_EQ(joined.document_id(d), kJoined[d].document);
    EXPECT_EQ(joined.group(d), kJoined[d].group);
  }
  const Query query = joined.query(2);
  EXPECT_EQ(query.id, "c");
  EXPECT_EQ(GetParam() ? query.rows.sparse_row(0).values.data() : query.rows.dense_row(0), kept);
  EXPECT_EQ(query.rows.at(1, 0), 6);
  EXPECT_EQ(joined.query(0).weight, 3);
}

TEST_P(Join, OfSelectionsAndJoinedSetsAndWhatIsMadeOfIt) {
  const Dataset whole = set_of(0, 6, GetParam());
  const std::vector<std::size_t> some = {2, 0}, rest = {1};
  const Dataset joined = join({join({whole.select(some), Dataset(whole.select({}))}), whole.select(rest)});
  const std::vector<std::size_t> order = {2, 0, 1};
  EXPECT_EQ(joined.fingerprint(), whole.select(order).fingerprint());
  const std::vector<std::size_t> back = {1, 2, 0};
  EXPECT_EQ(joined.select(back).fingerprint(), whole.fingerprint());
  EXPECT_EQ(in_canonical_order(joined).fingerprint(), in_canonical_order(whole).fingerprint());
  const Dataset relabelled = joined.with_labels(std::vector<float>{5, 4, 3, 2, 1, 0});
  EXPECT_EQ(relabelled.query(1).labels[0], 2);
  EXPECT_EQ(relabelled.query(1).rows.at(0, 2), whole.query(0).rows.at(0, 2));
}

INSTANTIATE_TEST_SUITE_P(Data, Join, testing::Bool(),
                         [](const auto& test) { return test.param ? "compressed" : "dense"; });

TEST(Join, RefusesPartsThatAreNotAlike) {
  const auto message = [](std::vector<Dataset> parts) {
    return test::message_of([&] { join(std::move(parts)); }, ErrorCode::bad_input);
  };
  EXPECT_EQ(message({set_of(0, 2), set_of(0, 3)}),
            "the query 'b' is in part 1 and in part 2; expected each query in one file");
  EXPECT_EQ(message({set_of(0, 2), set_of(2, 3, true)}),
            "part 2 has 91 features, and 3 before; expected parts that are alike");
  DatasetBuilder named;
  named.add({.label = 1, .query_id = "n"}, std::vector<float>{1, 2, 3});
  named.set_feature_names({"1", "x", "3"});
  EXPECT_EQ(message({set_of(0, 2), named.finish()}),
            "part 2 has the feature 'x' in column 2, and '2' before; expected parts that are alike");
}

TEST(Join, OfNothingIsNothing) { EXPECT_EQ(join({}).num_queries(), 0u); }

}  // namespace
}  // namespace dorm
