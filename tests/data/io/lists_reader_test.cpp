// SPDX-License-Identifier: Apache-2.0
// Topics, limits and gains by position from CSV text, and what is refused with which words.
#include <gtest/gtest.h>

#include <functional>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/train.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// Query 1 has documents a, b; query 2 has b, c. Labels 0 and 1.
Dataset documents() {
  DatasetBuilder builder;
  for (const auto& [query, id] : {std::pair("1", "a"), {"1", "b"}, {"2", "b"}, {"2", "c"}}) {
    const float row[1] = {1};
    builder.add({id == std::string("b") ? 1.0f : 0.0f, query, id}, row);
  }
  return builder.finish();
}

constexpr const char* kLimits = "topic,limit\nnews,1.5\nsport,2\n";

TEST(TopicsReader, ReadsWeightsByDocumentOrByQueryAndDocument) {
  const TopicTable all =
      parse_topics("docid,topic,weight\nb,sport,0.5\nb,news,1\nc,news,0\n", "t", kLimits, "l", documents());
  EXPECT_EQ(all.names, (std::vector<std::string>{"news", "sport"}));
  EXPECT_EQ(all.limits, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(all.first, (std::vector<std::size_t>{0, 0, 2, 4, 5}));  // b in both queries
  EXPECT_EQ(all.shares[0].topic, 0u);
  EXPECT_EQ(all.shares[1].weight, 0.5);
  EXPECT_NO_THROW(validate(all));
  const TopicTable one = parse_topics("qid,docid,topic,weight\n2,b,sport,0.5\n", "t", kLimits, "l", documents());
  EXPECT_EQ(one.first, (std::vector<std::size_t>{0, 0, 0, 1, 1}));
}

TEST(TopicsReader, SaysWhatIsWrongAndWhere) {
  const auto weights = [](const std::string& rows) {
    return test::message_of(
        [&] { parse_topics("docid,topic,weight\n" + rows, "t.csv", kLimits, "l.csv", documents()); });
  };
  EXPECT_EQ(weights("a,news,-1\n"), "t.csv:2:8: found '-1'; expected a weight that is not negative");
  EXPECT_EQ(weights("a,art,1\n"), "t.csv:2:3: topic 'art' has no limit; expected one of the topics of l.csv");
  EXPECT_EQ(weights("x,news,1\n"), "t.csv:2:1: document 'x' is not in the data; expected ids of its documents");
  EXPECT_EQ(weights("a,news,1\na,news,1\n"), "t.csv:3:1: document 'a' has a weight in topic 'news' already");
  EXPECT_EQ(weights("a,news\n"), "t.csv:2: found 2 cells; expected 3 as in the header");
  const auto limits = [](const std::string& text) {
    return test::message_of([&] { parse_topics("docid,topic,weight\n", "t.csv", text, "l.csv", documents()); });
  };
  EXPECT_EQ(limits("topic,limit\nnews,-2\n"), "l.csv:2:6: found '-2'; expected a limit that is not negative");
  EXPECT_EQ(limits("topic,limit\nnews,1\nnews,2\n"), "l.csv:3:1: topic 'news' has a limit already");
  EXPECT_EQ(limits("topic,most\n"), "l.csv:1: expected the header topic,limit");
  EXPECT_EQ(limits(""), "l.csv: empty; expected a header: topic,limit");
}

TEST(PositionGainsReader, ReadsGainsByLabelAndByDocument) {
  const PositionGainsFile by_label = parse_position_gains("label,1,2\n1,3,1\n0,0,-1\n", "g", documents());
  EXPECT_EQ(by_label.gains.positions, 2u);
  EXPECT_EQ(by_label.gains.gain, (std::vector<double>{0, -1, 3, 1, 3, 1, 0, -1}));
  EXPECT_EQ(by_label.by_label.labels, (std::vector<float>{0, 1}));
  const PositionGainsFile by_document = parse_position_gains("qid,docid,1\n2,b,5\n", "g", documents());
  EXPECT_EQ(by_document.gains.gain, (std::vector<double>{0, 0, 5, 0}));
  EXPECT_TRUE(by_document.by_label.labels.empty());
}

TEST(PositionGainsReader, SaysWhatIsWrongAndWhere) {
  const auto refused = [](const std::string& text) {
    return test::message_of([&] { parse_position_gains(text, "g.csv", documents()); });
  };
  EXPECT_EQ(refused("label,1,2\n1,3,x\n"), "g.csv:2:5: found 'x'; expected a finite number as gain");
  EXPECT_EQ(refused("label,1,3\n"), "g.csv:1:9: found '3'; expected position 2");
  EXPECT_EQ(refused("grade,1\n"), "g.csv:1: expected the header label,1,2,... or qid,docid,1,2,...");
  EXPECT_EQ(refused("qid,docid,1\n1,c,5\n"),
            "g.csv:2:3: query '1' has no document 'c' in the data; expected ids of its documents");
  EXPECT_NE(refused("label,1\n1,3\n").find("a document of label 0, which has no gains by position"), std::string::npos);
}

}  // namespace
}  // namespace dorm
