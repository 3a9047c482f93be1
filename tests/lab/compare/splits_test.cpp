// SPDX-License-Identifier: Apache-2.0
// Data put together and cut.
#include <gtest/gtest.h>

#include <map>

#include "dorm/error.h"
#include "dorm/lab/comparison.h"
#include "dorm/read.h"

namespace dorm {
namespace {

TEST(Concatenate, KeepsRowsInFileOrderAndPartsInTurn) {
  const std::vector<Dataset> parts = {parse_letor("1 qid:a 1:1\n0 qid:b 1:2\n2 qid:a 1:3\n", "one"),
                                      parse_letor("0 qid:c 1:4 2:1\n", "two")};
  const Concatenation whole = concatenate(parts);
  EXPECT_EQ(whole.part_begin, (std::vector<std::size_t>{0, 2, 3}));
  ASSERT_EQ(whole.data.num_documents(), 4u);
  EXPECT_EQ(whole.data.num_features(), 2u);
  EXPECT_EQ(whole.data.feature_name(0), "1");
  std::map<std::uint64_t, float> value;
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t i = 0; i < whole.data.query(q).size(); ++i)
      value[whole.data.source_row(whole.data.first_document(q) + i)] = whole.data.query(q).rows.at(i, 0);
  EXPECT_EQ(value, (std::map<std::uint64_t, float>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(Concatenate, RefusesAQueryInTwoPartsAndOtherFeatures) {
  const Dataset one = parse_letor("1 qid:a 1:1\n", "one"), same = parse_letor("0 qid:a 1:2\n", "two"),
                named = parse_csv("label,qid,x\n1,b,2\n", "three");
  EXPECT_THROW(concatenate(std::vector<Dataset>{one, same}), Error);
  EXPECT_THROW(concatenate(std::vector<Dataset>{one, named}), Error);
}

// LETOR 4.0: fold 1 trains on S1, S2, S3, validates on S4, tests on S5.
TEST(Rotate, FollowsLetorAndTestsEveryQueryOnce) {
  const Dataset data = parse_letor("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:3 1:1\n1 qid:4 1:1\n1 qid:5 1:1\n", "five");
  const std::vector<DataSplit> splits = rotate(data, {{0}, {1}, {2}, {3}, {4}});
  ASSERT_EQ(splits.size(), 5u);
  EXPECT_EQ(splits[0].train.query(0).id, "1");
  EXPECT_EQ(splits[0].train.query(2).id, "3");
  EXPECT_EQ(splits[0].valid.query(0).id, "4");
  EXPECT_EQ(splits[0].test.query(0).id, "5");
  EXPECT_EQ(splits[3].train.query(1).id, "5");
  std::map<std::string_view, int> tested;
  for (const DataSplit& split : splits) ++tested[split.test.query(0).id];
  EXPECT_EQ(tested.size(), 5u);
  EXPECT_THROW(rotate(data, {{0, 1}, {2, 3, 4}}), Error);
}

}  // namespace
}  // namespace dorm
