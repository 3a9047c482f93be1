// SPDX-License-Identifier: Apache-2.0
// What an ensemble is, and what it means for one row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/learning/trees.h"
#include "model/trees/tree_scorer.h"

namespace dorm {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorCode::bad_input, {name}, fmt::format("not a usable tree ensemble: {}", why));
}

void validate_node(const TreeEnsemble& trees, std::size_t k, std::size_t end, const std::string& name) {
  const TreeNode& node = trees.nodes[k];
  if (!std::isfinite(node.value)) refuse(name, fmt::format("the number of node {} is not finite", k));
  if (!(node.cover >= 0) || !std::isfinite(node.cover))
    refuse(name, fmt::format("the cover of node {} is negative", k));
  if (node.leaf() && node.right == TreeNode::kLeaf) return;
  for (const std::int32_t child : {node.left, node.right})
    if (child < 0 || static_cast<std::size_t>(child) <= k || static_cast<std::size_t>(child) >= end)
      refuse(name, fmt::format("node {} has the child {}; expected a later node of the same tree", k, child));
  if (node.feature >= trees.features.size())
    refuse(name, fmt::format("node {} splits by feature {} of {}", k, node.feature, trees.features.size()));
  if (node.categories > trees.category_sets.size())
    refuse(name, fmt::format("node {} has the category set {} of {}", k, node.categories, trees.category_sets.size()));
}

void validate_tree(const TreeEnsemble& trees, std::size_t begin, std::size_t end, const std::string& name) {
  std::vector<std::size_t> depth(end - begin, 0);  // in inner nodes, from 1; 0: no parent yet
  depth[0] = 1;
  for (std::size_t k = begin; k < end; ++k) {
    validate_node(trees, k, end, name);
    if (depth[k - begin] == 0) refuse(name, fmt::format("node {} is no child of a node before it", k));
    const TreeNode& node = trees.nodes[k];
    if (node.leaf()) continue;
    if (depth[k - begin] > TreeLimits::kDepth)
      refuse(name, fmt::format("a tree is deeper than {} splits", TreeLimits::kDepth));
    for (const std::int32_t child : {node.left, node.right}) {
      std::size_t& of_child = depth[static_cast<std::size_t>(child) - begin];
      if (of_child != 0) refuse(name, fmt::format("node {} is the child of two nodes", child));
      of_child = depth[k - begin] + 1;
    }
  }
}

bool goes_left(const TreeEnsemble& trees, const TreeNode& node, float x) {
  const bool nan = std::isnan(x);
  const bool zero = std::fabs(static_cast<double>(x)) <= kTreeZero;
  if (node.missing == MissingSplit::nan && nan) return node.default_left;
  if (node.missing == MissingSplit::zero && (nan || zero)) return node.default_left;
  if (nan) x = 0;
  if (node.categories > 0) return contains(trees.category_sets[node.categories - 1], x);
  return static_cast<double>(x) <= node.value;
}

}  // namespace

std::size_t child_of(const TreeEnsemble& trees, const TreeNode& node, float x) {
  return static_cast<std::size_t>(goes_left(trees, node, x) ? node.left : node.right);
}

bool contains(const CategorySet& set, float value) {
  if (!(value >= 0) || !(value < static_cast<float>(TreeLimits::kCategories))) return false;
  const auto category = static_cast<std::uint32_t>(value);
  return category / 32 < set.size() && (set[category / 32] >> (category % 32) & 1) != 0;
}

std::span<const TreeNode> TreeEnsemble::tree(std::size_t t) const {
  const std::size_t end = t + 1 < roots.size() ? roots[t + 1] : nodes.size();
  return std::span(nodes).subspan(roots[t], end - roots[t]);
}

bool TreeEnsemble::has_covers() const {
  return std::all_of(roots.begin(), roots.end(),
                     [&](std::uint32_t root) { return nodes[root].leaf() || nodes[root].cover > 0; });
}

void validate(const TreeEnsemble& trees, const std::string& name) {
  if (!std::isfinite(trees.base)) refuse(name, "the base score is not finite");
  if (trees.features.size() > TreeLimits::kFeatures)
    refuse(name, fmt::format("{} features; at most {} are read", trees.features.size(), TreeLimits::kFeatures));
  if (trees.nodes.size() > TreeLimits::kNodes)
    refuse(name, fmt::format("{} nodes; at most {} are read", trees.nodes.size(), TreeLimits::kNodes));
  if (trees.roots.empty() ? !trees.nodes.empty() : trees.roots.front() != 0) refuse(name, "the first node is no root");
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const std::size_t begin = trees.roots[t];
    const std::size_t end = t + 1 < trees.num_trees() ? trees.roots[t + 1] : trees.nodes.size();
    if (begin >= end || end > trees.nodes.size()) refuse(name, fmt::format("tree {} has no nodes", t));
    validate_tree(trees, begin, end, name);
  }
}

void add_scaled(TreeEnsemble& sum, const TreeEnsemble& trees, double factor) {
  if (sum.features.empty()) {
    sum.features = trees.features;
    sum.by_number = trees.by_number;
    sum.library = trees.library;
  }
  if (sum.num_trees() == 0) sum.objective = trees.objective;
  if (sum.objective != trees.objective) sum.objective = "several";
  const auto first = static_cast<std::int32_t>(sum.nodes.size());
  const auto sets = static_cast<std::uint32_t>(sum.category_sets.size());
  for (const std::uint32_t root : trees.roots) sum.roots.push_back(root + static_cast<std::uint32_t>(first));
  for (TreeNode node : trees.nodes) {
    if (node.leaf()) {
      node.value *= factor;
    } else {
      node.left += first;
      node.right += first;
      if (node.categories > 0) node.categories += sets;
    }
    sum.nodes.push_back(node);
  }
  sum.category_sets.insert(sum.category_sets.end(), trees.category_sets.begin(), trees.category_sets.end());
  sum.base += factor * trees.base;
}

const TreeNode& leaf_of(const TreeEnsemble& trees, std::size_t tree, std::span<const float> row) {
  const TreeNode* node = &trees.nodes[trees.roots[tree]];
  while (!node->leaf()) node = &trees.nodes[child_of(trees, *node, row[node->feature])];
  return *node;
}

TreeRanker::TreeRanker(TreeEnsemble trees)
    : trees_(std::move(trees)), scorer_(std::make_unique<TreeScorer>(trees_)), used_(trees_.features.size()) {
  for (const TreeNode& node : trees_.nodes)
    if (!node.leaf()) used_[node.feature] = true;
}

TreeRanker::~TreeRanker() = default;

}  // namespace dorm
