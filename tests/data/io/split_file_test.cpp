// SPDX-License-Identifier: Apache-2.0
// Parts of judged queries: who is drawn, and that lines stay as they were.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "dorm/data/split.h"
#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::vector<std::string> numbered_ids(std::size_t n) {
  std::vector<std::string> ids;
  for (std::size_t q = 0; q < n; ++q) ids.push_back("q" + std::to_string(q));
  return ids;
}

std::set<std::string> names_of(const std::vector<std::size_t>& queries, const std::vector<std::string>& ids) {
  std::set<std::string> names;
  for (const std::size_t q : queries) names.insert(ids[q]);
  return names;
}

TEST(SplitQueries, CoversEveryQueryOnceInTheSizesAskedFor) {
  const std::vector<std::string> ids = numbered_ids(53);
  const std::vector<std::uint64_t> relevant(53, 1);
  const QuerySplit split = split_queries(ids, relevant, {.test = 0.2, .valid = 0.1, .seed = 3});
  EXPECT_EQ(split.test.size(), 11u);  // 10.6 and 5.3, rounded
  EXPECT_EQ(split.valid.size(), 5u);
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.valid.begin(), split.valid.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> expected(53);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(all, expected);
}

// 40 queries without a relevant document, 40 with one, 20 with nine: layers of five, one of each is drawn.
TEST(SplitQueries, TakesAsManyOfEachLayer) {
  const std::vector<std::string> ids = numbered_ids(100);
  std::vector<std::uint64_t> relevant;
  for (std::size_t q = 0; q < 100; ++q) relevant.push_back(q % 5 < 2 ? 0 : q % 5 < 4 ? 1 : 9);
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    std::map<std::uint64_t, int> drawn;
    for (const std::size_t q : split_queries(ids, relevant, {.seed = seed}).test) ++drawn[relevant[q]];
    EXPECT_EQ(drawn, (std::map<std::uint64_t, int>{{0, 8}, {1, 8}, {9, 4}}));
  }
}

TEST(SplitQueries, DependsOnTheSeedAndNotOnTheOrder) {
  const std::vector<std::string> ids = numbered_ids(40);
  std::vector<std::string> backwards(ids.rbegin(), ids.rend());
  std::vector<std::uint64_t> relevant(40);
  std::iota(relevant.begin(), relevant.end(), 0u);
  const std::vector<std::uint64_t> of_backwards(relevant.rbegin(), relevant.rend());
  const auto test = [](const auto& names, const auto& counts, std::uint64_t seed) {
    return names_of(split_queries(names, counts, {.seed = seed}).test, names);
  };
  EXPECT_EQ(test(ids, relevant, 5), test(backwards, of_backwards, 5));
  EXPECT_NE(test(ids, relevant, 5), test(ids, relevant, 6));
}

TEST(SplitQueries, RefusesPartsWithoutQueries) {
  const std::vector<std::string> ids = numbered_ids(3);
  const std::vector<std::uint64_t> relevant(3, 1);
  const auto message = [&](double test, double valid) {
    return test::message_of([&] { split_queries(ids, relevant, {.test = test, .valid = valid}); });
  };
  EXPECT_NE(message(0.1, 0).find("the test part is 0.1 of 3 queries, which is none"), std::string::npos);
  EXPECT_NE(message(0.6, 0.39).find("take 3 of 3 queries; expected some left for training"), std::string::npos);
  EXPECT_NE(message(0.5, 0.5).find("expected more than 0 and less than 1"), std::string::npos);
  EXPECT_NE(message(0, 0).find("expected more than 0"), std::string::npos);
}

ReadOptions as(DataFormat format) {
  ReadOptions options;
  options.format = format;
  return options;
}

TEST(SplitText, KeepsRecordsOfTablesAsTheyAre) {
  const std::string header = "grade;query;title;when\r\n";
  const std::vector<std::string> records = {"1;a;\"x; \"\"y\"\"\nz\";2024-01-31\r\n", "0;b;;NA\r\n", "2;c;20%;\r\n",
                                            "0;a;more;n/a\r\n"};
  std::string text = header;
  for (const std::string& record : records) text += record + "\n";  // a blank line behind each
  ReadOptions options = as(DataFormat::csv);
  options.columns.label = "grade";
  options.columns.query = "query";
  const std::vector<std::string> parts = split_text(text, "t.csv", {.test = 0.3, .valid = 0.3}, options);
  std::string together;
  for (const std::string& part : parts) {
    ASSERT_EQ(part.substr(0, header.size()), header);
    together += part.substr(header.size());
    EXPECT_EQ(part.find(records[0]) == std::string::npos, part.find(records[3]) == std::string::npos);  // of query a
  }
  EXPECT_EQ(together.size(), std::accumulate(records.begin(), records.end(), std::string()).size());
  for (const std::string& record : records) EXPECT_NE(together.find(record), std::string::npos);
}

TEST(SplitText, KeepsLinesOfLetorWithTheirComments) {
  const std::string text = "# features: 1 bm25\n1 qid:7 1:0.5 # docid=a\n0 qid:8 1:nan\n\n2 qid:7 1:0.25";
  const std::vector<std::string> parts = split_text(text, "t", {.test = 0.5}, as(DataFormat::letor));
  const std::string seven = "# features: 1 bm25\n1 qid:7 1:0.5 # docid=a\n2 qid:7 1:0.25\n";
  const std::string eight = "# features: 1 bm25\n0 qid:8 1:nan\n";
  EXPECT_EQ(parts[1], "# features: 1 bm25\n");
  EXPECT_EQ((std::set<std::string>{parts[0], parts[2]}), (std::set<std::string>{seven, eight}));
}

TEST(SplitText, KeepsQueriesOfJsonLinesWhole) {
  const std::string first = R"({"qid": 1, "label": 1, "title": "x"})", again = R"({"qid": "1", "label": 0})";
  const std::string second = R"({"qid": 2, "documents": [{"label": 1, "features": [1]}, {"label": 0}]})";
  const std::string text = first + "\n" + second + "\n" + again + "\n";
  const std::vector<std::string> parts = split_text(text, "t", {.test = 0.5}, as(DataFormat::jsonl));
  EXPECT_EQ((std::set<std::string>{parts[0], parts[2]}),
            (std::set<std::string>{first + "\n" + again + "\n", second + "\n"}));
}

TEST(SplitText, NamesTheFault) {
  const auto message = [](const std::string& text, DataFormat format) {
    return test::message_of([&] { split_text(text, "t", {}, as(format)); });
  };
  EXPECT_EQ(message("1 qid:1 1:1\n1 1:2\n", DataFormat::letor), "t:2: found no query id; expected qid:ID");
  EXPECT_EQ(message("x qid:1 1:1\n", DataFormat::letor), "t:1:1: found 'x'; expected a label");
  EXPECT_EQ(message("label,qid\n1,\n", DataFormat::csv), "t:2:3: found no query id; expected one");
  EXPECT_EQ(message("label,qid\nhigh,1\n", DataFormat::csv), "t:2:1: found 'high'; expected a number as label");
  EXPECT_EQ(message("label,qid\n1,2,3\n", DataFormat::csv), "t:2: found 3 cells; expected 2 as in the header");
  EXPECT_EQ(message("grade,qid\n", DataFormat::csv), "t:1: no label column 'label'; the header has 'grade', 'qid'");
  EXPECT_EQ(message("{\"qid\": 1}\n", DataFormat::jsonl), "t:1: found no number in 'label'; expected one as label");
  EXPECT_EQ(message("\n", DataFormat::letor), "t: no documents");
}

}  // namespace
}  // namespace dorm
