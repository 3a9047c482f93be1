// SPDX-License-Identifier: Apache-2.0
// cost: of PropSVMrank, read and written.
#include <gtest/gtest.h>

#include <sstream>

#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"

namespace dorm {
namespace {

constexpr const char* kBlocks =
    "1 qid:1 cost:4 1:0.5 2:1\n"
    "0 qid:1 1:0.25 2:0\n"
    "0 qid:2 1:0.5 2:1\n"
    "1 qid:2 cost:1.5 1:0.25 2:0\n";

std::string as_costs(const Dataset& data) {
  std::ostringstream out;
  write_letor_costs(data, out);
  return out.str();
}

TEST(LetorCosts, AreTheLabelsOfWhatWasClicked) {
  const Dataset data = parse_letor(kBlocks, "clicks");
  ASSERT_EQ(data.num_queries(), 2u);
  EXPECT_EQ(data.query(0).labels[0], 4);
  EXPECT_EQ(data.query(0).labels[1], 0);
  EXPECT_EQ(data.query(1).labels[1], 1.5f);
  EXPECT_EQ(data.num_features(), 2u);
  EXPECT_TRUE(data.input().of_clicks());
  EXPECT_FALSE(parse_letor("1 qid:1 1:1\n0 qid:1 1:0\n", "judged").input().of_clicks());
}

TEST(LetorCosts, RoundTrip) { EXPECT_EQ(as_costs(parse_letor(kBlocks, "clicks")), kBlocks); }

TEST(LetorCosts, AListOfGainsIsABlockForEachClick) {
  const Dataset data = parse_csv("click_gain,qid,docid,x\n2,q,a,1\n0,q,b,2\n0.5,q,c,3\n", "gains.csv");
  EXPECT_TRUE(data.input().of_clicks());
  EXPECT_EQ(as_costs(data),
            "1 qid:1 cost:2 1:1 # docid=a\n0 qid:1 1:2 # docid=b\n0 qid:1 1:3 # docid=c\n"
            "0 qid:2 1:1 # docid=a\n0 qid:2 1:2 # docid=b\n1 qid:2 cost:0.5 1:3 # docid=c\n");
}

TEST(LetorCosts, GainsAndLabelsStandInForEachOther) {
  ReadOptions options;
  options.columns.label = kClickGain;  // as a model asks that was trained on clicks
  EXPECT_FALSE(parse_csv("label,qid,x\n1,q,1\n", "judged.csv", options).input().of_clicks());
  std::ostringstream out;
  write_csv(parse_csv("click_gain,qid,x\n0.5,q,1\n", "gains.csv"), out);
  EXPECT_EQ(out.str(), "click_gain,qid,x\n0.5,q,1\n");
}

TEST(LetorCosts, SayWhatIsWrongAndWhere) {
  const auto message = [](const char* text) { return test::message_of([&] { parse_letor(text, "clicks"); }); };
  EXPECT_EQ(message("1 qid:1 cost:x 1:1\n"), "clicks:1:9: found 'cost:x'; expected cost: with a number 0 or more");
  EXPECT_EQ(message("1 qid:1 cost:-1 1:1\n"), "clicks:1:9: found 'cost:-1'; expected cost: with a number 0 or more");
  EXPECT_EQ(message("1 qid:1 1:1 cost:1\n"), "clicks:1:13: found 'cost:1'; expected a feature as id:value");
}

}  // namespace
}  // namespace dorm
