// SPDX-License-Identifier: Apache-2.0
// A model file is input like any other: what is right comes back exactly, what is wrong is named.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using Json = nlohmann::json;

Model example() {
  Model model;
  model.features = {"bm25", "\xC3\xBC", "7"};
  model.weights = {1.0 / 3, -0.0, 5e-324};
  model.scaling = {ScalingKind::zscore, {0.1, 0.2, 0.3}, {1, 2, 1e300}};
  model.measure = "ndcg@10";
  model.convention = "letor4";
  model.decay = "power:0.5";
  model.bound = "best";
  model.start = "ridge";
  model.solver = "bcda";
  model.C = 0.1;
  model.tolerance = 1e-3;
  model.seed = 18446744073709551615u;
  model.rounds = 4;
  model.certificate = {2.5, 2.4999, 4e-5, "converged"};
  model.explained_risk = 0.7;
  model.data = {0xfedcba9876543210u, 5, 4, 60, 3};
  model.validation = 0.625;
  model.parts = {{0.75, "ndcg@10", "power:0.5", "best", "ridge", 0.1, 4, {2.5, 2.4999, 4e-5, "converged"}, 0.7, 0.5},
                 {0.25, "", "", "none", "ridge-gain", 1000, 0, {0, 0, 0, "none"}, 0, std::nan("")}};
  model.folds = 5;
  model.data.input = {{.query = "session", .ignored = {"title", "url"}}, Missing::mean, {}};
  model.data.input.means = {{"bm25", 0.1}, {"\xC3\xBC", 2}, {"7", -3}};
  model.data.statistics = {{-1, 0.1, 7}, {5e-324, 1e300, 7}, {-0.25, 1.0 / 3, 7}};
  return model;
}

Json parsed() { return Json::parse(to_json(example())); }

std::string message_of(const std::string& text, ErrorCode code = ErrorCode::bad_input) {
  const Error error = test::error_of([&] { model_from_json(text, "m.json"); });
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_EQ(error.position().file, "m.json");
  return error.what();
}

TEST(ModelJson, EveryFieldComesBackToTheLastBit) {
  const Model model = example();
  const Model back = model_from_json(to_json(model), "m.json");
  EXPECT_EQ(back.features, model.features);
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_TRUE(std::signbit(back.weights[1]));
  EXPECT_EQ(back.data.input, model.data.input);
  EXPECT_EQ(back.scaling.kind, model.scaling.kind);
  EXPECT_EQ(back.scaling.shift, model.scaling.shift);
  EXPECT_EQ(back.scaling.factor, model.scaling.factor);
  EXPECT_EQ(back.data.statistics.minimum, model.data.statistics.minimum);
  EXPECT_EQ(back.data.statistics.maximum, model.data.statistics.maximum);
  EXPECT_EQ(back.data.statistics.mean, model.data.statistics.mean);
  EXPECT_EQ(back.seed, model.seed);
  EXPECT_EQ(back.data.fingerprint, model.data.fingerprint);
  EXPECT_EQ(back.validation, model.validation);
  EXPECT_EQ(back.certificate.status, "converged");
  ASSERT_EQ(back.parts.size(), 2u);
  EXPECT_EQ(back.parts[0].certificate.dual, 2.4999);
  EXPECT_EQ(back.parts[1].start, "ridge-gain");
  EXPECT_TRUE(std::isnan(back.parts[1].validation));
  EXPECT_EQ(back.folds, 5u);
  EXPECT_EQ(to_json(back), to_json(model));
}

TEST(ModelJson, AMissingValidationStaysMissing) {
  Model model = example();
  model.validation = std::nan("");
  EXPECT_FALSE(Json::parse(to_json(model)).contains("validation"));
  EXPECT_TRUE(std::isnan(model_from_json(to_json(model), "m.json").validation));
}

TEST(ModelJson, RequiredFieldsAreNamedWhenMissing) {
  for (const char* pointer :
       {"/format", "/version", "/features", "/weights", "/scaling", "/scaling/kind", "/measure", "/certificate",
        "/certificate/primal", "/certificate/dual", "/certificate/gap", "/parts/0/share", "/parts/1/bound",
        "/parts/1/certificate/gap", "/statistics/minimum", "/statistics/maximum", "/statistics/mean"}) {
    Json json = parsed();
    const Json::json_pointer at(pointer);
    json[at.parent_pointer()].erase(at.back());
    EXPECT_NE(message_of(json.dump()).find(at.back()), std::string::npos) << message_of(json.dump());
  }
}

TEST(ModelJson, MistypedFieldsAreNamed) {
  const std::vector<std::pair<const char*, Json>> wrong = {{"/format", "other"},
                                                           {"/format", 3},
                                                           {"/version", "1"},
                                                           {"/version", true},
                                                           {"/version", 1.5},
                                                           {"/version", -1},
                                                           {"/features", "bm25"},
                                                           {"/features", {1, 2, 3}},
                                                           {"/features", {"a", "b", "a"}},
                                                           {"/weights", {1, 2}},
                                                           {"/weights", {1, "2", 3}},
                                                           {"/weights", {1, true, 3}},
                                                           {"/weights", {1, nullptr, 3}},
                                                           {"/scaling", 1},
                                                           {"/scaling/kind", "unheard"},
                                                           {"/scaling/shift", {1, 2}},
                                                           {"/scaling/factor", "x"},
                                                           {"/measure", 1},
                                                           {"/convention", 1},
                                                           {"/decay", 1},
                                                           {"/bound", 1},
                                                           {"/start", 1},
                                                           {"/rounds", -1},
                                                           {"/rounds", 1.5},
                                                           {"/explained_risk", "good"},
                                                           {"/validation", "good"},
                                                           {"/certificate", 1},
                                                           {"/certificate/primal", "x"},
                                                           {"/certificate/dual", nullptr},
                                                           {"/certificate/gap", {1}},
                                                           {"/certificate/status", 1},
                                                           {"/parts", 1},
                                                           {"/parts/0/share", "x"},
                                                           {"/parts/1/rounds", -1},
                                                           {"/parts/1/certificate/primal", "x"},
                                                           {"/folds", -1},
                                                           {"/options", 1},
                                                           {"/options/C", "x"},
                                                           {"/options/tolerance", "x"},
                                                           {"/options/solver", 1},
                                                           {"/options/seed", -1},
                                                           {"/data", 1},
                                                           {"/data/fingerprint", 1},
                                                           {"/data/fingerprint", "xyz"},
                                                           {"/data/queries", -1},
                                                           {"/data/documents", 0.5},
                                                           {"/data/features", "x"},
                                                           {"/data/usable_queries", true},
                                                           {"/input", 1},
                                                           {"/input/columns", "x"},
                                                           {"/input/columns/query", 1},
                                                           {"/input/ignored", "x"},
                                                           {"/input/missing", "median"},
                                                           {"/input/means", {1, 2}},
                                                           {"/input/means", nullptr},
                                                           {"/statistics", 1},
                                                           {"/statistics/minimum", {1, 2}},
                                                           {"/statistics/maximum", "x"},
                                                           {"/statistics/mean", {-0.25, nullptr, 7}},
                                                           {"/statistics/mean", {-1.5, 0.5, 7}},
                                                           {"/statistics/mean", {-0.25, 0.5, 8}}};
  for (const auto& [pointer, value] : wrong) {
    Json json = parsed();
    const Json::json_pointer at(pointer);
    json[at] = value;
    const std::string message = message_of(json.dump());
    EXPECT_NE(message.find("not a usable model: \""), std::string::npos) << pointer << ": " << message;
    EXPECT_NE(message.find(at.back()), std::string::npos) << pointer << ": " << message;
  }
}

TEST(ModelJson, LogarithmsOfMissingValuesAreRefused) {
  Json json = parsed();
  json.erase("parts");
  json["kind"] = "curves";
  json["curves"] = {
      {"shape", "lines"},
      {"features",
       {{{"feature", "7"}, {"knots", Json::array()}, {"rises", Json::array()}, {"median", 0}, {"missing", 0.5}}}}};
  EXPECT_EQ(model_from_json(json.dump(), "m.json").curves->features[2].missing, 0.5);
  json["scaling"]["kind"] = "log-zscore";
  EXPECT_NE(message_of(json.dump()).find("missing values, whose logarithms"), std::string::npos);
}

TEST(ModelJson, OptionalFieldsMayBeAbsent) {
  Json json = parsed();
  for (const char* key : {"convention", "decay", "bound", "start", "rounds", "explained_risk", "options", "data",
                          "input", "kind", "library", "statistics"})
    json.erase(key);
  EXPECT_FALSE(model_from_json(json.dump(), "m.json").data.statistics.known());
  EXPECT_EQ(model_from_json(json.dump(), "m.json").weights, example().weights);
}

TEST(ModelJson, FieldsOfLaterVersionsAreIgnored) {
  Json json = parsed();
  json["colour"] = "green";
  EXPECT_EQ(model_from_json(json.dump(), "m.json").features.size(), 3u);
}

TEST(ModelJson, OlderAndNewerVersionsAreRefused) {
  Json json = parsed();
  EXPECT_EQ(json.at("version"), 3);
  for (const int version : {1, 2, 4}) {
    json["version"] = version;
    EXPECT_NE(message_of(json.dump(), ErrorCode::unsupported)
                  .find("found a model of format version " + std::to_string(version) + "; expected version 3"),
              std::string::npos);
  }
}

TEST(ModelJson, AnotherKindIsRefused) {
  Json json = parsed();
  json["kind"] = "forest";
  EXPECT_NE(message_of(json.dump(), ErrorCode::unsupported).find("forest"), std::string::npos);
}

TEST(ModelJson, WhatIsNotJsonIsRefusedWithThePlace) {
  EXPECT_NE(message_of("").find("not JSON at byte 1"), std::string::npos);
  EXPECT_NE(message_of("[1, 2").find("not JSON"), std::string::npos);
  EXPECT_NE(message_of("[]").find("should be an object"), std::string::npos);
  EXPECT_NE(message_of("{\"format\": 1e999}").find("too large"), std::string::npos);
  const std::string whole = to_json(example());
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7)
    EXPECT_THROW(model_from_json(whole.substr(0, length), "m.json"), Error) << length;
}

TEST(ModelJson, AFeatureNameThatIsNotUtf8IsAnErrorOfTheLibrary) {
  Model model = example();
  model.features[0] = "\xFF";
  EXPECT_THROW(to_json(model), Error);
}

TEST(ModelFile, SavesAndLoads) {
  const test::TemporaryDirectory directory;
  save_model(example(), directory.path("m.json"));
  EXPECT_EQ(to_json(load_model(directory.path("m.json"))), to_json(example()));
  EXPECT_EQ(directory.num_files(), 1u);
}

TEST(ModelFile, NamesAFileThatIsNotThere) {
  const std::string message = test::message_of([] { load_model("/nowhere/m.json"); }, ErrorCode::io);
  EXPECT_NE(message.find("/nowhere/m.json"), std::string::npos) << message;
  EXPECT_THROW(save_model(example(), "/nowhere/m.json"), Error);
}

}  // namespace
}  // namespace dorm
