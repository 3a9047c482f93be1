// SPDX-License-Identifier: Apache-2.0
// The fast layouts against the definition: one row in one tree at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dorm/model.h"
#include "dorm/read.h"
#include "model/tree_scores.h"
#include "model/trees/random_trees.h"
#include "model/trees/tree_scorer.h"
#include "support/message_of.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

std::vector<double> by_definition(const TreeEnsemble& trees, const std::vector<std::vector<float>>& rows) {
  std::vector<double> scores;
  for (const std::vector<float>& row : rows) {
    double& score = scores.emplace_back(trees.base);
    for (std::size_t t = 0; t < trees.num_trees(); ++t) score += leaf_of(trees, t, row).value;
  }
  return scores;
}

std::vector<double> by_scorer(const TreeEnsemble& trees, const std::vector<std::vector<float>>& rows, SimdLevel level) {
  const TreeScorer scorer(trees);
  std::vector<const float*> pointers;
  for (const std::vector<float>& row : rows) pointers.push_back(row.data());
  std::vector<std::size_t> columns(trees.features.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::vector<double> scores(rows.size());
  TreeScorer::Workspace workspace;
  scorer.scores(pointers, columns, workspace, scores.data(), level);
  return scores;
}

TEST(TreeScores, EveryLayoutAndVectorWidthGivesTheBitsOfTheDefinition) {
  const test::RandomTrees shapes[] = {{3, 1, 2}, {300, 8, 5}, {20, 32, 7}, {150, 60, 9}, {7, 500, 4}, {30, 90, 6}};
  std::uint32_t seed = 0;
  for (const test::RandomTrees& shape : shapes) {
    const TreeEnsemble trees = test::random_trees(shape, ++seed);
    ASSERT_NO_THROW(validate(trees, "random"));
    std::mt19937 engine(seed);
    std::vector<std::vector<float>> rows;
    for (int i = 0; i < 77; ++i) rows.push_back(test::tree_row(shape.features, engine));
    const std::vector<double> expected = by_definition(trees, rows);
    for (const SimdLevel level : test::simd_levels())
      EXPECT_EQ(by_scorer(trees, rows, level), expected) << "level " << static_cast<int>(level);
  }
}

TEST(TreeScores, AScaledSumScoresAsTheSumOfTheScores) {
  const TreeEnsemble first = test::random_trees({20, 31, 5}, 1), second = test::random_trees({30, 90, 5}, 2);
  TreeEnsemble sum;
  add_scaled(sum, first, 0.5);
  add_scaled(sum, second, -2);
  ASSERT_NO_THROW(validate(sum, "sum"));
  std::mt19937 engine(3);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(test::tree_row(5, engine));
  const std::vector<double> a = by_definition(first, rows), b = by_definition(second, rows);
  const std::vector<double> both = by_scorer(sum, rows, SimdLevel::portable);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(both[i], 0.5 * a[i] - 2 * b[i], 1e-9);
}

TEST(TreeScores, AThresholdThatNoFloatHasSeparatesItsNeighbours) {
  TreeEnsemble trees = test::random_trees({1, 1, 1, false}, 1);
  trees.base = 0;
  const float below = 0.1f, above = std::nextafterf(0.1f, 1.0f);
  trees.nodes = {
      {1, 2, 0, 0, (static_cast<double>(below) + static_cast<double>(above)) / 2, 2, MissingSplit::none, false},
      {TreeNode::kLeaf, TreeNode::kLeaf, 0, 0, 1, 1, MissingSplit::none, false},
      {TreeNode::kLeaf, TreeNode::kLeaf, 0, 0, 2, 1, MissingSplit::none, false}};
  EXPECT_EQ(by_scorer(trees, {{below}, {above}}, SimdLevel::portable), (std::vector<double>{1, 2}));
}

TEST(TreeScores, AreTheSameOnAnyNumberOfThreadsAndInBothFormsOfData) {
  TreeEnsemble trees = test::random_trees({40, 31, 3}, 5);
  trees.by_number = true;
  const Model model = model_of(trees);
  std::string dense = "label,qid,x0,x1,x2\n", sparse;
  std::mt19937 engine(5);
  for (int i = 0; i < 3000; ++i) {
    const int x = static_cast<int>(engine() % 3) - 1;
    dense += "0,q" + std::to_string(i / 10) + ",0,0," + std::to_string(x) + "\n";
    sparse += "0 qid:" + std::to_string(i / 10) + " 3:" + std::to_string(x) + " 5000:0\n";
  }
  const std::vector<double> one = score(model, parse_csv(dense, "data.csv"), 1);
  EXPECT_EQ(score(model, parse_csv(dense, "data.csv"), 4), one);
  const Dataset compressed = parse_letor(sparse, "data.txt");
  ASSERT_FALSE(compressed.dense());
  EXPECT_EQ(score(model, compressed, 3), one);
}

TEST(TreeScores, NumberedFeaturesNeedAsManyColumnsAsTheModelHas) {
  TreeEnsemble trees = test::random_trees({5, 8, 3}, 2);
  trees.by_number = true;
  const Model model = model_of(trees);
  const Dataset data = parse_csv("label,qid,a,b\n1,q,1,2\n0,q,3,4\n", "data.csv");
  EXPECT_NE(
      test::message_of([&] { score(model, data); }, ErrorCode::bad_input).find("the model numbers its 3 features"),
      std::string::npos);
}

TEST(TreeScores, ASumIsWhatItsPartsAreTimesTheirWeights) {
  const Dataset data = parse_csv("label,qid,x0,x1\n1,q,0.5,0.1\n0,q,-0.3,0.7\n2,q,0.9,-1\n", "data.csv");
  Model linear;
  linear.features = {"x1", "x0"};
  linear.weights = {3, -2};
  linear.measure = "ndcg@10";
  const Model trees = model_of(test::random_trees({6, 8, 2, false}, 9));
  const double weights[] = {0.25, 2};
  const Model sum = weighted_sum({linear, trees}, weights);
  const std::vector<double> first = score(linear, data), second = score(trees, data), both = score(sum, data);
  for (std::size_t i = 0; i < both.size(); ++i) EXPECT_DOUBLE_EQ(both[i], 0.25 * first[i] + 2 * second[i]);
  EXPECT_EQ(score(model_from_json(to_json(sum), "sum.json"), data), both) << "bit for bit after save and load";
}

TEST(TreeScores, MissingValuesReachTreesAndAreFilledForOtherPartsOfASum) {
  ReadOptions keep;
  keep.missing = Missing::keep;
  const Dataset data = parse_csv("label,qid,x0,x1\n1,q,,0.1\n0,q,-0.3,\n", "data.csv", keep);
  Model linear;
  linear.features = {"x0", "x1"};
  linear.weights = {1, 10};
  linear.data.input.missing = Missing::mean;
  linear.data.input.means = {{"x0", 7}, {"x1", 5}};
  EXPECT_THROW(score(linear, data), Error);
  const double weights[] = {1, 1};
  const Model trees = model_of(test::random_trees({6, 8, 2, false}, 3));
  const std::vector<double> sum = score(weighted_sum({trees, linear}, weights), data), own = score(trees, data);
  EXPECT_FLOAT_EQ(static_cast<float>(sum[0] - own[0]), 7 + 1.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(sum[1] - own[1]), -0.3f + 50);
}

}  // namespace
}  // namespace dorm
