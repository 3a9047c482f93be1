// SPDX-License-Identifier: Apache-2.0
// Folders that hold the model itself. MLflow and Hugging Face load them in tests/integrations.
#include <gtest/gtest.h>

#include "dorm/export.h"
#include "model/export/formats.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Model folder_model(ScalingKind kind, const Dataset& data) {
  Model model;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(static_cast<double>(j) - 1.5);
  }
  model.scaling = fit_scaling(kind, data);
  model.measure = "ndcg@10";
  model.convention = "standard";
  return model;
}

bool holds(const Exported& exported, std::size_t file, std::string_view text) {
  return exported.files.at(file).bytes.find(text) != std::string::npos;
}

TEST(ExportedFolders, HoldTheModelItself) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 5, .seed = 3});
  for (const ExportTarget& target : export_targets()) {
    if (!target.folder) continue;
    for (const CatalogEntry& scaling : scaling_catalog()) {
      if (scaling.name == "auto") continue;
      const Model model = folder_model(parse_scaling(scaling.name), data);
      const Exported exported = export_model(model, target);
      EXPECT_EQ(exported.files[0].path, "model.json");
      EXPECT_EQ(exported.files[0].bytes, to_json(model));
      EXPECT_EQ(served_scores(exported.served, model, data), score(model, data)) << target.entry.name;
    }
    const Model model = folder_model(ScalingKind::none, data);
    const auto refusal = [&](const ExportOptions& options) {
      return test::message_of([&] { export_model(model, target, options); }, ErrorCode::unsupported);
    };
    EXPECT_NE(refusal({.names = {{"1", "bm25"}}}).find("expected no map of names"), std::string::npos);
    EXPECT_NE(refusal({.names = {}, .non_negative = true}).find("negative"), std::string::npos);
  }
}

TEST(ExportedFolders, MlflowIsToldOfColumnsInAscii) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  const ExportTarget& mlflow = find_export_target("mlflow");
  Model model = folder_model(ScalingKind::none, data);
  model.features = {"yes", "\xf0\x9f\x98\x80 \"x\"", "a\nb"};
  const Exported exported = export_model(model, mlflow);
  EXPECT_EQ(exported.files[1].path, "MLmodel");
  EXPECT_TRUE(holds(exported, 1, R"(\"name\":\"yes\",\"required\":true)"));
  EXPECT_TRUE(holds(exported, 1, R"(\"name\":\"\\ud83d\\ude00 \\\"x\\\"\")"));
  EXPECT_TRUE(holds(exported, 1, R"(\"name\":\"a\\nb\")"));
  EXPECT_TRUE(holds(exported, 1, R"(\"name\":\"qid\",\"required\":false)"));
  EXPECT_TRUE(exported.notes.empty());
  const Exported lists = export_model(folder_model(ScalingKind::query_minmax, data), mlflow);
  EXPECT_TRUE(holds(lists, 1, R"(\"name\":\"qid\",\"required\":true)"));
  EXPECT_EQ(lists.notes.size(), 1u);
  model.features[1] = "qid";
  EXPECT_NE(test::message_of([&] { export_model(model, mlflow); }, ErrorCode::unsupported).find("holds the queries"),
            std::string::npos);
}

TEST(ExportedFolders, ModelCardsHaveAFigureWhereThereIsOne) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  Model model = folder_model(ScalingKind::zscore, data);
  model.features[2] = "a|b `c`\n<d>";
  const ExportTarget& gpu = find_export_target("modelcard");
  const Exported plain = export_model(model, gpu);
  EXPECT_EQ(plain.files[1].path, "README.md");
  EXPECT_TRUE(plain.files[1].bytes.starts_with("---\nlibrary_name: dorm\n"));
  EXPECT_FALSE(holds(plain, 1, "model-index"));
  EXPECT_TRUE(holds(plain, 1, R"(| a\|b \`c\` \<d\> | +0.5 |)"));
  model.data.statistics = {{0, -1, 2}, {1, 1, 8}, {0.5, 0, 4}};
  EXPECT_TRUE(holds(export_model(model, gpu), 1, R"(| a\|b \`c\` \<d\> | +0.5 | 2 | 4 | 8 |)"));
  model.validation = 0.625;
  model.folds = 3;
  const Exported judged = export_model(model, gpu, {.name = "shop", .names = {}});
  EXPECT_TRUE(holds(judged, 1, "- name: \"shop\"\n"));
  EXPECT_TRUE(holds(judged, 1, "value: 0.625\n"));
  EXPECT_TRUE(holds(judged, 1, "0.6250 on 3 folds"));
}

TEST(ExportedFolders, TextInYaml) {
  EXPECT_EQ(yaml_text("yes"), R"("yes")");
  EXPECT_EQ(yaml_text("a\"b\\c\n\t\x7f"), R"("a\"b\\c\x0a\x09\x7f")");
  EXPECT_EQ(yaml_text("\xc2\x85\xe2\x80\xa8\xef\xbb\xbf"), R"("\x85\u2028\ufeff")");
  EXPECT_EQ(yaml_text("\xc3\xbc\xf0\x9f\x98\x80"), "\"\xc3\xbc\xf0\x9f\x98\x80\"");
}

}  // namespace
}  // namespace dorm
