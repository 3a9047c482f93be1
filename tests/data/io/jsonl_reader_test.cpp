// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"

namespace dorm {
namespace {

TEST(JsonlReader, DocumentsAndQueriesAreTheSameData) {
  const std::uint64_t expected =
      parse_csv("label,qid,docid,group,weight,a,b\n1,7,x,g,2,1.5,1\n0,7,y,,2,0,0\n", "f.csv").fingerprint();
  const char* const forms[] = {
      R"({"label":1,"qid":7,"docid":"x","group":"g","weight":2,"a":1.5,"b":true}
{"label":0,"qid":7,"docid":"y","weight":2,"a":0,"b":"no"})",
      R"({"features":{"a":1.5,"b":1},"label":1,"qid":"7","docid":"x","group":"g","weight":2,"url":"u"}

{"features":{"b":0,"a":0},"label":0,"qid":"7","docid":"y","weight":2})",
      R"({"qid":7,"weight":2,"documents":[{"label":1,"docid":"x","group":"g","a":1.5,"b":1},{"label":false,"docid":"y","a":0,"b":0}]})",
  };
  for (const char* text : forms) EXPECT_EQ(parse_jsonl(text, "f").fingerprint(), expected) << text;
}

TEST(JsonlReader, AListNumbersItsFeatures) {
  const Dataset data = parse_jsonl(R"({"qid":1,"label":0,"features":[3,4]})", "f");
  EXPECT_EQ(data.feature_name(1), "2");
  EXPECT_EQ(data.query(0).rows.at(0, 1), 4.0f);
}

TEST(JsonlReader, WhatALineLacksIsMissing) {
  const char* const text = "{\"qid\":1,\"label\":0,\"a\":2,\"b\":null}\n{\"qid\":1,\"label\":0,\"b\":4}\n";
  EXPECT_EQ(test::message_of([&] { parse_jsonl(text, "f"); }, ErrorCode::bad_input),
            "f:1: 2 columns have missing values: 'b' (line 1: an empty cell), 'a' (line 2: an empty cell)");
  const Dataset zero = parse_jsonl(text, "f", {.missing = Missing::zero});
  EXPECT_EQ(zero.query(0).rows.at(1, 0), 0.0f);
  const Dataset mean = parse_jsonl(text, "f", {.missing = Missing::mean});
  EXPECT_EQ(mean.query(0).rows.at(1, 0), 2.0f);
  EXPECT_EQ(mean.query(0).rows.at(0, 1), 4.0f);
}

TEST(JsonlReader, LabelsMayBeAbsent) {
  const char* const text = "{\"qid\":1,\"a\":2}\n{\"qid\":1,\"label\":3,\"a\":2}\n";
  EXPECT_EQ(test::message_of([&] { parse_jsonl(text, "f"); }, ErrorCode::bad_input),
            "f:1: no label column 'label'; the header has 'qid', 'a'");
  const Dataset data = parse_jsonl(text, "f", {.need_labels = false});
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.query(0).labels[1], 0.0f);
}

TEST(LetorReader, LabelsMayBeAbsentWhereNoneAreNeeded) {
  const Dataset data = parse_letor("qid:1 1:2\nqid:1 1:3 # d\n", "f", {.need_labels = false});
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.num_documents(), 2u);
  EXPECT_EQ(data.document_id(1), "d");
  EXPECT_THROW(data.require_labels(), Error);
  EXPECT_TRUE(data.with_labels(std::vector<float>{1, 0}).has_labels());
  EXPECT_TRUE(parse_letor("2 qid:1 1:2\n", "f", {.need_labels = false}).has_labels());
}

}  // namespace
}  // namespace dorm
