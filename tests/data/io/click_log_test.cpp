// SPDX-License-Identifier: Apache-2.0
// Click logs and propensities from text: what is counted, and what is refused with which words.
#include "dorm/clicks/click_log.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/message_of.h"

namespace dorm {
namespace {

constexpr const char* kClickLog =
    "session,qid,docid,position,click,ranker,device\n"
    "s1,q1,a,1,1,old,phone\n"
    "s1,q1,b,2,0,old,phone\n"
    "s2,q1,b,1,1,new,desk\n"
    "s2,q1,a,2,0,new,desk\n"
    "s3,q1,a,1,0,old,desk\n"
    "s3,q1,b,2,1,old,desk\n"
    "s3,q2,a,1,1,old,desk\n";

std::string counted_text(const ClickCounts& counts) {
  std::ostringstream out;
  write_click_counts(counts, out);
  return out.str();
}

TEST(ClickLog, CountsByQueryDocumentAndPosition) {
  ClickLogReport report;
  const ClickCounts counts = parse_click_counts(kClickLog, "log", {}, &report);
  EXPECT_EQ(counted_text(counts),
            "qid,docid,position,impressions,clicks\n"
            "q1,a,1,2,1\nq1,a,2,1,0\nq1,b,1,1,1\nq1,b,2,2,1\nq2,a,1,1,1\n");
  EXPECT_EQ(counts.page_views(), (std::vector<double>{3, 1}));
  EXPECT_EQ(counts.num_positions(), 2u);
  EXPECT_EQ(counts.of_query(0).size(), 4u);
  EXPECT_EQ(counts.of_query(1).size(), 1u);
  EXPECT_EQ(report.rows, 7u);
  EXPECT_TRUE(report.has_sessions && report.has_rankers && !report.counted);
}

TEST(ClickLog, TellsRankersAndContextsApartOnRequest) {
  ClickLogOptions options;
  options.by_ranker = true;
  options.columns.context = {"device"};
  options.max_position = 1;
  ClickLogReport report;
  const ClickCounts counts = parse_click_counts(kClickLog, "log", options, &report);
  EXPECT_EQ(counted_text(counts),
            "qid,docid,position,ranker,context,impressions,clicks\n"
            "q1,a,1,old,phone,1,1\nq1,a,1,old,desk,1,0\nq1,b,1,new,desk,1,1\nq2,a,1,old,desk,1,1\n");
  EXPECT_EQ(report.pruned, 3u);
}

TEST(ClickLog, CountsAreALogOfTheirOwn) {
  const std::string text = "qid,docid,position,impressions,clicks\nq,a,1,2.5,0.125\nq,b,2,2.5,0.1\n";
  ClickLogReport report;
  EXPECT_EQ(counted_text(parse_click_counts(text, "log", {}, &report)), text);
  EXPECT_TRUE(report.counted);
}

TEST(ClickLog, JsonLinesAndTabsSayTheSame) {
  ClickLogOptions options;
  options.columns.query = "q";
  const std::string expected = "qid,docid,position,impressions,clicks\n7,a,1,1,1\n7,b,2,1,0\n";
  EXPECT_EQ(counted_text(parse_click_counts("{\"q\":7,\"docid\":\"a\",\"position\":1,\"click\":true}\n"
                                            "{\"q\":7,\"docid\":\"b\",\"position\":2,\"click\":0}\n",
                                            "log", options)),
            expected);
  EXPECT_EQ(counted_text(parse_click_counts("q\tdocid\tposition\tclick\n7\ta\t1\t1\n7\tb\t2\t0\n", "log.tsv", options)),
            expected);
}

TEST(ClickLog, ManyRowsAreCountedOnce) {
  ClickCounter counter;
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 5000; ++i) {
      const std::string document = std::to_string(i % 500), query = std::to_string(i / 500);
      counter.add({.query = query,
                   .document = document,
                   .position = 1 + static_cast<std::uint32_t>(i % 7),
                   .clicks = round == 0 ? 1.0 : 0.0});
    }
  const ClickCounts counts = counter.finish();
  ASSERT_EQ(counts.rows.size(), 5000u);
  for (const ClickCount& row : counts.rows) EXPECT_TRUE(row.impressions == 3 && row.clicks == 1);
  EXPECT_EQ(counts.log_rows, 15000u);
}

TEST(ClickLog, PagesAreRowsOfOneSessionAndQuery) {
  std::vector<std::string> pages;
  parse_sessions(kClickLog, "log", {}, [&](const ClickSession& page) {
    std::string text = std::string(page.session) + std::string(page.query);
    for (const auto& shown : page.shown) text += " " + shown.document + (shown.clicked ? "+" : "-") + shown.ranker;
    pages.push_back(text);
  });
  EXPECT_EQ(pages,
            (std::vector<std::string>{"s1q1 a+old b-old", "s2q1 b+new a-new", "s3q1 a-old b+old", "s3q2 a+old"}));
}

TEST(ClickLog, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text, const ClickLogOptions& options = {}) {
    return test::message_of([&] { parse_click_counts(text, "log", options); }, ErrorCode::bad_input);
  };
  const std::string header = "qid,docid,position,click\n";
  EXPECT_EQ(message(header + "q,a,0,1\n"),
            "log:2:5: found '0' in column 'position'; expected a position, a whole number from 1 to 1000000");
  EXPECT_EQ(message(header + "q,a,1.5,1\n"),
            "log:2:5: found '1.5' in column 'position'; expected a position, a whole number from 1 to 1000000");
  EXPECT_EQ(message(header + "q,a,1,1\nq,a,1,2\n"), "log:3:7: found '2' in column 'click'; expected 0 or 1");
  EXPECT_EQ(message(header + "q,a,1,\n"), "log:2:7: found an empty cell in column 'click'; expected 0 or 1");
  EXPECT_EQ(message(header + ",a,1,1\n"), "log:2:1: found an empty cell in column 'qid'; expected a query id");
  EXPECT_EQ(message(header + "q,,1,1\n"), "log:2:3: found an empty cell in column 'docid'; expected a document id");
  EXPECT_EQ(message(header + "q,a,1\n"), "log:2: found 3 cells; expected 4 as in the header");
  EXPECT_EQ(message(header), "log: no rows; expected a click log");
  EXPECT_EQ(message(""), "log: empty; expected a header: session,qid,docid,position,click");
  EXPECT_EQ(message("qid,position,clicked\nq,1,1\n"),
            "log:1:1: no columns 'docid', 'click'; the log has 'qid', 'position', 'clicked'");
  EXPECT_EQ(message("qid,docid,position,impressions,clicks\nq,a,1,2,3\n"),
            "log:2:9: found '3' in column 'clicks'; expected clicks, a number from 0 to the impressions");
  EXPECT_EQ(message("qid,docid,position,impressions,clicks\nq,a,1,-2,0\n"),
            "log:2:7: found '-2' in column 'impressions'; expected impressions, a number 0 or more");
  EXPECT_EQ(message("{\"qid\":1,\"docid\":2,\"position\":1,\"click\":3}\n"),
            "log:1: found '3' in 'click'; expected 0 or 1");
  ClickLogOptions by_device;
  by_device.columns.context = {"device"};
  EXPECT_EQ(message(header + "q,a,1,1\n", by_device),
            "log:1:1: no column 'device'; the log has 'qid', 'docid', 'position', 'click'");
}

TEST(ClickLog, PagesAreRefusedThatCannotBe) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { parse_sessions(text, "log", {}, [](const ClickSession&) {}); }, ErrorCode::bad_input);
  };
  EXPECT_EQ(message("session,qid,docid,position,click\ns,q,a,1,0\ns,q,b,1,0\n"),
            "log:2: session 's' shows two documents at position 1 of query 'q'; expected one");
  EXPECT_EQ(message("qid,docid,position,click\nq,a,1,0\n"),
            "log:2: found no session; expected the id of one in every row");
  EXPECT_EQ(message("session,qid,docid,position,impressions,clicks\ns,q,a,1,2,0\n"),
            "log:2: found counts of many pages; expected one row for each document shown");
}

TEST(PropensitiesFile, IsReadAndWritten) {
  const auto again = [](const std::string& text) {
    std::ostringstream out;
    write_propensities(parse_propensities(text, "p"), out);
    return out.str();
  };
  const std::string plain = "position,propensity,se\n1,1,0\n2,0.5,0.01\n3,0.25,\n";
  EXPECT_EQ(again(plain), plain);
  const std::string contexts = "position,propensity,se,context\n1,1,0,phone\n2,0.5,0.1,phone\n1,1,0,desk\n";
  EXPECT_EQ(again(contexts), contexts);
  const std::string trust = "position,propensity,se,alpha,beta\n1,1,,0.8,0.1\n2,0.5,,0.3,0.05\n";
  EXPECT_EQ(again(trust), trust);
  const Propensities known = parse_propensities(plain, "p");
  EXPECT_EQ(known.at(2, "anything").slope(), 0.5);
  EXPECT_EQ(known.find(4), nullptr);
  EXPECT_EQ(parse_propensities(trust, "p").at(2).slope(), 0.3);
  EXPECT_EQ(test::message_of([&] { known.at(4); }), "no propensity for position 4");
  EXPECT_EQ(test::message_of([&] { parse_propensities(contexts, "p").at(2, "desk"); }),
            "no propensity for position 2 of context 'desk'");
}

TEST(PropensitiesFile, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { parse_propensities(text, "p"); }, ErrorCode::bad_input);
  };
  EXPECT_EQ(message("position,propensity\n1,0\n"),
            "p:2:1: the propensity of position 1 is 0; expected a finite number above 0");
  EXPECT_EQ(message("position,propensity\n1,1\n1,1\n"), "p:3:1: position 1 appears twice");
  EXPECT_EQ(message("position,propensity\n1,x\n"), "p:2:3: found 'x'; expected a number as propensity");
  EXPECT_EQ(message("rank,p\n1,1\n"), "p:1: found the columns 'rank', 'p'; expected a header: position,propensity,se");
  EXPECT_EQ(message("position,propensity\n"), "p: no propensities");
}

}  // namespace
}  // namespace dorm
