// SPDX-License-Identifier: Apache-2.0
// Models for the learning-to-rank plugin of Elasticsearch and OpenSearch, read back as the plugin does: float32, the
// order of the feature set, a feature that a document lacks is 0 and normalised as such.
#include <gtest/gtest.h>

#include "base/json.h"
#include "export_case.h"
#include "expression_reader.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Exported to_plugin(const Model& model, const ExportOptions& options = {}, std::string_view target = "elasticsearch") {
  return export_model(model, find_export_target(target), options);
}

class PluginReader {
 public:
  explicit PluginReader(const Exported& exported) : body_(parse_json(exported.files[0].bytes, "model", "JSON")) {
    EXPECT_EQ(body_.size(), 1u);
    EXPECT_EQ(body_.at("model").size(), 2u);
    const Json& model = body_.at("model").at("model");
    EXPECT_EQ(model.at("type"), "model/linear");
    for (const auto& [key, value] : model.items())
      EXPECT_TRUE(key == "type" || key == "definition" || key == "feature_normalizers") << key;
    weights_ = parse_json(model.at("definition").get<std::string>(), "definition", "JSON");
    normalisers_ = model.value("feature_normalizers", Json::object());
    if (exported.features.empty()) return;
    const Json added = parse_json(exported.features, "features", "JSON");
    EXPECT_EQ(added.size(), 1u);
    for (const Json& feature : added.at("features")) {
      EXPECT_EQ(feature.size(), 4u);
      EXPECT_EQ(feature.at("params"), Json::array());
      EXPECT_EQ(feature.at("template_language"), "derived_expression");
      EXPECT_TRUE(derived_.emplace(feature.at("name"), feature.at("template")).second);
    }
  }

  std::string name() const { return body_.at("model").at("name"); }
  const std::map<std::string, std::string>& derived() const { return derived_; }

  double score(const test::ExportRow& row) const {
    for (const auto& [name, normaliser] : normalisers_.items()) EXPECT_TRUE(weights_.contains(name)) << name;
    float sum = 0;
    for (const auto& [name, weight] : weights_.items()) {
      float x = value(name, row);
      if (normalisers_.contains(name)) x = normalised(normalisers_.at(name), x);
      sum += static_cast<float>(weight.get<double>()) * x;
    }
    return sum;
  }

 private:
  float value(const std::string& name, const test::ExportRow& row) const {
    const auto expression = derived_.find(name);
    if (expression != derived_.end()) {
      EXPECT_FALSE(row.contains(name)) << name << " is defined twice";
      return static_cast<float>(test::ExpressionReader::value(
          expression->second, [&](const std::string& variable) { return row.at(variable); }));
    }
    return row.at(name);
  }

  static float normalised(const Json& normaliser, float x) {
    EXPECT_EQ(normaliser.size(), 1u);
    const auto number = [](const Json& found) { return static_cast<float>(found.get<double>()); };
    if (normaliser.contains("standard")) {
      const Json& standard = normaliser.at("standard");
      EXPECT_GT(number(standard.at("standard_deviation")), 0);
      return (x - number(standard.at("mean"))) / number(standard.at("standard_deviation"));
    }
    const float low = number(normaliser.at("min_max").at("minimum")),
                high = number(normaliser.at("min_max").at("maximum"));
    EXPECT_LT(low, high);
    EXPECT_GE(low, 0);
    return (x - low) / (high - low);
  }

  Json body_, weights_, normalisers_;
  std::map<std::string, std::string> derived_;
};

TEST(Elasticsearch, ScoresAsTheModelDoes) {
  for (const std::string_view target : {"elasticsearch", "opensearch"})
    for (const ScalingKind kind : test::kServableKinds)
      for (const bool fold : {false, true}) {
        const bool logarithms = kind == ScalingKind::log_zscore;
        const test::ExportCase one(kind, {"title", "constant", "unused", logarithms ? "a.b" : "a \"b\" \\ c",
                                          logarithms ? "_x" : "ünï", "title_log", "title_log_"});
        const Exported exported = to_plugin(one.model, {.name = "m", .fold = fold}, target);
        const PluginReader plugin(exported);
        EXPECT_EQ(plugin.name(), "m");
        const std::string& text = exported.files[0].bytes;
        EXPECT_EQ(text.find("feature_normalizers") != std::string::npos, !fold && kind != ScalingKind::none);
        EXPECT_EQ(text.find("min_max") != std::string::npos, !fold && kind == ScalingKind::minmax);
        EXPECT_EQ(exported.features.empty(), !logarithms);
        EXPECT_EQ(plugin.derived().contains("title_log__"), logarithms);
        EXPECT_EQ(exported.served.pruned == 0, !fold || kind == ScalingKind::none);
        one.expect_served(
            exported, [&](const test::ExportRow& row) { return plugin.score(row); }, test::kSingleUnit);
      }
}

TEST(Elasticsearch, ScoresCanBeKeptFromBeingNegative) {
  for (const ScalingKind kind : test::kServableKinds)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      test::ExportCase one(kind, {"a", "b", "c", "d", "e", "f", "g"}, seed);
      one.learn_ranges();
      const Exported exported = to_plugin(one.model, {.fold = seed % 2 == 0, .non_negative = true});
      const PluginReader plugin(exported);
      one.expect_non_negative(
          exported, [&](const test::ExportRow& row) { return plugin.score(row); }, test::kSingleUnit);
    }
}

TEST(Elasticsearch, SaysThatItTakesZeroForWhatIsMissing) {
  Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  EXPECT_TRUE(to_plugin(model).notes.empty());
  model.data.input.missing = Missing::mean;
  model.data.input.means = {{"x", 3.5}};
  EXPECT_EQ(to_plugin(model).notes.size(), 1u);
}

TEST(Elasticsearch, RefusesWhatItCannotSay) {
  const auto refusal = [&](ScalingKind kind, const char* name) {
    return test::message_of(
        [&] {
          to_plugin(test::ExportCase(kind, {"x"}).model, {.names = {{"x", name}}});
        },
        ErrorCode::unsupported);
  };
  EXPECT_NE(refusal(ScalingKind::none, "").find("empty"), std::string::npos);
  EXPECT_NE(refusal(ScalingKind::none, "a\xff").find("UTF-8"), std::string::npos);
  EXPECT_NE(refusal(ScalingKind::log_zscore, "7").find("derived expression"), std::string::npos);
  EXPECT_NE(refusal(ScalingKind::log_zscore, "a b").find("derived expression"), std::string::npos);
}

TEST(Elasticsearch, AModelWithoutWeightsIsEmpty) {
  Model model = test::ExportCase(ScalingKind::zscore, {"x"}).model;
  model.weights = {0};
  EXPECT_EQ(PluginReader(to_plugin(model)).score({{"x", 5.0F}}), 0);
}

TEST(Elasticsearch, OddNamesAndNumbersAreReadOrRefused) {
  const auto read = [](const Exported& exported, const test::ExportRow& row) {
    return PluginReader(exported).score(row);
  };
  EXPECT_GT(test::expect_read_or_refused("elasticsearch",
                                         {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore}, read),
            300u);
}

}  // namespace
}  // namespace dorm
