// SPDX-License-Identifier: Apache-2.0
// Sums of rankers as targets add them up. In the engines themselves: tests/engines/test_engine_parts.py.
#include <gtest/gtest.h>

#include "dorm/export.h"
#include "export_case.h"
#include "support/message_of.h"

namespace dorm {
namespace {

const std::vector<std::string> kNames = {"a", "b", "c", "d"};

/// One split: x <= threshold, on the left `left`, on the right `right`.
Model stump(std::string feature, double threshold, double left, double right) {
  const std::string other = feature == "a" ? "b" : "a";
  TreeEnsemble trees;
  trees.features = {other, std::move(feature)};
  trees.base = 0.5;
  trees.roots = {0};
  trees.nodes = {{.left = 1, .right = 2, .feature = 1, .value = threshold}, {}, {}};
  trees.nodes[1].value = left;
  trees.nodes[2].value = right;
  return model_of(std::move(trees));
}

Model lines_of(const test::ExportCase& one) {
  Model model = one.model;
  model.curves = Curves{CurveShape::lines, std::vector<Curve>(kNames.size())};
  model.curves->features[3] = {{-0.5, 0.25, 1}, {2, -1}, 0.25};
  return model;
}

std::string said_of(const Model& model, std::string_view target, const ExportOptions& options = {}) {
  return test::message_of([&] { export_model(model, find_export_target(target), options); }, ErrorCode::unsupported);
}

TEST(ExportedSums, ScoreAsTheSum) {
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore}) {
    const test::ExportCase one(kind, kNames), other(ScalingKind::minmax, kNames, 2);
    const std::vector<double> weights = {0.5, -2, 1.5, 1};
    const Model sum =
        weighted_sum({one.model, stump("d", 0.1, 1, -1), lines_of(other), stump("a", 2, 3, 0.25)}, weights);
    const std::vector<double> scores = score(sum, one.data);
    for (const std::string_view target : {"sql", "c", "python", "onnx", "pmml", "mlflow"}) {
      const Exported exported = export_model(sum, find_export_target(target));
      const std::vector<double> served = served_scores(exported.served, sum, one.data);
      for (std::size_t d = 0; d < scores.size(); ++d)
        EXPECT_NEAR(served[d] + exported.served.pruned, scores[d], 1e-6 * (1 + std::fabs(scores[d]))) << target;
    }
  }
}

TEST(ExportedSums, OfTreesAreTrees) {
  const test::ExportCase one(ScalingKind::none, kNames);
  const std::vector<double> weights = {2, -0.5};
  const Model sum = weighted_sum({stump("d", 0.1, 1, -1), stump("a", 2, 3, 0.25)}, weights);
  const std::vector<double> scores = score(sum, one.data);
  for (const std::string_view target : {"solr", "elasticsearch", "ranklib", "lightgbm", "sql", "onnx"}) {
    ExportOptions options;
    if (target == "ranklib") options.names = {{"a", "1"}, {"b", "2"}, {"d", "4"}};
    const Exported exported = export_model(sum, find_export_target(target), options);
    const std::vector<double> served = served_scores(exported.served, sum, one.data);
    for (std::size_t d = 0; d < scores.size(); ++d)
      EXPECT_NEAR(served[d] + exported.served.pruned, scores[d], 1e-6) << target;
  }
}

TEST(ExportedSums, AreRefusedByNameWhereTheyCannotBeAddedUp) {
  const test::ExportCase one(ScalingKind::zscore, kNames);
  const std::vector<double> weights = {1, 1};
  const Model sum = weighted_sum({one.model, stump("d", 0.1, 1, -1)}, weights);
  const std::string said = said_of(sum, "solr");
  EXPECT_NE(said.find("a sum of linear and trees, which solr cannot evaluate"), std::string::npos) << said;
  EXPECT_NE(said.find("sql, onnx, pmml, c, python"), std::string::npos) << said;
  EXPECT_NE(said_of(sum, "sql", {.non_negative = true}).find("negative"), std::string::npos);
  Model within = one.model;
  within.scaling = fit_scaling(ScalingKind::query_minmax, one.data);
  EXPECT_NE(said_of(weighted_sum({within, stump("d", 0.1, 1, -1)}, weights), "sql").find("depends on the other"),
            std::string::npos);
  Model all = weighted_sum({within, stump("d", 0.1, 1, -1)}, weights);
  EXPECT_NE(export_model(all, find_export_target("c")).files[0].bytes.find("dorm_part1_score_list(x, documents"),
            std::string::npos);
  const std::vector<double> three = {1, 1, 1};
  all = weighted_sum({within, stump("d", 0.1, 1, -1), within}, three);
  EXPECT_NE(said_of(all, "c").find("several parts"), std::string::npos);
  EXPECT_NO_THROW(export_model(all, find_export_target("python")));
}

}  // namespace
}  // namespace dorm
