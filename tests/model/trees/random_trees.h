// SPDX-License-Identifier: Apache-2.0
// Random ensembles with every kind of split.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dorm/learning/trees.h"

namespace dorm::test {

struct RandomTrees {
  std::size_t trees = 5, leaves = 8, features = 4;
  bool categories = true;
};

inline TreeEnsemble random_trees(const RandomTrees& shape, std::uint32_t seed) {
  std::mt19937 engine(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
  const auto real = [&] { return static_cast<double>(engine() % 2001) / 1000 - 1; };
  TreeEnsemble out;
  out.library = "lightgbm";
  out.base = real();
  for (std::size_t j = 0; j < shape.features; ++j) out.features.push_back("x" + std::to_string(j));
  for (std::size_t t = 0; t < shape.trees; ++t) {
    const std::size_t root = out.nodes.size();
    out.roots.push_back(static_cast<std::uint32_t>(root));
    out.nodes.emplace_back();
    for (std::size_t leaves = 1; leaves < 1 + below(shape.leaves); ++leaves) {
      std::size_t k = root + below(out.nodes.size() - root);
      while (!out.nodes[k].leaf()) k = static_cast<std::size_t>(below(2) == 0 ? out.nodes[k].left : out.nodes[k].right);
      TreeNode& node = out.nodes[k];
      node.left = static_cast<std::int32_t>(out.nodes.size());
      node.right = node.left + 1;
      node.feature = static_cast<std::uint32_t>(below(shape.features));
      node.missing = static_cast<MissingSplit>(below(3));
      node.default_left = below(2) == 0;
      node.value = real();
      if (shape.categories && below(4) == 0) {
        out.category_sets.push_back({static_cast<std::uint32_t>(engine()), static_cast<std::uint32_t>(engine())});
        node.categories = static_cast<std::uint32_t>(out.category_sets.size());
      }
      out.nodes.resize(out.nodes.size() + 2);
    }
    for (std::size_t k = out.nodes.size(); k-- > root;) {
      TreeNode& node = out.nodes[k];
      if (node.leaf()) {
        node.value = real();
        node.cover = static_cast<double>(1 + below(20));
      } else {
        node.cover = out.nodes[static_cast<std::size_t>(node.left)].cover +
                     out.nodes[static_cast<std::size_t>(node.right)].cover;
      }
    }
  }
  return out;
}

/// Values around the thresholds, zeros, categories and missing ones.
inline std::vector<float> tree_row(std::size_t features, std::mt19937& engine) {
  std::vector<float> row(features);
  for (float& x : row) {
    const std::uint32_t kind = engine() % 8;
    const float number = static_cast<float>(engine() % 2001) / 1000.0f - 1.0f;
    x = kind == 0   ? 0.0f
        : kind == 1 ? std::numeric_limits<float>::quiet_NaN()
        : kind == 2 ? static_cast<float>(engine() % 70) - 2.0f
                    : number;
  }
  return row;
}

}  // namespace dorm::test
