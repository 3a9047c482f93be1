// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::message_of;

Json json_of(const std::string& text) { return parse_json(text, "m.json", "a model"); }

TEST(Json, NestingIsLimitedBeforeAnythingIsBuilt) {
  const auto nested = [](std::size_t depth, const char* open, const char* close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "0";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  EXPECT_NO_THROW(json_of(nested(32, "[", "]")));
  for (const std::size_t depth : {std::size_t{33}, std::size_t{400'000}}) {
    EXPECT_EQ(message_of([&] { json_of(nested(depth, "[", "]")); }),
              "m.json: JSON nested deeper than 32 levels; expected a model");
    EXPECT_NE(message_of([&] { json_of(nested(depth, "{\"a\":", "}")); }).find("deeper"), std::string::npos);
  }
  EXPECT_NE(message_of([&] { json_of(std::string(400'000, '[')); }).find("deeper"), std::string::npos);
}

TEST(Json, BracketsInsideTextDoNotNest) {
  const std::string text = "\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"";
  EXPECT_EQ(json_of(text).get<std::string>().size(), 201u);
}

TEST(Json, SaysWhereItStopsBeingJson) {
  EXPECT_EQ(message_of([] { json_of("{\"a\": }"); }), "m.json: not JSON at byte 7; expected a model");
  EXPECT_EQ(message_of([] { json_of("[1e999]"); }), "m.json: a number is too large; expected a model");
  EXPECT_NE(message_of([] { json_of(""); }).find("not JSON"), std::string::npos);
}

TEST(Json, WholeNumbersAreNeitherRoundedNorWrapped) {
  const Json json =
      json_of(R"({"a": 3.7, "b": -1, "c": 3.5e38, "d": true, "e": "4", "f": 18446744073709551615, "g": [1, -1]})");
  const JsonFields fields(json, "m.json", "a usable model");
  for (const char* key : {"a", "b", "c", "d", "e", "absent"})
    EXPECT_EQ(message_of([&] { fields.required<std::uint64_t>(key, "a count"); }),
              "m.json: not a usable model: \"" + std::string(key) + "\" should be a count");
  EXPECT_EQ(fields.required<std::uint64_t>("f", "a count"), UINT64_MAX);
  EXPECT_NE(message_of([&] { fields.required<std::vector<std::uint64_t>>("g", "counts"); }), "");
}

TEST(Json, NumbersFitTheirType) {
  const Json json = json_of(R"({"large": 1e39, "flag": true, "null": null, "list": [1, null], "x": -2})");
  const JsonFields fields(json, "m.json", "a usable model");
  EXPECT_EQ(fields.required<double>("large", "a number"), 1e39);
  EXPECT_NE(message_of([&] { fields.required<float>("large", "a number"); }), "");
  EXPECT_NE(message_of([&] { fields.required<double>("flag", "a number"); }), "");
  EXPECT_NE(message_of([&] { fields.required<std::vector<double>>("list", "numbers"); }), "");
  EXPECT_EQ(fields.optional<double>("null", "a number", 5), 5);
  EXPECT_EQ(fields.optional<double>("absent", "a number", 5), 5);
  EXPECT_EQ(fields.optional<double>("x", "a number", 5), -2);
  EXPECT_NE(message_of([&] { fields.optional<double>("flag", "a number", 5); }), "");
}

TEST(Json, ErrorsNameTheWholePath) {
  const Json json = json_of(R"({"a": {"b": 1}, "rows": [{"n": 1}, {"n": "x"}], "odd": [1]})");
  const JsonFields fields(json, "m.json", "a usable model");
  EXPECT_EQ(message_of([&] { fields.object("a").required<std::string>("b", "a name"); }),
            "m.json: not a usable model: \"a.b\" should be a name");
  const std::vector<JsonFields> rows = fields.objects("rows", "a list");
  EXPECT_EQ(rows[0].required<std::uint64_t>("n", "a count"), 1u);
  EXPECT_EQ(message_of([&] { rows[1].required<std::uint64_t>("n", "a count"); }),
            "m.json: not a usable model: \"rows[1].n\" should be a count");
  EXPECT_EQ(message_of([&] { fields.objects("odd", "a list"); }),
            "m.json: not a usable model: \"odd[0]\" should be an object");
  EXPECT_EQ(message_of([] { JsonFields(parse_json("[]", "m", "x"), "m.json", "a usable model"); }),
            "m.json: not a usable model: it should be an object");
}

TEST(Json, WhatIsNotUtf8IsRefusedInFilesAndReplacedInPrint) {
  const Json json = {{"name", "caf\xe9"}};
  EXPECT_NE(message_of([&] { json_text(json); }).find("not UTF-8"), std::string::npos);
  EXPECT_EQ(printable_json(json), "{\"name\":\"caf\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace dorm
