// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/data/prepare.h"
#include "dorm/read.h"
#include "support/message_of.h"

namespace dorm {
namespace {

TEST(CsvReader, ColumnsWithoutAMeaningAreFeatures) {
  const Dataset data = parse_csv(
      "bm25,label,qid,docid,group,weight,clicks\n1.5,2,a,d1,g,3,7\n2.5,0,a,d2,,3,8\n3.5,1,b,,g,1,9\n", "f.csv");
  EXPECT_EQ(data.num_features(), 2u);
  EXPECT_EQ(data.feature_name(0), "bm25");
  EXPECT_EQ(data.feature_name(1), "clicks");
  EXPECT_EQ(data.num_queries(), 2u);
  EXPECT_EQ(data.query(0).weight, 3.0);
  EXPECT_EQ(data.query(0).rows.at(1, 1), 8.0f);
  EXPECT_EQ(data.document_id(1), "d2");
  EXPECT_EQ(data.document_id(2), "");
  EXPECT_EQ(data.group(0), "g");
  EXPECT_EQ(data.group(1), "");
}

TEST(CsvReader, VariantsOfTheSameTableAreTheSameData) {
  const std::uint64_t expected = parse_csv("label,qid,x y\n1,a,2\n0,b,3\n", "f.csv").fingerprint();
  EXPECT_EQ(parse_csv("\xEF\xBB\xBFlabel,qid,x y\r\n1,a,2\r\n\r\n0,b,3", "f.csv").fingerprint(), expected);
  EXPECT_EQ(parse_csv("\"label\",qid,\"x y\"\n\"1\",\"a\",2\n0,b,\"3\"\n", "f.csv").fingerprint(), expected);
  EXPECT_EQ(parse_csv("label\tqid\tx y\n1\ta\t2\n0\tb\t3\n", "f.tsv").fingerprint(), expected);
  EXPECT_EQ(parse_csv("label\tqid\tx y\n1\ta\t2\n0\tb\t3\n", "f", {.format = DataFormat::tsv}).fingerprint(), expected);
}

TEST(CsvReader, QuotedCellsMayHoldAnything) {
  const Dataset data = parse_csv("label,qid,\"a,\"\"b\"\"\"\n1,\"two\nlines, one \"\"query\"\"\",2\n", "f.csv");
  EXPECT_EQ(data.feature_name(0), "a,\"b\"");
  EXPECT_EQ(data.query(0).id, "two\nlines, one \"query\"");
}

TEST(CsvReader, EmptyCellsAreMissingValues) {
  const char* const text = "label,qid,a,b\n1,q,,2\n1,q,4,nan\n1,q,8,4\n";
  const Dataset zero = parse_csv(text, "f.csv", {.missing = Missing::zero});
  EXPECT_EQ(zero.query(0).rows.at(0, 0), 0.0f);
  EXPECT_EQ(zero.query(0).rows.at(1, 1), 0.0f);
  const Dataset mean = parse_csv(text, "f.csv", {.missing = Missing::mean});
  EXPECT_EQ(mean.query(0).rows.at(0, 0), 6.0f);
  EXPECT_EQ(mean.query(0).rows.at(1, 1), 3.0f);
}

TEST(CsvReader, ColumnsMayBeRenamedAndIgnored) {
  ReadOptions options;
  options.columns.label = "rel";
  options.columns.query = "query";
  options.columns.ignored = {"url"};
  const Dataset data = parse_csv("rel,query,url,label\n1,a,http://x,5\n", "f.csv", options);
  EXPECT_EQ(data.num_features(), 1u);
  EXPECT_EQ(data.feature_name(0), "label");
  EXPECT_EQ(data.query(0).labels[0], 1.0f);
}

TEST(CsvReader, RemembersHowItWasRead) {
  ReadOptions options{.missing = Missing::mean, .columns = {.label = "rel", .ignored = {"url"}}};
  const Dataset data = parse_csv("rel,qid,url,a,b\n1,q,x,2,\n0,q,y,4,3\n", "f.csv", options);
  EXPECT_EQ(data.input().columns, options.columns);
  EXPECT_EQ(data.input().missing, Missing::mean);
  EXPECT_EQ(data.input().means, (FeatureMeans{{"a", 3}, {"b", 3}}));
  EXPECT_EQ(data.with_labels(std::vector<float>{1, 1}).input(), data.input());
  EXPECT_EQ(with_unjudged(data, Unjudged::drop).input(), data.input());
  EXPECT_EQ(parse_csv("label,qid,a\n1,q,2\n", "f.csv").input(), InputDescription());
}

TEST(CsvReader, FillsWithMeansThatAreGiven) {
  const ReadOptions options{.missing = Missing::mean, .means = {{"a", 7}}};
  const Dataset data = parse_csv("label,qid,a,b\n1,q,,\n0,q,4,3\n", "f.csv", options);
  EXPECT_EQ(data.query(0).rows.at(0, 0), 7.0f);
  EXPECT_EQ(data.query(0).rows.at(0, 1), 0.0f);
  EXPECT_EQ(data.input().means, options.means);
}

TEST(CsvReader, ReadsTheFeaturesThatAreWanted) {
  const Dataset data = parse_csv("label,qid,title,b,a\n1,q,text,3,2\n", "f.csv", {.features = {"a", "b", "c"}});
  ASSERT_EQ(data.num_features(), 2u);
  EXPECT_EQ(data.feature_name(0), "b");
}

TEST(CsvReader, MergesSpreadQueriesWithOneWarning) {
  ReadReport report;
  const Dataset data = parse_csv("label,qid,a\n1,x,1\n1,y,2\n1,x,3\n", "f.csv", {}, &report);
  EXPECT_EQ(data.query(0).size(), 2u);
  EXPECT_EQ(data.source_row(1), 2u);
  EXPECT_EQ(report.warnings.size(), 1u);
}

TEST(TrecReader, TakesTheWordsThatMatter) {
  const auto qrels = parse_qrels("q1 0 d1 2\r\n\nq1\t0\td2\t-1\n", "f");
  ASSERT_EQ(qrels.size(), 2u);
  EXPECT_EQ(qrels[1].document, "d2");
  EXPECT_EQ(qrels[1].label, -1.0f);
  const auto run = parse_run("q1 Q0 d1 1 2.5e-1 tag\n", "f");
  ASSERT_EQ(run.size(), 1u);
  EXPECT_EQ(run[0].query, "q1");
  EXPECT_EQ(run[0].score, 0.25);
}

TEST(TrecReader, SkipsCommentsAndWhatFollowsTheTag) {
  const auto qrels = parse_qrels("# made by hand\nq1 0 d#1 2\n#q1 0 d2 1\n", "f");
  ASSERT_EQ(qrels.size(), 1u);
  EXPECT_EQ(qrels[0].document, "d#1");
  std::string tag;
  const auto run = parse_run("# run\nq1 Q0 d1 1 2 mine and more\nq1 Q0 d2 2 1 other\n", "f", &tag);
  EXPECT_EQ(run.size(), 2u);
  EXPECT_EQ(tag, "mine");
}

TEST(TrecReader, TakesJson) {
  const auto qrels = parse_qrels(R"( {"q1": {"d1": 2, "d\u00e9": -1}, "q2": {}} )", "f");
  ASSERT_EQ(qrels.size(), 2u);
  EXPECT_EQ(qrels[1].query, "q1");
  EXPECT_EQ(qrels[1].document, "d\u00e9");
  EXPECT_EQ(qrels[1].label, -1.0f);
  const auto run = parse_run("{\"q\\\"1\": {\"d1\": 2.5e-1}}", "f");
  ASSERT_EQ(run.size(), 1u);
  EXPECT_EQ(run[0].query, "q\"1");
  EXPECT_EQ(run[0].score, 0.25);
}

TEST(TrecReader, SaysWhatIsWrongWithJson) {
  const auto refused = [](const char* text) { return test::message_of([&] { parse_run(text, "f"); }); };
  EXPECT_EQ(refused(R"({"q": {"a": 1, "b": "x"}})"),
            "f: query 'q', document 'b': found 'x'; expected a finite number as score");
  EXPECT_EQ(refused(R"({"q": {"a": 1}, "r": [1]})"),
            "f: query 'r': found a list; expected an object with a number per document, as in {\"query\": "
            "{\"document\": number}}");
  EXPECT_EQ(refused("{\"q\": {\"a\": 1,\n \"b\": }}"),
            "f:2:7: not JSON from here on; expected {\"query\": {\"document\": number}}");
  EXPECT_EQ(refused("{\"q\": {\"a\": 1, \"b\": 1e999}}"),
            "f: query 'q', document 'b': found a number too large for a double; expected a finite number as score");
  EXPECT_EQ(refused(R"({"q": {}})"), "f: no ranked documents");
}

TEST(ScoresReader, SkipsBlankLinesAndComments) {
  EXPECT_EQ(parse_scores("# model\n1\n\n -2.5 \r\n1e-3", "f"), (std::vector<double>{1, -2.5, 1e-3}));
}

TEST(CsvReader, LineEndsInsideQuotesAreKeptAsTheyAre) {
  const Dataset data = parse_csv("label,qid\r\n0,\"a\r\r\nb\nc\"\r\n", "f.csv");
  EXPECT_EQ(data.query(0).id, "a\r\r\nb\nc");
}

}  // namespace
}  // namespace dorm
