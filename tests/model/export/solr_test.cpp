// SPDX-License-Identifier: Apache-2.0
// Models and features for Solr, read back as its learning to rank does: every feature of the model is in the store and
// has a weight, numbers of normalisers are text, all arithmetic is in float32, and a function is never negative.
#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"
#include "export_case.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Exported to_solr(const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target("solr"), options);
}

class SolrReader {
 public:
  explicit SolrReader(const Exported& exported)
      : model_(parse_json(exported.files[0].bytes, "model", "JSON")),
        store_(parse_json(exported.features, "store", "JSON")) {
    EXPECT_EQ(model_.at("class"), "org.apache.solr.ltr.model.LinearModel");
    EXPECT_EQ(model_.size(), 5u);
    EXPECT_EQ(model_.at("params").size(), 1u);
    EXPECT_EQ(model_.at("params").at("weights").size(), model_.at("features").size());
  }

  const Json& model() const { return model_; }
  const Json& store() const { return store_; }

  double score(const test::ExportRow& row) const {
    float sum = 0;
    for (const Json& feature : model_.at("features")) {
      const std::string name = feature.at("name");
      float x = value(declared(name), row);
      if (feature.contains("norm")) x = normalised(feature.at("norm"), x);
      sum += x * static_cast<float>(model_.at("params").at("weights").at(name).get<double>());
    }
    return sum;
  }

 private:
  const Json& declared(const std::string& name) const {
    const Json* found = nullptr;
    for (const Json& feature : store_)
      if (feature.at("name") == name) {
        EXPECT_EQ(found, nullptr) << name << " twice";
        EXPECT_EQ(feature.at("store"), model_.at("store"));
        found = &feature;
      }
    if (!found) throw std::invalid_argument("not in the store: " + name);
    return *found;
  }

  static float value(const Json& feature, const test::ExportRow& row) {
    const Json& params = feature.at("params");
    if (feature.at("class") == "org.apache.solr.ltr.feature.FieldValueFeature") {
      const auto found = row.find(params.at("field").get<std::string>());
      return found != row.end() ? found->second : static_cast<float>(params.value("defaultValue", 0.0));
    }
    EXPECT_EQ(feature.at("class"), "org.apache.solr.ltr.feature.SolrFeature");
    return std::max(function(params.at("q").get<std::string>(), row), 0.0F);
  }

  /// {!func}ln(sum(1,max(field("x"),0))), and with product(-1,field("x")); field may be def(field("x"),3.5).
  static float function(std::string text, const test::ExportRow& row) {
    const auto strip = [&](std::string_view before, std::string_view behind) {
      if (!text.starts_with(before) || !text.ends_with(behind)) return false;
      text = text.substr(before.size(), text.size() - before.size() - behind.size());
      return true;
    };
    EXPECT_TRUE(strip("{!func}ln(sum(1,max(", ",0)))")) << text;
    const float sign = strip("product(-1,", ")") ? -1.0F : 1.0F;
    std::optional<float> otherwise;
    if (text.starts_with("def(")) {
      const std::size_t comma = text.rfind(',');
      otherwise = std::stof(text.substr(comma + 1));
      text = text.substr(4, comma - 4);
    }
    EXPECT_TRUE(strip("field(\"", "\")")) << text;
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) name += text[i] == '\\' ? text[++i] : text[i];
    const auto found = row.find(name);
    if (found == row.end() && !otherwise) return 0;  // of functions of a field without a value, max takes the others
    const float x = std::max(sign * (found == row.end() ? *otherwise : found->second), 0.0F);
    return static_cast<float>(std::log(static_cast<double>(1.0F + x)));
  }

  static float normalised(const Json& norm, float x) {
    const Json& params = norm.at("params");
    const auto number = [&](const char* key) { return std::stof(params.at(key).get<std::string>()); };
    EXPECT_EQ(params.size(), 2u);
    if (norm.at("class") == "org.apache.solr.ltr.norm.MinMaxNormalizer")
      return (x - number("min")) / (number("max") - number("min"));
    EXPECT_EQ(norm.at("class"), "org.apache.solr.ltr.norm.StandardNormalizer");
    EXPECT_GT(number("std"), 0);
    return (x - number("avg")) / number("std");
  }

  Json model_, store_;
};

TEST(Solr, ScoresAsTheModelDoes) {
  for (const ScalingKind kind : test::kServableKinds)
    for (const bool fold : {false, true}) {
      const test::ExportCase one(kind, {"title", "constant", "unused", "a \"b\" \\ c", "ünï", "title_log"});
      const Exported exported = to_solr(one.model, {.name = "my model", .fold = fold});
      const SolrReader solr(exported);
      EXPECT_EQ(solr.model().at("name"), "my model");
      EXPECT_EQ(exported.files[0].bytes.find("unused"), std::string::npos);
      EXPECT_EQ(exported.files[0].bytes.find("norm") != std::string::npos, !fold && kind != ScalingKind::none);
      EXPECT_EQ(exported.files[0].bytes.find("MinMax") != std::string::npos, !fold && kind == ScalingKind::minmax);
      one.expect_served(
          exported, [&](const test::ExportRow& row) { return solr.score(row); }, test::kSingleUnit);
    }
}

TEST(Solr, ScoresCanBeKeptFromBeingNegative) {
  for (const ScalingKind kind : test::kServableKinds)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      test::ExportCase one(kind, {"a", "b", "c", "d", "e", "f", "g"}, seed);
      one.learn_ranges();
      const Exported exported = to_solr(one.model, {.non_negative = true});
      const SolrReader solr(exported);
      one.expect_non_negative(
          exported, [&](const test::ExportRow& row) { return solr.score(row); }, test::kSingleUnit);
      EXPECT_EQ(exported.features.find("a_log_negative"), std::string::npos) << "never negative in training";
      EXPECT_EQ(exported.features.find("e_log_negative") != std::string::npos, kind == ScalingKind::log_zscore);
    }
}

TEST(Solr, AFieldWithoutAValueIsTheMeanOfTraining) {
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::log_zscore}) {
    test::ExportCase one(kind, {"x", "y"});
    one.model.data.input.missing = Missing::mean;
    one.model.data.input.means = {{"x", -2.5}, {"y", 0}};
    const SolrReader solr(to_solr(one.model));
    EXPECT_EQ(solr.score({{"y", 1.0F}}), solr.score({{"x", -2.5F}, {"y", 1.0F}}));
    EXPECT_NE(solr.score({{"y", 1.0F}}), solr.score({{"x", 0.0F}, {"y", 1.0F}}));
  }
}

TEST(Solr, ARangeThatFloat32CannotTellIsAMeanAndADeviation) {
  test::ExportCase one(ScalingKind::minmax, {"x"});
  one.model.scaling.shift = {16777216};
  one.model.scaling.factor = {1 / 0.75};
  const Exported exported = to_solr(one.model);
  EXPECT_EQ(exported.files[0].bytes.find("MinMax"), std::string::npos);
  EXPECT_NE(exported.files[0].bytes.find("\"std\": \"0.75\""), std::string::npos);
}

TEST(Solr, RefusesWhatItCannotSay) {
  Model model = test::ExportCase(ScalingKind::log_zscore, {"x"}).model;
  const auto refusal = [&](const char* name) {
    return test::message_of([&] { to_solr(model, {.names = {{"x", name}}}); }, ErrorCode::unsupported);
  };
  EXPECT_NE(refusal("a${b}").find("parameter of the request"), std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("a\xff").find("UTF-8"), std::string::npos);
  model.weights = {1e300};
  EXPECT_NE(refusal("x").find("beyond the numbers"), std::string::npos);
}

TEST(Solr, AModelWithoutWeightsHasAFeature) {
  Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  model.weights = {0};
  const SolrReader solr(to_solr(model));
  EXPECT_EQ(solr.model().at("features").size(), 1u);
  EXPECT_EQ(solr.score({{"x", 5.0F}}), 0);
}

TEST(Solr, OddNamesAndNumbersAreReadOrRefused) {
  const auto read = [](const Exported& exported, const test::ExportRow& row) {
    return SolrReader(exported).score(row);
  };
  EXPECT_GT(
      test::expect_read_or_refused("solr", {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore}, read),
      300u);
}

}  // namespace
}  // namespace dorm
