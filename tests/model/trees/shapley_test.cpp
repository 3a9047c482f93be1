// SPDX-License-Identifier: Apache-2.0
// Contributions against Shapley's formula over all subsets of features.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dorm/explain.h"
#include "dorm/read.h"
#include "model/trees/random_trees.h"
#include "model/trees/tree_scorer.h"

namespace dorm {
namespace {

/// The expectation of a tree where the features of `known` are those of the row, and others follow the covers.
double expectation(const TreeEnsemble& trees, std::size_t k, std::span<const float> row, unsigned known) {
  const TreeNode& node = trees.nodes[k];
  if (node.leaf()) return node.value;
  if ((known >> node.feature & 1) != 0) return expectation(trees, child_of(trees, node, row[node.feature]), row, known);
  double sum = 0;
  for (const std::int32_t child : {node.left, node.right})
    sum += trees.nodes[static_cast<std::size_t>(child)].cover / node.cover *
           expectation(trees, static_cast<std::size_t>(child), row, known);
  return sum;
}

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

std::vector<double> by_subsets(const TreeEnsemble& trees, std::span<const float> row) {
  const int n = static_cast<int>(trees.features.size());
  std::vector<double> out(trees.features.size());
  for (int j = 0; j < n; ++j)
    for (unsigned subset = 0; subset < 1u << n; ++subset) {
      if ((subset >> j & 1) != 0) continue;
      const int size = std::popcount(subset);
      const double weight = factorial(size) * factorial(n - size - 1) / factorial(n);
      for (const std::uint32_t root : trees.roots)
        out[static_cast<std::size_t>(j)] +=
            weight * (expectation(trees, root, row, subset | 1u << j) - expectation(trees, root, row, subset));
    }
  return out;
}

TEST(TreeShap, IsShapleysFormulaOverAllSubsets) {
  for (std::uint32_t seed = 1; seed < 12; ++seed) {
    const TreeEnsemble trees = test::random_trees({4, 14, 1 + seed % 6}, seed);
    std::mt19937 engine(seed);
    for (int i = 0; i < 5; ++i) {
      const std::vector<float> row = test::tree_row(trees.features.size(), engine);
      std::vector<double> found(row.size());
      tree_contributions(trees, row, found);
      const std::vector<double> expected = by_subsets(trees, row);
      for (std::size_t j = 0; j < row.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-12) << "seed " << seed;
    }
  }
}

TEST(TreeShap, ContributionsSumToTheScoreLessTheMean) {
  const Model model = model_of(test::random_trees({30, 31, 3, false}, 4));
  const Dataset data = parse_csv("label,qid,x0,x1,x2\n1,q,0.5,0.1,0\n0,q,-0.3,0.7,1\n2,q,0.9,-1,0.2\n", "data.csv");
  const QueryExplanation all = explain(model, data, 0);
  ASSERT_TRUE(all.additive);
  for (const DocumentExplanation& document : all.documents) {
    double sum = all.base;
    for (const FeaturePart& part : document.parts) sum += part.contribution;
    EXPECT_NEAR(sum, document.score, 1e-12);
  }
}

TEST(TreeShap, WithoutCountsOfDocumentsThereAreEffectsAlone) {
  TreeEnsemble trees = test::random_trees({30, 31, 3, false}, 4);
  for (TreeNode& node : trees.nodes) node.cover = 0;
  const Dataset data = parse_csv("label,qid,x0,x1,x2\n1,q,0.5,0.1,0\n0,q,-0.3,0.1,1\n", "data.csv");
  const QueryExplanation all = explain(model_of(trees), data, 0);
  EXPECT_FALSE(all.additive);
  for (const DocumentExplanation& document : all.documents)
    for (const FeaturePart& part : document.parts)
      if (part.feature == 1) {
        EXPECT_EQ(part.contribution, 0) << "a feature at its mean has no effect";
      }
}

}  // namespace
}  // namespace dorm
