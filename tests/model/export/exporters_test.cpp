// SPDX-License-Identifier: Apache-2.0
// Exported models, read back as the other tool would: their scores are those of the model.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "dorm/export.h"
#include "export_case.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Model linear_model(ScalingKind kind, const Dataset& data) {
  Model model;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(static_cast<double>(j) - 1.5);
  }
  model.weights[1] = 0;
  model.scaling = fit_scaling(kind, data);
  model.measure = "ndcg@10";
  return model;
}

std::string exported(const Model& model, std::string_view target) {
  return export_model(model, find_export_target(target)).files[0].bytes;
}

// The eleventh line holds b, the twelfth alpha and the one support vector.
struct SvmLight {
  double b = 0;
  std::map<std::size_t, double> weights;

  explicit SvmLight(const std::string& text) {
    std::istringstream in(text);
    std::string line, word;
    for (int i = 0; i < 11; ++i) std::getline(in, line);
    b = std::stod(line);
    std::getline(in, line);
    std::istringstream words(line);
    double alpha = 0;
    words >> alpha;
    while (words >> word && word != "#") weights[std::stoul(word)] = alpha * std::stod(word.substr(word.find(':') + 1));
  }
};

TEST(Exporters, SvmlightScoresAsTheModelDoes) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 5, .seed = 3});
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax}) {
    const Model model = linear_model(kind, data);
    const std::vector<double> scores = score(model, data);
    const SvmLight read(exported(model, "svmlight"));
    EXPECT_FALSE(read.weights.contains(2)) << "a weight of 0 is left out";
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      for (std::size_t i = 0; i < data.query(q).size(); ++i) {
        double sum = -read.b;
        for (const auto& [feature, weight] : read.weights)
          sum += weight * static_cast<double>(data.query(q).rows.at(i, feature - 1));
        EXPECT_NEAR(sum, scores[data.first_document(q) + i], 1e-5) << name_of(kind);
      }
  }
}

TEST(Exporters, RefuseWhatAFormatCannotSay) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  const auto refusal = [](const Model& model) {
    return test::message_of([&] { exported(model, "svmlight"); }, ErrorCode::unsupported);
  };
  EXPECT_NE(refusal(linear_model(ScalingKind::log_zscore, data)).find("logarithms"), std::string::npos);
  EXPECT_NE(refusal(linear_model(ScalingKind::query_minmax, data)).find("other documents"), std::string::npos);
  Model named = linear_model(ScalingKind::none, data);
  named.features[0] = "BM25";
  EXPECT_NE(refusal(named).find("BM25"), std::string::npos);
  Model kernel = linear_model(ScalingKind::none, data);
  kernel.kernel.emplace();
  EXPECT_NE(refusal(kernel).find("kernel"), std::string::npos);
  EXPECT_THROW(find_export_target("onyx"), Error);
}

TEST(Exporters, WhatIsWrittenIsToldInNumbers) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 5, .seed = 3});
  for (const ScalingKind kind :
       {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax, ScalingKind::log_zscore}) {
    const Model model = linear_model(kind, data);
    const Exported sql = export_model(model, find_export_target("sql"));
    const std::vector<double> scores = score(model, data);
    const ServedDifference same =
        served_difference(data, scores, served_scores(sql.served, model, data), sql.served.pruned, 10);
    EXPECT_LT(same.largest, 1e-5) << name_of(kind);
    EXPECT_EQ(same.queries, 2u);
    EXPECT_EQ(same.changed_queries, 0u);
    std::vector<double> other = scores;
    other[data.first_document(1)] += 100;
    const ServedDifference changed = served_difference(data, scores, other, 0, 10);
    EXPECT_NEAR(changed.largest, 100, 1e-9);
    EXPECT_EQ(changed.document, data.first_document(1));
    EXPECT_EQ(changed.changed_queries,
              top_ranking(std::span(scores).subspan(data.first_document(1)))[0] == 0 ? 0u : 1u);
  }
}

TEST(Exporters, ScoresAreKeptFromBeingNegativeWhereThatIsKnown) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  test::ExportCase one(ScalingKind::zscore, names);
  const auto refusal = [](const Model& model, std::string_view target) {
    return test::message_of([&] { export_model(model, find_export_target(target), {.non_negative = true}); },
                            ErrorCode::unsupported);
  };
  EXPECT_NE(refusal(one.model, "sql").find("does not know the range"), std::string::npos);
  one.learn_ranges();
  EXPECT_NE(refusal(one.model, "ranklib").find("no constant"), std::string::npos);
  Model model = one.model;
  model.scaling = fit_scaling(ScalingKind::query_minmax, one.data);
  for (const ExportTarget& target : export_targets()) {
    if (target.serving.lists && !target.folder) {
      EXPECT_NE(refusal(model, target.entry.name).find("in all queries"), std::string::npos);
    }
    if (target.folder || !target.serving.linear || target.entry.name == "ranklib") continue;
    ExportOptions options{.non_negative = true};
    if (target.entry.name == "svmlight") options.names = {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}};
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      test::ExportCase other(ScalingKind::minmax, names, seed);
      other.learn_ranges();
      const Exported exported = export_model(other.model, target, options);
      for (const double found : served_scores(exported.served, other.model, other.data))
        EXPECT_GE(found, 0) << target.entry.name;
    }
  }
}

TEST(Exporters, NamesOfTheTargetAreThoseOfTheMap) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  const Model model = linear_model(ScalingKind::none, data);
  const ExportTarget& sql = find_export_target("sql");
  EXPECT_NE(export_model(model, sql, {.names = {{"1", "a \"b\""}}}).files[0].bytes.find(R"("a ""b""")"),
            std::string::npos);
  EXPECT_NE(test::message_of(
                [&] {
                  export_model(model, sql, {.names = {{"9", "x"}}});
                },
                ErrorCode::bad_input)
                .find("which the model does not have"),
            std::string::npos);
  EXPECT_NE(test::message_of(
                [&] {
                  export_model(model, sql, {.names = {{"1", "3"}}});
                },
                ErrorCode::bad_input)
                .find("distinct names"),
            std::string::npos);
}

TEST(Exporters, NumberedFeaturesGetNamesWhereNamesCannotBeNumbers) {
  const Model model = test::ExportCase(ScalingKind::log_zscore, {"1", "2", "x"}).model;
  const std::vector<std::pair<std::string, std::string>> expected{
      {"lucene", "f1"}, {"vespa", "attribute(f1)"}, {"elasticsearch", "f1"}, {"opensearch", "f1"}};
  for (const auto& [target, name] : expected) {
    const Exported exported = export_model(model, find_export_target(target));
    EXPECT_NE((exported.files[0].bytes + exported.features).find(name), std::string::npos) << target;
    ASSERT_EQ(exported.notes.size(), 1u) << target;
    EXPECT_NE(exported.notes[0].find("cannot be numbers: feature 1 is"), std::string::npos);
    const Exported mapped = export_model(model, find_export_target(target), {.names = {{"1", "a"}, {"2", "b"}}});
    EXPECT_TRUE(mapped.notes.empty()) << target;
  }
  EXPECT_TRUE(export_model(model, find_export_target("solr")).notes.empty());
  const Model twice = test::ExportCase(ScalingKind::none, {"1", "f1"}).model;
  EXPECT_NE(test::message_of([&] { export_model(twice, find_export_target("lucene")); }, ErrorCode::unsupported)
                .find("f1 is another feature already"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
