// SPDX-License-Identifier: Apache-2.0
// Answers of search engines that are not what they should be.
#include <gtest/gtest.h>

#include "data/io/malformed.h"
#include "dorm/read.h"

namespace dorm {
namespace {

using test::expect_complaints;
using test::Malformed;
using test::text;

void expect_log_complaints(std::span<const Malformed> cases, ReadOptions options = {}) {
  options.need_labels = false;
  options.format = DataFormat::log;
  expect_complaints(cases, "f", [&](const std::string& path) { read_dataset(path, options); });
}

TEST(MalformedLog, WhatIsNoAnswerIsSaidWithItsLine) {
  const Malformed cases[] = {
      {text(""), "f: no documents"},
      {text("1 qid:1 1:2\n"),
       "f:1: found '1 qid:1 1:2'; expected answers of Elasticsearch, OpenSearch or Solr with logged features, as JSON"},
      {text("\n{\"hits\": {\n\"hits\": [\n"),
       "f:2: the JSON that begins here does not end; expected answers of Elasticsearch, OpenSearch or Solr with logged "
       "features, as JSON"},
      {text("{\"hits\": \"a\nb\"}"),
       "f:1: found a text that does not end on its line; expected answers of Elasticsearch, OpenSearch or Solr with "
       "logged features, as JSON"},
      {text("{\"hits\": }"),
       "f:1: not JSON at byte 10; expected answers of Elasticsearch, OpenSearch or Solr with logged features, as JSON"},
      {text("{\"hits\": ]"),
       "f:1: not JSON at byte 10; expected answers of Elasticsearch, OpenSearch or Solr with logged features, as JSON"},
      {text("{\"hits\": \"a\0\"}"), "f:1:12: found a NUL byte; expected text"},
      {text("{\"took\": 3}\n"),
       "f:1: found neither hits.hits, response.docs nor responses; expected an answer of Elasticsearch, OpenSearch or "
       "Solr"},
      {text("[{\"qid\":1,\"hits\":{\"hits\":[]}},\n7]"),
       "f:1: [1]: found '7'; expected answers of Elasticsearch, OpenSearch or Solr with logged features, as JSON"},
      {text("{\"responses\":[{\"error\":{\"type\":\"t\",\"reason\":\"no such index\"},\"status\":404}]}"),
       "f:1: responses[0]: the engine answered with an error, 'no such index'; expected documents"},
      {text("{\"responseHeader\":{\"status\":400},\"error\":{\"msg\":\"undefined field\",\"code\":400}}"),
       "f:1: the engine answered with an error, 'undefined field'; expected documents"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[]}}"), "f: no documents"},
      {text("{\"qid\":1,\"hits\":{\"hits\":{}}}"), "f:1: hits.hits: found an object; expected a list of documents"},
      {text("{\"qid\":1,\"hits\":{}}"), "f:1: hits.hits: found nothing; expected a list of documents"},
      {text("{\"qid\":1,\"response\":{\"docs\":3}}"), "f:1: response.docs: found '3'; expected a list of documents"},
  };
  expect_log_complaints(cases);
}

TEST(MalformedLog, TheQueryOfAnAnswerMustBeKnown) {
  const Malformed cases[] = {
      {text("\n{\"hits\":{\"hits\":[]}}"),
       "f:2: found no query id, and an answer of the engine has none; expected \"qid\" beside it, as in {\"qid\": "
       "\"1\", \"response\": {...}}"},
      {text("{\"qid\":\"a\\u0000b\",\"hits\":{\"hits\":[]}}"), "f:1: found a NUL byte in a name; expected text"},
      {text("{\"responseHeader\":{\"params\":{\"q\":\"*:*\"}},\"response\":{\"docs\":[]}}"),
       "f:1: found no query id in the answer nor in responseHeader.params; expected the parameter qid or q (other than "
       "*:*) of a request with echoParams=explicit, or \"qid\" beside the answer"},
  };
  expect_log_complaints(cases);
  const Malformed counts[] = {
      {text("{\"hits\":{\"hits\":[]}}"), "f: found 1 answers; expected 2, as there are query ids"},
      {text("{\"responses\":[{\"hits\":{\"hits\":[]}},{\"hits\":{\"hits\":[]}},{\"hits\":{\"hits\":[]}}]}"),
       "f:1: responses[2]: found an answer more than the 2 query ids; expected an id for each answer"},
  };
  expect_log_complaints(counts, {.query_ids = {"a", "b"}});
}

TEST(MalformedLog, HitsOfElasticsearch) {
  const Malformed cases[] = {
      {text("{\"qid\":1,\"hits\":{\"hits\":[7]}}"), "f:1: hits.hits[0]: found '7'; expected a hit"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"fields\":{}}]}}"),
       "f:1: hits.hits[0]._id: found nothing; expected the id of the document"},
      {text("{\"qid\":1,\"response\":{\"hits\":{\"hits\":[{\"_id\":\"d\",\"_source\":{}}]}}}"),
       "f:1: response.hits.hits[0].fields._ltrlog: found nothing; expected logged features, which a search with "
       "\"ext\": {\"ltr_log\": ...} returns"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[3]}}]}}"),
       "f:1: hits.hits[0].fields._ltrlog[0]: found '3'; expected an object of log entries"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[{\"e\":3}]}}]}}"),
       "f:1: hits.hits[0].fields._ltrlog[0].e: found '3'; expected a list of features"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[{\"e\":[{\"name\":1}]}]}}]}}"),
       "f:1: hits.hits[0].fields._ltrlog[0].e[0].name: found '1'; expected the name of a feature"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[{\"e\":[{\"name\":\"x\","
            "\"value\":[1]}]}]}}]}}"),
       "f:1: hits.hits[0].fields._ltrlog[0].e: found a list; expected a number as value of 'x'"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[{\"e\":[{\"name\":\"x\","
            "\"value\":1},{\"name\":\"x\",\"value\":2}]}]}}]}}"),
       "f:1: hits.hits[0].fields._ltrlog[0].e: found the feature 'x' twice with different values; expected one"},
      {text("{\"qid\":1,\"hits\":{\"hits\":[{\"_id\":\"d\",\"fields\":{\"_ltrlog\":[{\"e\":[{\"name\":\"x\","
            "\"value\":\"high\"},{\"name\":\"y\",\"value\":1e39}]}]}}]}}"),
       "f:1: 2 columns do not hold numbers: 'x' (line 1: 'high'), 'y' (beyond the range of float32, line 1: '1e+39')"},
  };
  expect_log_complaints(cases);
}

TEST(MalformedLog, DocumentsOfSolr) {
  const Malformed cases[] = {
      {text("{\"qid\":1,\"response\":{\"docs\":[\"d\"]}}"), "f:1: response.docs[0]: found 'd'; expected a document"},
      {text("{\"qid\":1,\"response\":{\"docs\":[{\"[features]\":\"x=1\"}]}}"),
       "f:1: response.docs[0].id: found nothing; expected the id of the document: ask for it in fl, and name its field "
       "where that is not id"},
      {text("{\"qid\":1,\"response\":{\"docs\":[{\"id\":\"d\"}]}}"),
       "f:1: response.docs[0].[features]: found nothing; expected logged features, which a request with "
       "fl=id,[features] returns"},
      {text("{\"qid\":1,\"response\":{\"docs\":[{\"id\":\"d\",\"fv\":\"x=1,y\"}]}}"),
       "f:1: response.docs[0].fv: found 'x=1,y'; expected name=number,name=number; names with = or , in them need "
       "other separators in solrconfig.xml (csvKeyValueDelimiter, csvFeatureSeparator)"},
      {text("{\"qid\":1,\"response\":{\"docs\":[{\"id\":\"d\",\"fv\":{\"\":1}}]}}"),
       "f:1: response.docs[0].fv: found a feature without a name; expected names"},
  };
  expect_log_complaints(cases);
}

TEST(MalformedLog, LabelsComeFromJudgments) {
  const test::TemporaryDirectory directory;
  const std::string log = directory.write("log", R"({"qid":1,"response":{"docs":[{"id":"d","[features]":"x=1"}]}})");
  const auto complaint = [&](const std::string& judgments) {
    ReadOptions options;
    if (!judgments.empty()) options.judgments = directory.write("q", judgments);
    return test::complaint(log, [&](const std::string& path) { read_dataset(path, options); });
  };
  EXPECT_EQ(complaint(""),
            "log: a log of features has no labels; expected judgments of its documents to be joined to it");
  EXPECT_EQ(complaint("2 0 d 1\n1 0 e 1\n"),
            "q: judges none of the documents of log (query '1', document 'd'); expected the same ids, as in query '2', "
            "document 'd'");
  EXPECT_EQ(complaint("1 0 d 1\n1 0 d 1\n"), "q: query '1', document 'd' has two judgments");
}

}  // namespace
}  // namespace dorm
