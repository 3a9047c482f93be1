// SPDX-License-Identifier: Apache-2.0
// Rank profiles of Vespa: the lines of a profile are read as its schema has them, the expression by a
// reader of our own.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "export_case.h"
#include "expression_reader.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Exported to_vespa(const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target("vespa"), options);
}

/// The expression of the function; every other line is as it should be.
std::string profile_expression(const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const std::string before = "    function " + name + "_score() { expression: ";
  EXPECT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "rank-profile " + name + " {");
  EXPECT_TRUE(lines[1].starts_with(before) && lines[1].ends_with(" }")) << lines[1];
  EXPECT_EQ(lines[2], "    second-phase {");
  EXPECT_EQ(lines[3], "        rerank-count: 100");
  EXPECT_EQ(lines[4], "        expression: " + name + "_score");
  EXPECT_EQ(lines[5], "    }");
  EXPECT_EQ(lines[6], "}");
  return lines[1].substr(before.size(), lines[1].size() - before.size() - 2);
}

TEST(Vespa, ScoresAsTheModelDoes) {
  const ExportOptions options{.name = "shop",
                              .names = {{"7", "fieldMatch(title).completeness"}, {"x y", "firstPhase"}}};
  for (const ScalingKind kind : test::kServableKinds) {
    const test::ExportCase one(kind, {"bm25(title)", "constant", "unused", "popularity", "7", "x y"});
    const Exported exported = to_vespa(one.model, options);
    const std::string expression = profile_expression(exported.files[0].bytes, "shop");
    const std::map<std::string, std::string> feature_of{{"bm25(title)", "bm25(title)"},
                                                        {"attribute(constant)", "constant"},
                                                        {"attribute(popularity)", "popularity"},
                                                        {"fieldMatch(title).completeness", "7"},
                                                        {"firstPhase", "x y"}};
    one.expect_served(
        exported,
        [&](const test::ExportRow& row) {
          return test::ExpressionReader::value(expression,
                                               [&](const std::string& name) { return row.at(feature_of.at(name)); });
        },
        test::kDoubleUnit);
  }
}

TEST(Vespa, AnAttributeWithoutAValueIsWhatStoodForItInTraining) {
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::log_zscore})
    for (const double mean : {0.0, -3.5}) {
      test::ExportCase one(kind, {"x", "y"});
      one.model.data.input.missing = Missing::mean;
      one.model.data.input.means = {{"x", mean}, {"y", 0}};
      const std::string expression = profile_expression(to_vespa(one.model).files[0].bytes, "dorm");
      const auto score_of = [&](double x) {
        return test::ExpressionReader::value(expression,
                                             [&](const std::string& name) { return name == "attribute(x)" ? x : 1.0; });
      };
      EXPECT_NEAR(score_of(std::numeric_limits<double>::quiet_NaN()), score_of(mean),
                  1e-14 * std::fabs(score_of(mean)));
      EXPECT_NE(score_of(mean), score_of(mean + 1));
    }
}

TEST(Vespa, AnExpressionOfTheMapStandsInBrackets) {
  const Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  const auto expression = [&](const std::string& name) {
    return profile_expression(to_vespa(model, {.names = {{"x", name}}}).files[0].bytes, "dorm");
  };
  EXPECT_TRUE(expression("a + b").ends_with("* (a + b)"));
  EXPECT_TRUE(expression("foo(\"a ) b\")").ends_with("* foo(\"a ) b\")"));
  for (const char* name :
       {"a) * (b", "a(", "a]", "(a", "bm25(title) }", "a # b", "a\nb", "a\"", "a'", "", "  ", "é", "(a]"})
    EXPECT_NE(test::message_of([&] { expression(name); }, ErrorCode::unsupported).find("ranking expression"),
              std::string::npos)
        << name;
}

TEST(Vespa, RefusesNamesThatAreNoFeatures) {
  for (const char* name : {"-7", "x y", "bm25(title", "a.b", "ü"})
    EXPECT_NE(
        test::message_of([&] { to_vespa(test::ExportCase(ScalingKind::none, {name}).model); }, ErrorCode::unsupported)
            .find("neither an attribute nor a rank feature"),
        std::string::npos)
        << name;
  const Model model = test::ExportCase(ScalingKind::none, {"x", "y"}).model;
  EXPECT_NE(test::message_of(
                [&] {
                  to_vespa(model, {.names = {{"y", "attribute(x)"}}});
                },
                ErrorCode::unsupported)
                .find("another feature already"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { to_vespa(model, {.name = "my model"}); }, ErrorCode::unsupported).find("my model"),
            std::string::npos);
}

TEST(Vespa, OddNamesAndNumbersAreReadOrRefused) {
  const auto read = [](const Exported& exported, const test::ExportRow& row) {
    return test::ExpressionReader::value(profile_expression(exported.files[0].bytes, "dorm"),
                                         [&](const std::string& name) {
                                           const bool attribute = name.starts_with("attribute(") && !row.contains(name);
                                           return row.at(attribute ? name.substr(10, name.size() - 11) : name);
                                         });
  };
  EXPECT_GT(
      test::expect_read_or_refused("vespa", {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore}, read),
      30u);
}

}  // namespace
}  // namespace dorm
