// SPDX-License-Identifier: Apache-2.0
// Targets that are code or model formats: what they say in numbers, and how they spell names and numbers. The files run
// in tests/python and tests/engines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "dorm/export.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Model portable_model(ScalingKind kind, const Dataset& data) {
  Model model;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(0.37 * static_cast<double>(j) - 1.5);
  }
  model.weights[1] = 0;
  model.scaling = fit_scaling(kind, data);
  model.measure = "ndcg@10";
  return model;
}

std::string text_for(std::string_view target, const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target(target), options).files[0].bytes;
}

std::string refused_by(std::string_view target, const Model& model, const ExportOptions& options = {}) {
  return test::message_of([&] { text_for(target, model, options); }, ErrorCode::unsupported);
}

TEST(PortableTargets, ServeEveryScalingThatTheyTake) {
  const Dataset data = test::random_data({.lengths = {7, 5, 1}, .features = 5, .seed = 3, .factor = 30});
  for (const std::string_view name : {"onnx", "pmml", "c", "python", "sql", "svmlight"}) {
    const ExportTarget& target = find_export_target(name);
    for (const CatalogEntry& entry : scaling_catalog()) {
      if (entry.name == "auto" || !can_serve(target.serving, parse_scaling(entry.name))) continue;
      const Model model = portable_model(parse_scaling(entry.name), data);
      for (const bool fold : {false, true}) {
        ExportOptions options;
        options.fold = fold;
        const ServedModel served = export_model(model, target, options).served;
        const ServedDifference off =
            served_difference(data, score(model, data), served_scores(served, model, data), served.pruned, 10);
        const double rounding = name == "svmlight" ? 1e-7 : 1e-14;  // its weights are float32
        EXPECT_LT(off.largest, rounding * (1 + off.scale)) << name << " " << entry.name;
        EXPECT_EQ(off.changed_queries, 0u);
      }
    }
  }
}

TEST(PortableTargets, KeepDigitsWhereAFeatureIsFarFrom0) {
  DatasetBuilder builder;
  for (int i = 0; i < 8; ++i) builder.add({0.0f, "q"}, std::vector<float>{16777208.0f + static_cast<float>(i), 1.0f});
  const Dataset data = builder.finish();
  const Model model = portable_model(ScalingKind::zscore, data);
  for (const std::string_view name : {"onnx", "pmml", "c", "python", "sql"}) {
    const ServedModel served = export_model(model, find_export_target(name)).served;
    const std::vector<double> scores = served_scores(served, model, data);
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(scores[i], -1.5 * (static_cast<double>(i) - 3.5) / std::sqrt(5.25), 1e-14) << name;
  }
}

TEST(PortableTargets, NamesAreSpelledOrRefused) {
  const Dataset data = test::random_data({.lengths = {4}, .features = 3, .seed = 3});
  Model model = portable_model(ScalingKind::none, data);
  model.features[0] = "a\"\\?\n\xC3\xA9\xF0\x9F\x99\x82";
  EXPECT_NE(text_for("c", model).find(R"("a\042\134\077\012\303\251\360\237\231\202",)"), std::string::npos);
  EXPECT_NE(text_for("python", model).find(R"("a\x22\x5c?\x0a\xe9\U0001f642",)"), std::string::npos);
  EXPECT_NE(text_for("pmml", model).find(R"("a&#x22;\?&#xA;&#xE9;&#x1F642;")"), std::string::npos);
  EXPECT_NE(text_for("sql", model).find("\"a\"\"\\?\n\xC3\xA9\xF0\x9F\x99\x82\""), std::string::npos);
  for (const char* const bad :
       {"\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xFF"}) {
    model.features[0] = bad;
    for (const std::string_view name : {"onnx", "pmml", "python", "sql"})
      EXPECT_NE(refused_by(name, model).find("it is not UTF-8"), std::string::npos) << name;
  }
}

TEST(PortableTargets, NothingOfTheModelEndsAComment) {
  const Dataset data = test::random_data({.lengths = {4}, .features = 3, .seed = 3});
  Model model = portable_model(ScalingKind::none, data);
  model.measure = "x */ \n\"\"\" --> &";
  const std::string header = text_for("c", model);
  EXPECT_EQ(header.substr(0, header.find('\n')).find("*/"), std::string::npos);
  EXPECT_EQ(header.find(" * The score"), header.find('\n') + 1);
  EXPECT_EQ(text_for("python", model).find("\n\"\"\"The score"), text_for("python", model).find('\n'));
  EXPECT_EQ(text_for("pmml", model).find("-->"), std::string::npos);
}

TEST(PortableTargets, NumbersOfCReadBackTheSame) {
  const Dataset data = test::random_data({.lengths = {4}, .features = 3, .seed = 3});
  Model model = portable_model(ScalingKind::none, data);
  model.weights = {0.1, -1e-310, 1.7976931348623157e308};
  const std::string header = text_for("c", model);
  std::size_t place = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const std::string begin = "      {" + std::to_string(j) + ", ";
    place = header.find(begin, place);
    ASSERT_NE(place, std::string::npos);
    EXPECT_EQ(std::strtod(header.c_str() + place + begin.size(), nullptr), model.weights[j]);
  }
}

TEST(PortableTargets, SumsOfSqlAreInGroups) {
  const Dataset data = test::random_data({.lengths = {6}, .features = 70, .seed = 3});
  const Model model = portable_model(ScalingKind::zscore, data);
  const Exported sql = export_model(model, find_export_target("sql"));
  EXPECT_EQ(sql.served.group, 32u);
  std::size_t groups = 0, depth = 0, deepest = 0;
  for (std::size_t i = 0; i < sql.files[0].bytes.size(); ++i) {
    const char c = sql.files[0].bytes[i];
    groups += sql.files[0].bytes.compare(i, 5, "\n + (") == 0;
    depth += c == '(';
    deepest = std::max(deepest, depth);
    depth -= c == ')';
  }
  EXPECT_EQ(groups, 3u);  // of 69 terms
  EXPECT_EQ(depth, 0u);
  EXPECT_LE(deepest, 4u);
}

TEST(PortableTargets, NamesThatOneColumnWouldBeAreRefused) {
  const Dataset data = test::random_data({.lengths = {4}, .features = 3, .seed = 3});
  Model model = portable_model(ScalingKind::none, data);
  model.features = {"BM25", "unused", "bm25"};
  EXPECT_NE(refused_by("sql", model).find("without case"), std::string::npos);
  model.features = {"bm25", "\\\"; DROP TABLE t; -- "};
  EXPECT_NE(refused_by("sql", model).find("escape by a backslash"), std::string::npos);
  model.features = {"bm25", "BM25"};
  EXPECT_NE(text_for("sql", model, {.name = "dorm", .names = {{"bm25", "b"}}}).find("\"b\""), std::string::npos);
}

}  // namespace
}  // namespace dorm
