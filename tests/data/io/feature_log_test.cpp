// SPDX-License-Identifier: Apache-2.0
// Answers as Elasticsearch, OpenSearch and Solr write them; expected numbers are those of the text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "data/io/files/text_formats.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

const char* const kElastic = R"({"took":3,"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{
 "total":{"value":2,"relation":"eq"},"hits":[
  {"_index":"tmdb","_id":"7555","_score":1.0,"_source":{"title":"Rambo","isbn":"x1","hits":{"a":[1]}},
   "fields":{"_ltrlog":[{"log_entry1":[{"name":"title","value":9.5},{"name":"body","value":10.25},{"name":"year"}]}]},
   "matched_queries":["logged"]},
  {"_index":"tmdb","_id":"1370","_score":0.5,"_source":{"isbn":"x2"},
   "fields":{"_ltrlog":[{"log_entry1":[{"name":"body","value":1.5},{"value":1988,"name":"year"}]}]}}]}})";

const char* const kSolr = R"({"responseHeader":{"status":0,"QTime":1,"params":{"q":"ipod","fl":"id,[features]"}},
 "response":{"numFound":2,"start":0,"docs":[
  {"id":"a","sku":"s1","score":1.2,"[features]":"title=0.5,body=1.0E-5"},
  {"id":"b","sku":["s2"],"[features]":"body=3.0"}]}})";

std::string wrapped(const std::string& qid, const std::string& answer) {
  return R"({"qid":")" + qid + R"(","response":)" + answer + "}\n";
}

std::string csv_of(const std::string& log, ReadOptions options = {}) {
  options.need_labels = false;
  std::ostringstream out;
  write_csv(parse_feature_log(log, "log", options), out);
  return out.str();
}

const char* const kElasticRows = "q,7555,9.5,10.25,0\nq,1370,0,1.5,1988\n";

TEST(FeatureLog, ElasticsearchWithTheQueryBesideOrWithinTheAnswer) {
  const std::string expected = std::string("qid,docid,title,body,year\n") + kElasticRows;
  const std::string answer(kElastic);
  EXPECT_EQ(csv_of(wrapped("q", answer)), expected);
  EXPECT_EQ(csv_of(R"({"qid":"q",)" + answer.substr(1)), expected);
  EXPECT_EQ(csv_of(R"({"response":)" + answer + R"(,"query":"q"})"), expected);
  EXPECT_EQ(csv_of(R"({"search":"q","response":)" + answer + "}", {.columns = {.query = "search"}}), expected);
  EXPECT_EQ(csv_of("\n" + answer + "\n\n", {.query_ids = {"q"}}), expected);
}

TEST(FeatureLog, ManyAnswersInAnyForm) {
  const std::string answer(kElastic);
  const std::string expected = csv_of(wrapped("q", answer) + wrapped("r", answer));
  EXPECT_EQ(expected,
            std::string("qid,docid,title,body,year\n") + kElasticRows + "r,7555,9.5,10.25,0\nr,1370,0,1.5,1988\n");
  const ReadOptions ids{.query_ids = {"q", "r"}};
  EXPECT_EQ(csv_of(answer + answer, ids), expected);
  EXPECT_EQ(csv_of("[" + answer + ",\n" + answer + "]", ids), expected);
  EXPECT_EQ(csv_of(R"({"took":1,"responses":[)" + answer + "," + answer + "]}", ids), expected);
  EXPECT_EQ(csv_of(R"({"responses":[)" + wrapped("q", answer) + "," + wrapped("r", answer) + "]}"), expected);
}

TEST(FeatureLog, SolrWithParametersOfTheRequest) {
  const std::string expected = "qid,docid,title,body\nipod,a,0.5,1e-05\nipod,b,0,3\n";
  EXPECT_EQ(csv_of(kSolr), expected);
  EXPECT_EQ(csv_of(wrapped("7", kSolr)), "qid,docid,title,body\n7,a,0.5,1e-05\n7,b,0,3\n");
  std::string named(kSolr);
  named.replace(named.find("\"q\":"), 4, "\"qid\":12,\"efi.user\":\"eve\",\"q\":");
  EXPECT_EQ(csv_of(named), "qid,docid,title,body\n12,a,0.5,1e-05\n12,b,0,3\n");
  EXPECT_EQ(csv_of(named, {.columns = {.query = "efi.user"}}), "qid,docid,title,body\neve,a,0.5,1e-05\neve,b,0,3\n");
  EXPECT_EQ(csv_of(kSolr, {.columns = {.document = "sku"}}), "qid,docid,title,body\nipod,s1,0.5,1e-05\nipod,s2,0,3\n");
}

TEST(FeatureLog, SolrSeparatorsAreThoseThatFit) {
  const auto features = [](const std::string& vector) {
    return csv_of(R"({"qid":1,"response":{"docs":[{"id":"a","[features]":")" + vector + R"("}]}})");
  };
  EXPECT_EQ(features("x=1.5,y=2.0"), "qid,docid,x,y\n1,a,1.5,2\n");
  EXPECT_EQ(features("x:1.5;y:2.0"), "qid,docid,x,y\n1,a,1.5,2\n");
  EXPECT_EQ(features("x:1.5 y:2.0"), "qid,docid,x,y\n1,a,1.5,2\n");
  EXPECT_EQ(features("x=1.5;y=2.0"), "qid,docid,x,y\n1,a,1.5,2\n");
  EXPECT_EQ(features("a:x=1.5,my y=2.0"), "qid,docid,a:x,my y\n1,a,1.5,2\n");
  EXPECT_EQ(features("f(x,z)=1.5;y=2.0"), "qid,docid,\"f(x,z)\",y\n1,a,1.5,2\n");
  for (const char* vector :
       {"f(x,z)=1.5,y=2.0", "a=b=1.5,y=2.0", "x=1.5,,y=2", "x=1.5,", "=1.5", "x", "x=one", "x=1 5"})
    EXPECT_THROW(features(vector), Error) << vector;
}

TEST(FeatureLog, OldFormsAreMapsOfValues) {
  EXPECT_EQ(csv_of(R"({"qid":1,"hits":{"hits":[{"_id":3,"fields":{"_ltrlog":[{"main":{"x":1,"y":null}}]}}]}})"),
            "qid,docid,x,y\n1,3,1,0\n");
  EXPECT_EQ(csv_of(R"({"qid":1,"response":{"docs":[{"id":3,"fv":{"x":1,"y":2}}]}})"), "qid,docid,x,y\n1,3,1,2\n");
}

std::string two_entries(const std::string& value) {
  return R"({"qid":1,"hits":{"hits":[{"_id":"d","fields":{"_ltrlog":[{"one":[{"name":"x","value":1}],"two":[)"
         R"({"name":"y","value":2},{"name":"x","value":)" +
         value + R"(},{"name":"extra_logging","value":{"note":"n"}}]}]}}]}})";
}

TEST(FeatureLog, EntriesAreMergedUnlessTheyContradictEachOther) {
  EXPECT_EQ(csv_of(two_entries("1")), "qid,docid,x,y\n1,d,1,2\n");
  EXPECT_EQ(csv_of(two_entries("3"), {.columns = {.ignored = {"two"}}}), "qid,docid,x\n1,d,1\n");
  EXPECT_EQ(csv_of(two_entries("3"), {.columns = {.ignored = {"one,y"}}}), "qid,docid,x\n1,d,3\n");
  EXPECT_EQ(test::message_of([] { csv_of(two_entries("3")); }, ErrorCode::bad_input),
            "log:1: hits.hits[0].fields._ltrlog: the log entries 'one' and 'two' have different values of the feature "
            "'x'; expected one of them");
}

TEST(FeatureLog, WhatIsAbsentIsZeroUnlessMeansAreAskedFor) {
  const std::string log = wrapped("q", kElastic);
  EXPECT_EQ(csv_of(log, {.missing = Missing::zero}), std::string("qid,docid,title,body,year\n") + kElasticRows);
  EXPECT_EQ(csv_of(log, {.missing = Missing::mean}),
            "qid,docid,title,body,year\nq,7555,9.5,10.25,1988\nq,1370,9.5,1.5,1988\n");
  const std::string nan = R"({"qid":1,"response":{"docs":[{"id":"a","[features]":"x=NaN,y=1.0"}]}})";
  EXPECT_EQ(csv_of(nan, {.missing = Missing::zero}), "qid,docid,x,y\n1,a,0,1\n");
  EXPECT_EQ(test::message_of([&] { csv_of(nan); }, ErrorCode::bad_input),
            "log:1: found 'NaN' in column 'x'; expected a finite number (missing values can be read as zero or mean)");
}

TEST(FeatureLog, ADocumentLoggedAgainCountsAsItWasLast) {
  const auto answer = [](const char* id, int x) {
    return fmt::format(R"({{"qid":1,"response":{{"docs":[{{"id":"{}","[features]":"x={}"}}]}}}})", id, x);
  };
  ReadReport report;
  const ReadOptions options{.need_labels = false};
  const Dataset data = parse_feature_log(
      answer("a", 1) + answer("b", 2) + answer("a", 3) + R"({"qid":2,"hits":{"hits":[]}})", "log", options, &report);
  EXPECT_EQ(data.num_documents(), 2u);
  EXPECT_EQ(data.document_id(1), "a");
  EXPECT_EQ(data.query(0).rows.at(1, 0), 3.0f);
  EXPECT_EQ(report.warnings,
            (std::vector<std::string>{"log: 1 of 4 answers have no documents",
                                      "log: 1 documents were logged again for their query (first: query '1', document "
                                      "'a'); the last time counts"}));
}

TEST(FeatureLog, OnlyTheFeaturesOfAModelAreReadAndGroupsAreFields) {
  EXPECT_EQ(csv_of(wrapped("q", kElastic), {.features = {"year", "body", "clicks"}}),
            "qid,docid,body,year\nq,7555,10.25,0\nq,1370,1.5,1988\n");
  EXPECT_EQ(csv_of(wrapped("q", kElastic), {.columns = {.document = "isbn", .group = "title"}}),
            "qid,docid,group,title,body,year\nq,x1,Rambo,9.5,10.25,0\nq,x2,,0,1.5,1988\n");
}

TEST(FeatureLog, IsFoundByContentWhateverItsName) {
  const test::TemporaryDirectory directory;
  const ReadOptions options{.need_labels = false};
  for (const char* name : {"log.json", "log.jsonl", "log.ndjson", "log"}) {
    ReadReport report;
    read_dataset(directory.write(name, wrapped("q", kElastic)), options, &report);
    EXPECT_EQ(report.format, DataFormat::log) << name;
  }
  EXPECT_EQ(format_of_text(kElastic), DataFormat::log);
  EXPECT_EQ(format_of_text(kSolr), DataFormat::log);
  EXPECT_EQ(format_of_text("\xEF\xBB\xBF [\n{\"hits\": {"), DataFormat::log);
  EXPECT_EQ(format_of_text(R"({"took":1,"responses" : [)"), DataFormat::log);
  EXPECT_EQ(format_of_text(R"({"qid":1,"hits":3,"response":0.5,"error":[1]})"), DataFormat::jsonl);
  EXPECT_EQ(format_of_text(R"({"qid":1,"features":{"hits":{"a":1}}} {"hits":{}})"), DataFormat::jsonl);
  EXPECT_EQ(format_of_text("[1]"), DataFormat::jsonl);
  EXPECT_EQ(format_of_text(R"({"title":"\"hits\":{","qid":1})"), DataFormat::jsonl);
}

TEST(Judgments, AreJoinedByQueryAndDocument) {
  const test::TemporaryDirectory directory;
  const std::string log = directory.write("log.json", wrapped("q", kElastic));
  ReadReport report;
  const Dataset data =
      read_dataset(log, {.judgments = directory.write("q.qrels", "q 0 1370 2\nq 0 9 1\nr 0 7555 3\n")}, &report);
  EXPECT_TRUE(data.has_labels());
  EXPECT_EQ(data.query(0).labels[0], -1.0f);
  EXPECT_EQ(data.query(0).labels[1], 2.0f);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_TRUE(report.warnings[0].ends_with("(first: query 'q', document '7555') and count as not judged"));
  EXPECT_NE(report.warnings[0].find("1 of 2 documents have no judgment"), std::string::npos);
  EXPECT_NE(report.warnings[1].find("2 of 3 judgments are of documents that are not in"), std::string::npos);
}

TEST(Judgments, TakeThePlaceOfOtherLabelsInAnyFormat) {
  const test::TemporaryDirectory directory;
  const std::string qrels = directory.write("j.csv", "docid,label,qid\na,4,1\nb,0,1\n");
  const Dataset data =
      read_dataset(directory.write("f.txt", "1 qid:1 1:2 # b\n0 qid:1 1:3 # a\n"), {.judgments = qrels});
  EXPECT_EQ(data.query(0).labels[0], 0.0f);
  EXPECT_EQ(data.query(0).labels[1], 4.0f);
  EXPECT_EQ(test::message_of([&] { read_dataset(directory.write("g", "1 qid:1 1:2\n"), {.judgments = qrels}); }),
            directory.path("g") + ": the documents have no ids; expected ids, to find their judgments");
}

TEST(Judgments, MayBeTables) {
  const auto labels = [](std::string_view text, const char* name = "f") {
    std::string out;
    for (const Judgment& judgment : parse_qrels(text, name))
      out += fmt::format("{}/{}/{} ", judgment.query, judgment.document, judgment.label);
    return out;
  };
  EXPECT_EQ(labels("grade,keywords,docId\n4,rambo ii,7555\n\n# x\n0,rambo ii,\"a,b\"\n"),
            "rambo ii/7555/4 rambo ii/a,b/0 ");
  EXPECT_EQ(labels("query-id\tcorpus-id\tscore\nq\td\t1.5\n"), "q/d/1.5 ");
  EXPECT_EQ(labels("qid;docid;note;label\nq;d;-;1\n", "j.csv"), "q/d/1 ");
  EXPECT_EQ(labels("q\t0\td\t1\n", "qrels.dev.tsv"), "q/d/1 ");
  EXPECT_EQ(labels("q,1 0 d;2 1\n"), "q,1/d;2/1 ");
}

}  // namespace
}  // namespace dorm
