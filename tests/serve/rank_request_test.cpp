// SPDX-License-Identifier: Apache-2.0
#include "serve/rank_request.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "serve/inference_request.h"
#include "support/message_of.h"

namespace dorm::serve {
namespace {

constexpr std::size_t kMost = 4;

RankRequest read(std::string body, RankFields fields = RankFields::rank) {
  return read_rank_request(body, fields, kMost);
}

std::string refused(const std::string& body, RankFields fields = RankFields::rank) {
  return test::message_of([&] { read(body, fields); }, ErrorCode::bad_input);
}

std::string bytes_of(std::uint32_t rows, std::uint32_t columns, const std::vector<float>& values) {
  std::string body(8 + values.size() * sizeof(float), '\0');
  std::memcpy(body.data(), &rows, 4);
  std::memcpy(body.data() + 4, &columns, 4);
  if (!values.empty()) std::memcpy(body.data() + 8, values.data(), values.size() * sizeof(float));
  return body;
}

TEST(RankRequest, DocumentsBecomeRows) {
  const RankRequest asked = read(
      R"( {"documents": [{"id": "a\u0062", "values": [1, -2.5e0]}, {"values": [0.1, 4], "id": 7, "group": "g"}],
          "features": ["x", "y"], "top": 3, "explain": true, "model": "m", "one_per": "group"} )");
  EXPECT_EQ(asked.documents, 2u);
  EXPECT_EQ(asked.width, 2u);
  EXPECT_EQ(asked.values, (std::vector<float>{1, -2.5f, 0.1f, 4}));
  EXPECT_EQ(asked.ids[0], "ab");
  EXPECT_EQ(asked.ids[1], "7");
  EXPECT_EQ(asked.groups[1], "g");
  EXPECT_EQ(asked.features[1], "y");
  EXPECT_EQ(asked.top, 3u);
  EXPECT_TRUE(asked.explain);
  EXPECT_EQ(asked.model, "m");
  EXPECT_EQ(asked.one_per, "group");
}

TEST(RankRequest, ColumnsBecomeRows) {
  const RankRequest asked = read(R"({"columns": {"x": [1, 2, 3], "y": [4, 5, 6]}})");
  EXPECT_EQ(asked.values, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(asked.documents, 3u);
  EXPECT_EQ(asked.features[0], "x");
}

TEST(RankRequest, NumbersAreRoundedAsInFiles) {
  const RankRequest asked = read(R"({"documents": [{"values": [0.1, 1e-46, -0.0, 16777217, 3.4028235e38]}]})");
  EXPECT_EQ(asked.values, (std::vector<float>{0.1f, 0, 0, 16777216, std::numeric_limits<float>::max()}));
  EXPECT_FALSE(std::signbit(asked.values[2]));
}

TEST(RankRequest, WhatIsWrongIsNamedByItsPath) {
  const std::string one = R"({"values": [1, 2]})";
  EXPECT_EQ(refused(R"({"documents": [{"values": [1, [2]]}]})"),
            "documents[0].values[1]: found a list; expected a number");
  EXPECT_EQ(refused(R"({"documents": [{"values": [1e39]}]})"),
            "documents[0].values[0]: found 1e+39; expected a number that a float can hold");
  EXPECT_EQ(refused(R"({"documents": [)" + one + R"(,{"values": [1]}]})"),
            "documents[1].values: found 1 numbers; expected 2 as before");
  EXPECT_EQ(refused(R"({"documents": [)" + one + R"(,{"values": [1,2,3]}]})"),
            "documents[1].values: found more than 2 numbers; expected as many as before");
  EXPECT_EQ(refused(R"({"documents": [{"id": "a"}]})"),
            "documents[0]: found no field values; expected a list of numbers in it, or features by name");
  EXPECT_EQ(refused(R"({"documents": [{"id": 1.5, "values": [1]}]})"),
            "documents[0].id: found 1.5; expected a string or a whole number");
  EXPECT_EQ(refused(R"({"documents": [5]})"), "documents[0]: found 5; expected an object");
  EXPECT_EQ(refused(R"({"documents": 5})"), "documents: found 5; expected a list of documents");
  EXPECT_EQ(refused(R"({"documents": []})"), "documents: found an empty list; expected at least one document");
  EXPECT_EQ(refused(R"({"top": -1})"), "top: found -1; expected a whole number");
  EXPECT_EQ(refused(R"({"explain": 1})"), "explain: found 1; expected true or false");
  EXPECT_EQ(refused(R"({"topp": 1})"),
            "body: found the field 'topp'; expected model, features, documents, columns, lists, query_features, "
            "queries, top, explain, "
            "one_per");
  EXPECT_EQ(refused(R"({"top": 1, "top": 2})"), "body: found the field 'top' twice; expected it once");
  EXPECT_EQ(refused(R"({"top": 1})"), "body: found neither documents nor columns; expected one of them");
  EXPECT_EQ(refused(R"({"documents": [)" + one + R"(], "features": ["x"]})"),
            "features: found 1 names; expected 2, one for each value of a document");
  EXPECT_EQ(refused(R"({"columns": {"x": [1, 2], "y": [1]}})"),
            "columns.y: found 1 numbers; expected 2 as in the column before");
  EXPECT_EQ(refused(R"({"columns": {"x": [1]}, "features": ["x"]})"),
            "features: found it beside other documents; expected documents (with features), or columns");
}

TEST(RankRequest, WhatIsNoNumberIsACell) {
  const RankRequest asked = read(R"({"documents": [{"values": [1, null]}, {"values": ["a\u0062", true]}]})");
  ASSERT_EQ(asked.cells.size(), 3u);
  EXPECT_TRUE(std::isnan(asked.values[1]));
  EXPECT_EQ(asked.cells[0].kind, RequestCell::Kind::null);
  EXPECT_EQ(asked.cells[0].column, 1u);
  EXPECT_EQ(asked.cells[1].text, "ab");
  EXPECT_EQ(asked.cells[2].text, "true");
  std::string body = R"({"columns": {"x": [12345678901, "y"]}})";
  const RankRequest texts = read_rank_request(body, RankFields::rank, kMost, true);
  EXPECT_EQ(texts.cells[0].text, "12345678901");
}

TEST(RankRequest, DocumentsMayNameTheirFeatures) {
  const RankRequest asked =
      read(R"({"documents": [{"features": {"x": 1, "y": 2}}, {"id": "b", "features": {"z": 4, "x": 3}}]})");
  EXPECT_EQ(asked.width, 3u);
  EXPECT_EQ(asked.features[2], "z");
  EXPECT_EQ(asked.values[3], 3);
  EXPECT_EQ(asked.values[5], 4);
  ASSERT_EQ(asked.cells.size(), 2u);
  EXPECT_EQ(asked.cells[0].kind, RequestCell::Kind::absent);
  EXPECT_EQ(asked.cells[1].column, 1u);
  EXPECT_EQ(refused(R"({"documents": [{"features": {"x": 1, "x": 2}}]})"),
            "documents[0].features.x: found it again; expected each feature once");
  EXPECT_EQ(
      refused(R"({"documents": [{"features": {"x": 1}, "values": [1]}]})"),
      "documents[0].values: found it beside other documents; expected values of all documents, or features of all "
      "by name");
  EXPECT_EQ(refused(R"({"documents": [{"features": {"x": 1}}], "features": ["x"]})"),
            "features: found them beside documents that name their own; expected one of them");
}

TEST(RankRequest, MayHaveSeveralQueries) {
  const RankRequest asked = read(
      R"({"queries": [{"id": 7, "documents": [{"values": [1]}], "top": 1}, {"columns": {"y": [2, 3]}}], "features": ["x"],
          "top": 5})");
  ASSERT_EQ(asked.queries.size(), 2u);
  EXPECT_EQ(asked.queries[0].query, "7");
  EXPECT_EQ(asked.queries[0].features[0], "x");
  EXPECT_EQ(asked.queries[0].top, 1u);
  EXPECT_EQ(asked.queries[1].top, 5u);
  EXPECT_EQ(asked.queries[1].features[0], "y");
  EXPECT_EQ(refused(R"({"queries": []})"), "queries: found an empty list; expected at least one query");
  EXPECT_EQ(refused(R"({"queries": [{"id": 1}]})"),
            "queries[0]: found neither documents nor columns; expected one of "
            "them");
  EXPECT_EQ(refused(R"({"queries": [{"columns": {"x": [1, 2, 3]}}, {"columns": {"x": [1, 2]}}]})"),
            "queries[1].columns.x: found more than 4 documents; expected no more");
}

TEST(RankRequest, TextThatIsNoJsonIsRefused) {
  for (const char* body : {"", " ", "{", "[]", "5", "nonsense", "{\"documents\": [{\"values\": [1,]}]}",
                           "{\"documents\": [{\"values\": [1}]}", "{\"documents\": [{\"values\": [1]}]",
                           "{\"documents\": [{\"values\": [1]}]} {}", "{\"documents\": [{\"values\": [01]}]}",
                           "{\"documents\": [{\"values\": [1] \"id\": 2}]}", "{\"model\": \"\xff\"}",
                           "{\"model\": \"\\q\"}", "{\"documents\": [{\"values\": [NaN]}]}"})
    EXPECT_FALSE(refused(body).empty()) << body;
}

TEST(RankRequest, MoreDocumentsThanAllowedAreRefused) {
  std::string body = R"({"documents": [)";
  for (std::size_t i = 0; i <= kMost; ++i) body += std::string(i ? "," : "") + R"({"values": [1]})";
  EXPECT_EQ(refused(body + "]}"), "documents: found more than 4 documents; expected no more");
  EXPECT_EQ(refused(R"({"columns": {"x": [1,2,3,4,5]}})"), "columns.x: found more than 4 documents; expected no more");
}

TEST(RankRequest, APairIsTwoDocuments) {
  const RankRequest asked = read(R"({"documents": [{"values": [1]}], "pair": ["a", 3]})", RankFields::explain);
  EXPECT_EQ(asked.pair[0].id, "a");
  EXPECT_EQ(asked.pair[1].index, 3u);
  EXPECT_EQ(refused(R"({"pair": ["a"]})", RankFields::explain),
            "pair: found 1 documents; expected two documents, by id or by place");
  EXPECT_EQ(refused(R"({"pair": ["a", "b"]})"),
            "body: found the field 'pair'; expected model, features, documents, columns, lists, query_features, "
            "queries, top, explain, "
            "one_per");
}

TEST(BinaryRows, AreReadWhereTheyLie) {
  const std::string body = bytes_of(2, 3, {1, 2, 3, 4, 5, 6});
  const DenseRows rows = read_binary_rows(body, kMost);
  EXPECT_EQ(rows.rows, 2u);
  EXPECT_EQ(rows.columns, 3u);
  EXPECT_EQ(rows.data[5], 6);
}

TEST(BinaryRows, OtherSizesAndNumbersAreRefused) {
  const auto why = [](const std::string& body) {
    return test::message_of([&] { read_binary_rows(body, kMost); }, ErrorCode::bad_input);
  };
  EXPECT_EQ(why("1234567"), "body: found 7 bytes; expected two numbers of 32 bits and rows");
  EXPECT_EQ(why(bytes_of(2, 2, {1, 2, 3})), "body: found 12 bytes of rows; expected 2 x 2 numbers of 32 bits");
  EXPECT_EQ(why(bytes_of(0xffffffff, 1, {1})), "body: found 4294967295 documents; expected at most 4");
  EXPECT_EQ(why(bytes_of(2, 0x80000000, {1})),
            "body: found 4 bytes of rows; expected 2 x 2147483648 numbers of 32 bits");
  EXPECT_EQ(why(bytes_of(0, 1, {})), "body: found 0 rows of 1 numbers; expected some");
  EXPECT_EQ(why(bytes_of(1, 2, {1, std::numeric_limits<float>::infinity()})),
            "body: found inf at row 0, column 1 (counted from 0); expected finite numbers");
}

InferenceRequest infer(std::string body, std::string_view json_bytes = "") {
  return read_inference_request(body, json_bytes, kMost);
}

TEST(InferenceRequest, OneTensorOfRowsOrOneOfEachFeature) {
  const InferenceRequest rows = infer(
      R"({"id": "7", "inputs": [{"name": "features", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}]})");
  EXPECT_EQ(rows.id, "7");
  EXPECT_EQ(rows.rows.values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(rows.rows.features.empty());
  const InferenceRequest nested =
      infer(R"({"inputs": [{"name": "f", "data": [[1, 2], [3, 4]], "shape": [2, 2], "datatype": "FP64"}]})");
  EXPECT_EQ(nested.rows.values, rows.rows.values);
  const InferenceRequest columns = infer(R"({"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", "data": [1, 3]},
                           {"name": "y", "shape": [2, 1], "datatype": "INT32", "data": [2, 4]}]})");
  EXPECT_EQ(columns.rows.values, rows.rows.values);
  EXPECT_EQ(columns.rows.features[1], "y");
}

TEST(InferenceRequest, TensorsMayLieBehindTheJson) {
  const std::string json =
      R"({"inputs": [{"name": "f", "shape": [1, 2], "datatype": "FP32", "parameters": {"binary_data_size": 8}}],
          "outputs": [{"name": "scores", "parameters": {"binary_data": true}}]})";
  const float values[] = {1.5f, -2};
  const std::string tail(reinterpret_cast<const char*>(values), sizeof values);
  const InferenceRequest asked = infer(json + tail, std::to_string(json.size()));
  EXPECT_EQ(asked.rows.values, (std::vector<float>{1.5f, -2}));
  EXPECT_TRUE(asked.binary_scores);
  for (const std::string& body : {json, json + tail.substr(1), json + tail + "x"})
    EXPECT_FALSE(test::message_of([&] { infer(body, std::to_string(json.size())); }).empty());
  EXPECT_FALSE(test::message_of([&] { infer(json, "9999"); }).empty());
}

TEST(InferenceRequest, ShapesMustFit) {
  const auto why = [](const std::string& tensor) {
    return test::message_of([&] { infer(R"({"inputs": [)" + tensor + "]}"); }, ErrorCode::bad_input);
  };
  EXPECT_EQ(why(R"({"name": "f", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3]})"),
            "inputs[0]: found 3 values; expected 2 x 2 by its shape");
  EXPECT_EQ(why(R"({"name": "f", "shape": [9, 1], "datatype": "FP32", "data": [1]})"),
            "inputs[0]: found 9 documents; expected at most 4");
  EXPECT_EQ(why(R"({"name": "f", "shape": [1, 1], "datatype": "BYTES", "data": [1]})"),
            "inputs[0].datatype: found 'BYTES'; expected FP32 or another of numbers");
  EXPECT_EQ(why(R"({"name": "f", "shape": [0, 0], "datatype": "FP32", "data": []})"),
            "inputs[0]: found an empty shape; expected some documents of some features");
}

}  // namespace
}  // namespace dorm::serve
