// SPDX-License-Identifier: Apache-2.0
// Path-dependent TreeSHAP (Lundberg, Erion, Lee: Consistent individualized feature attribution for tree ensembles,
// 2018, algorithm 2): the features of a path with the shares of their subsets, extended on the way down and unwound at
// leaves.
#include <algorithm>

#include "dorm/error.h"
#include "dorm/learning/trees.h"
#include "model/trees/tree_scorer.h"

namespace dorm {
namespace {

/// A feature on the path: the share of documents that follow it where the feature is unknown and where it is known.
struct Step {
  std::size_t feature;
  double unknown, known;
  double weight;  // of the subsets of the path of one size
};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

void extend(Step* path, std::size_t length, const Step& step) {
  path[length] = step;
  path[length].weight = length == 0 ? 1.0 : 0.0;
  const auto size = static_cast<double>(length + 1);
  for (std::size_t i = length; i-- > 0;) {
    path[i + 1].weight += step.known * path[i].weight * static_cast<double>(i + 1) / size;
    path[i].weight = step.unknown * path[i].weight * static_cast<double>(length - i) / size;
  }
}

/// The path of length + 1 steps without step k.
void unwind(Step* path, std::size_t length, std::size_t k) {
  const double known = path[k].known, unknown = path[k].unknown;
  const auto size = static_cast<double>(length + 1);
  double next = path[length].weight;
  for (std::size_t i = length; i-- > 0;) {
    if (known != 0) {
      const double old = path[i].weight;
      path[i].weight = next * size / (static_cast<double>(i + 1) * known);
      next = old - path[i].weight * unknown * static_cast<double>(length - i) / size;
    } else {
      path[i].weight = path[i].weight * size / (unknown * static_cast<double>(length - i));
    }
  }
  for (std::size_t i = k; i < length; ++i) {
    path[i].feature = path[i + 1].feature;
    path[i].unknown = path[i + 1].unknown;
    path[i].known = path[i + 1].known;
  }
}

/// The sum of the weights that unwind() would leave.
double unwound_sum(const Step* path, std::size_t length, std::size_t k) {
  const double known = path[k].known, unknown = path[k].unknown;
  const auto size = static_cast<double>(length + 1);
  double next = path[length].weight, sum = 0;
  for (std::size_t i = length; i-- > 0;) {
    if (known != 0) {
      const double weight = next * size / (static_cast<double>(i + 1) * known);
      sum += weight;
      next = path[i].weight - weight * unknown * static_cast<double>(length - i) / size;
    } else {
      sum += path[i].weight / (unknown * static_cast<double>(length - i) / size);
    }
  }
  return sum;
}

/// One row in one tree. Every node has a copy of the path, behind those of the nodes above it; validate() limits depth.
class Walk {
 public:
  Walk(const TreeEnsemble& trees, std::span<const float> row, std::vector<Step>& paths, std::span<double> out)
      : trees_(trees), row_(row), paths_(paths), out_(out) {}

  /// The path begins at `begin` and has `length` steps before this one.
  void visit(std::size_t k, std::size_t begin, std::size_t length, const Step& step) {
    if (paths_.size() < begin + 2 * length + 4) paths_.resize(2 * (begin + 2 * length + 4));
    extend(&paths_[begin], length, step);
    const TreeNode& node = trees_.nodes[k];
    if (node.leaf()) return add_leaf(&paths_[begin], length, node.value);
    double unknown = 1, known = 1;
    for (std::size_t i = 1; i <= length; ++i) {
      if (paths_[begin + i].feature != node.feature) continue;
      unknown = paths_[begin + i].unknown;
      known = paths_[begin + i].known;
      unwind(&paths_[begin], length--, i);
      break;
    }
    const std::size_t taken = child_of(trees_, node, row_[node.feature]);
    for (const std::int32_t each : {node.left, node.right}) {
      const auto child = static_cast<std::size_t>(each);
      const double share = node.cover > 0 ? unknown * (trees_.nodes[child].cover / node.cover) : 0;
      const double reached = child == taken ? known : 0;
      if (share == 0 && reached == 0) continue;
      const std::size_t copy = begin + length + 1;
      if (paths_.size() < copy + length + 1) paths_.resize(2 * (copy + length + 1));
      std::copy_n(paths_.begin() + static_cast<std::ptrdiff_t>(begin), length + 1,
                  paths_.begin() + static_cast<std::ptrdiff_t>(copy));
      visit(child, copy, length + 1, {node.feature, share, reached, 0});
    }
  }

 private:
  void add_leaf(const Step* path, std::size_t length, double value) {
    for (std::size_t i = 1; i <= length; ++i)
      out_[path[i].feature] += unwound_sum(path, length, i) * (path[i].known - path[i].unknown) * value;
  }

  const TreeEnsemble& trees_;
  std::span<const float> row_;
  std::vector<Step>& paths_;
  std::span<double> out_;
};

}  // namespace

void tree_contributions(const TreeEnsemble& trees, std::span<const float> row, std::span<double> out) {
  if (!trees.has_covers())
    throw Error(ErrorCode::unsupported,
                "the file of the trees does not say how many training documents reached each "
                "node, which contributions need");
  std::fill(out.begin(), out.end(), 0.0);
  std::vector<Step> paths;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const std::size_t root = trees.roots[t];
    if (trees.nodes[root].leaf()) continue;
    Walk(trees, row, paths, out).visit(root, 0, 0, {kNone, 1, 1, 0});
  }
}

double expected_score(const TreeEnsemble& trees) {
  double sum = trees.base;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const TreeNode& root = trees.nodes[trees.roots[t]];
    double mean = 0;
    for (const TreeNode& node : trees.tree(t))
      if (node.leaf()) mean += root.leaf() ? node.value : node.value * (node.cover / root.cover);
    sum += mean;
  }
  return sum;
}

}  // namespace dorm
