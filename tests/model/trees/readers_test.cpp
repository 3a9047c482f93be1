// SPDX-License-Identifier: Apache-2.0
// One small tree as every library writes it, by hand: x0 <= 0.5 goes to the leaf 1; else x1 <= 2 goes to 3, more to 5.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/model.h"
#include "support/message_of.h"

namespace dorm {
namespace {

const std::string kLightgbm =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\nobjective=lambdarank\n"
    "feature_names=Column_0 Column_1\nfeature_infos=[0:1] [0:9]\ntree_sizes=1\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=1 1\nthreshold=0.5 2\ndecision_type=0 0\n"
    "left_child=-1 -2\nright_child=1 -3\nleaf_value=1 3 5\nleaf_weight=1 1 1\nleaf_count=4 3 3\ninternal_value=0 0\n"
    "internal_weight=1 1\ninternal_count=10 6\nis_linear=0\nshrinkage=1\n\n\nend of trees\n";
const std::string kDump =
    R"({"name":"tree","version":"v4","num_class":1,"num_tree_per_iteration":1,"feature_names":["a","b"],"tree_info":[
    {"tree_structure":{"split_feature":0,"threshold":0.5,"decision_type":"<=","default_left":false,"missing_type":"None",
    "internal_count":10,"left_child":{"leaf_value":1,"leaf_count":4},"right_child":{"split_feature":1,"threshold":2,
    "decision_type":"<=","default_left":false,"missing_type":"None","internal_count":6,
    "left_child":{"leaf_value":3,"leaf_count":3},"right_child":{"leaf_value":5,"leaf_count":3}}}}]})";

/// Its splits are x < threshold: 0.5 and 2 are on the right.
std::string xgboost(const std::string& booster = "gbtree", const std::string& num_class = "0") {
  const std::string model =
      R"({"model":{"trees":[{"left_children":[1,-1,3,-1,-1],"right_children":[2,-1,4,-1,-1],"split_indices":[0,0,1,0,0],
      "split_conditions":[0.5,1,2,3,5],"default_left":[1,0,0,0,0],"sum_hessian":[10,4,6,3,3],"split_type":[0,0,0,0,0],
      "tree_param":{"size_leaf_vector":"1"}}]},"name":"gbtree"})";
  const std::string inner = booster == "dart"     ? R"({"gbtree":)" + model + R"(,"name":"dart","weight_drop":[0.5]})"
                            : booster == "gbtree" ? model
                                                  : R"({"name":")" + booster + R"("})";
  return R"({"learner":{"attributes":{},"feature_names":[],"gradient_booster":)" + inner +
         R"(,"learner_model_param":{"base_score":"[5E-1]","num_class":")" + num_class +
         R"(","num_feature":"2","num_target":"1"},"objective":{"name":"rank:ndcg"}},"version":[3,0,0]})";
}

const std::string kCatboost =
    R"({"features_info":{"float_features":[{"feature_index":0,"flat_feature_index":0,"feature_id":"",
    "nan_value_treatment":"AsFalse"},{"feature_index":1,"flat_feature_index":1,"feature_id":"","nan_value_treatment":
    "AsTrue"}]},"oblivious_trees":[{"leaf_values":[1,3,1,5],"leaf_weights":[2,3,2,3],"splits":[
    {"border":0.5,"float_feature_index":0,"split_type":"FloatFeature"},{"border":2,"float_feature_index":1,
    "split_type":"FloatFeature"}]}],"scale_and_bias":[2,[0.25]]})";
const std::string kRanklib =
    "## LambdaMART\n## No. of trees = 1 <tree>\n\n<ensemble>\n<tree id=\"1\" weight=\"0.5\">\n<split>\n"
    "<feature> 1 </feature><threshold> 0.5 </threshold>\n<split pos=\"left\"><output> 2 </output></split>\n"
    "<split pos=\"right\"><feature>2</feature><threshold>2</threshold><split pos=\"left\"><output>6</output></split>"
    "<split pos=\"right\"><output>10</output></split></split></split>\n</tree>\n</ensemble>\n";

double score_of(const TreeEnsemble& trees, float x0, float x1) {
  const float row[] = {x0, x1};
  double sum = trees.base;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) sum += leaf_of(trees, t, row).value;
  return sum;
}

TEST(TreeReaders, LightgbmAndItsDumpAndRanklibAgreeWithTheTree) {
  for (const std::string& text : {kLightgbm, kDump, kRanklib}) {
    const TreeEnsemble trees = read_trees(text, "model");
    EXPECT_EQ(score_of(trees, 0.5f, 9), 1);
    EXPECT_EQ(score_of(trees, 0.6f, 2), 3);
    EXPECT_EQ(score_of(trees, 0.6f, 2.1f), 5);
    EXPECT_EQ(score_of(trees, NAN, 2), 1) << "NaN counts as 0";
  }
  EXPECT_TRUE(read_trees(kLightgbm, "model").by_number);
  EXPECT_EQ(read_trees(kDump, "model").features, (std::vector<std::string>{"a", "b"}));
}

TEST(TreeReaders, XgboostComparesStrictlyAndAddsTheBaseScoreAndDropsByWeight) {
  const TreeEnsemble trees = read_trees(xgboost(), "model");
  EXPECT_EQ(score_of(trees, 0.49f, 9), 1.5);
  EXPECT_EQ(score_of(trees, 0.5f, 1), 3.5);
  EXPECT_EQ(score_of(trees, 0.5f, 2), 5.5);
  EXPECT_EQ(score_of(trees, NAN, 2), 1.5) << "the default direction of the root is left";
  EXPECT_EQ(score_of(trees, 0.5f, NAN), 5.5) << "that of the other split is right";
  EXPECT_EQ(score_of(read_trees(xgboost("dart"), "model"), 0.5f, 2), 3.0);
}

TEST(TreeReaders, CatboostScalesAndShiftsAndPutsMissingValuesAtTheEnds) {
  const TreeEnsemble trees = read_trees(kCatboost, "model");
  EXPECT_EQ(score_of(trees, 0.5f, 2), 2 * 1 + 0.25);
  EXPECT_EQ(score_of(trees, 0.6f, 2), 2 * 3 + 0.25);
  EXPECT_EQ(score_of(trees, 0.6f, 2.1f), 2 * 5 + 0.25);
  EXPECT_EQ(score_of(trees, NAN, NAN), 2 * 1 + 0.25);
  EXPECT_EQ(score_of(trees, 0.6f, NAN), 2 * 5 + 0.25);
}

TEST(TreeReaders, WhatIsNoRankerByTreesIsRefusedByName) {
  const auto unsupported = [](const std::string& text) {
    return test::message_of([&] { read_trees(text, "m"); }, ErrorCode::unsupported);
  };
  const auto refused = [&](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return unsupported(text);
  };
  EXPECT_NE(refused(kLightgbm, "num_class=1", "num_class=3").find("several classes"), std::string::npos);
  EXPECT_NE(refused(kLightgbm, "is_linear=0", "is_linear=1").find("linear_tree"), std::string::npos);
  EXPECT_NE(refused(kCatboost, "\"FloatFeature\"", "\"OnlineCtr\"").find("OnlineCtr"), std::string::npos);
  EXPECT_NE(refused(kCatboost, "[1,3,1,5]", "[1,3,1,5,1,3,1,5]").find("8 leaf values"), std::string::npos);
  EXPECT_NE(unsupported(xgboost("gbtree", "3")).find("several classes"), std::string::npos);
  EXPECT_NE(unsupported(xgboost("gblinear")).find("gblinear has no trees"), std::string::npos);
}

TEST(TreeReaders, DamageIsOneErrorThatSaysWhere) {
  const auto damaged = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return test::message_of([&] { read_trees(text, "m"); }, ErrorCode::bad_input);
  };
  EXPECT_NE(damaged(kLightgbm, "left_child=-1 -2", "left_child=0 -2").find("child of two nodes"), std::string::npos);
  EXPECT_NE(damaged(kLightgbm, "threshold=0.5 2", "threshold=0.5").find("m:17: "), std::string::npos);
  EXPECT_NE(damaged(kLightgbm, "end of trees", "").find("the file ends within the trees"), std::string::npos);
  EXPECT_NE(damaged(kLightgbm, "split_feature=0 1", "split_feature=0 7").find("feature 7 of 2"), std::string::npos);
  EXPECT_NE(damaged(kRanklib, "</tree>", "").find("expected"), std::string::npos);
  EXPECT_NE(damaged(xgboost(), "[1,-1,3,-1,-1]", "[1,-1,0,-1,-1]").find("child of two nodes"), std::string::npos);
  std::string nested = R"({"name":"tree","num_tree_per_iteration":1,"tree_info":)";
  nested.append(5000, '[');
  EXPECT_NE(test::message_of([&] { read_trees(nested, "m"); }).find("nested deeper"), std::string::npos);
}

TEST(TreeReaders, AModelOfTreesIsTheSameAfterSaveAndLoad) {
  const Model model = model_from_json(kLightgbm, "m");
  EXPECT_EQ(model.kind(), Model::Kind::trees);
  const std::string written = to_json(model);
  EXPECT_EQ(to_json(model_from_json(written, "again")), written);
}

}  // namespace
}  // namespace dorm
