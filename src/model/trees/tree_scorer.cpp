// SPDX-License-Identifier: Apache-2.0
#include "model/trees/tree_scorer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "base/vector/lanes_of.h"

namespace dorm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kBlockTrees = 256;  // of a block: its leaf words stay in the first cache
constexpr std::size_t kLongBlockTrees = 128;

/// x <= the double is the same as x <= this, for floats. Finite numbers that are larger go right by the infinity that
/// stands for a missing value, so it is no threshold.
float float_threshold(double threshold) {
  if (threshold >= static_cast<double>(std::numeric_limits<float>::max())) return std::numeric_limits<float>::max();
  const auto rounded = static_cast<float>(threshold);
  return static_cast<double>(rounded) > threshold ? std::nextafterf(rounded, -kInfinity) : rounded;
}

/// A value as the splits of the column compare it.
float compared(const TreeScorer::Column& column, std::span<const CategorySet> sets, float x) {
  bool missing = std::isnan(x);
  if (column.missing == MissingSplit::none && missing) x = 0, missing = false;
  if (column.missing == MissingSplit::zero) missing = missing || std::fabs(static_cast<double>(x)) <= kTreeZero;
  if (missing) return column.left ? -kInfinity : kInfinity;
  if (column.categories > 0) return contains(sets[column.categories - 1], x) ? -kInfinity : kInfinity;
  return x;
}

/// By node of the tree, the bits of the leaves below it, which are numbered from left to right; their values in that
/// order.
std::vector<std::uint64_t> leaf_bits(const TreeEnsemble& trees, std::size_t tree, std::vector<double>& values) {
  const std::span<const TreeNode> nodes = trees.tree(tree);
  const std::size_t root = trees.roots[tree];
  std::vector<std::uint64_t> bits(nodes.size());
  std::vector<std::size_t> open = {root};
  std::uint64_t next = 1;
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    const TreeNode& node = trees.nodes[k];
    if (node.leaf()) {
      bits[k - root] = next;
      next <<= 1;
      values.push_back(node.value);
    } else {
      open.push_back(static_cast<std::size_t>(node.right));
      open.push_back(static_cast<std::size_t>(node.left));
    }
  }
  for (std::size_t k = nodes.size(); k-- > 0;)  // children stand behind their parents
    if (!nodes[k].leaf())
      bits[k] =
          bits[static_cast<std::size_t>(nodes[k].left) - root] | bits[static_cast<std::size_t>(nodes[k].right) - root];
  return bits;
}

std::size_t leaves_of(std::span<const TreeNode> nodes) { return (nodes.size() + 1) / 2; }

TreeScorer::BlockKind kind_of(std::span<const TreeNode> nodes) {
  const std::size_t leaves = leaves_of(nodes);
  return leaves <= 32   ? TreeScorer::BlockKind::words
         : leaves <= 64 ? TreeScorer::BlockKind::long_words
                        : TreeScorer::BlockKind::walked;
}

/// Integers as wide as the leaves of a block.
template <std::size_t N, class Word>
struct LeafLanes;
template <std::size_t N>
struct LeafLanes<N, std::uint32_t> {
  using Vector = typename LanesOf<N>::Words;
};
template <std::size_t N>
struct LeafLanes<N, std::uint64_t> {
  using Vector = typename LanesOf<N>::LongWords;
};

/// One block of trees for N documents.
struct LaneJob {
  const float *x, *largest;  // by column: of N documents, and the largest of them
  const TreeScorer::Run *run, *end_run;
  const TreeScorer::Split* splits;
  std::size_t trees;
  const std::size_t* first_leaf;
  const double* values;
  std::uint64_t* leaves;
  double* out;
};

template <std::size_t N, class Word>
[[gnu::always_inline]] inline void add_words(const LaneJob& job) {
  using Lanes = LanesOf<N>;
  using Vector = typename LeafLanes<N, Word>::Vector;
  auto* const leaves = reinterpret_cast<Word*>(job.leaves);
  std::fill_n(leaves, job.trees * N, ~Word{0});
  for (const TreeScorer::Run* run = job.run; run != job.end_run; ++run) {
    typename Lanes::Floats x;
    load_vector(job.x + run->column * N, x);
    const float largest = job.largest[run->column];
    for (const TreeScorer::Split *split = job.splits + run->begin, *end = job.splits + run->end;
         split != end && split->threshold < largest; ++split) {
      const typename Lanes::Integers right = x > split->threshold;
      const Vector kept = ~__builtin_convertvector(right, Vector) | static_cast<Word>(split->kept);
      Vector at;
      load_vector(leaves + split->tree * N, at);
      at &= kept;
      store_vector(at, leaves + split->tree * N);
    }
  }
  for (std::size_t t = 0; t < job.trees; ++t) {
    const double* const values = job.values + job.first_leaf[t];
    for (std::size_t i = 0; i < N; ++i) job.out[i] += values[std::countr_zero(leaves[t * N + i])];
  }
}

}  // namespace

template <std::size_t N>
void TreeScorer::walk(const Block& block, const float* x, double* out) const {
  for (std::size_t t = block.first_tree; t < block.end_tree; ++t) {
    const std::size_t first = first_leaf_[t];
    std::uint32_t at[N] = {};
    for (std::uint32_t step = 0; step < steps_[t]; ++step)
      for (std::size_t i = 0; i < N; ++i) {
        const WalkedNode& node = walked_[first + at[i]];
        at[i] = node.next[x[node.column * N + i] > node.threshold];
      }
    for (std::size_t i = 0; i < N; ++i) out[i] += values_[first + at[i]];
  }
}

TreeScorer::TreeScorer(const TreeEnsemble& trees)
    : base_(trees.base), sets_(trees.category_sets), first_leaf_(trees.num_trees()), steps_(trees.num_trees()) {
  const std::vector<std::uint32_t> column_of_node = columns_of_nodes(trees);
  for (std::size_t t = 0; t < trees.num_trees();) {
    Block block{kind_of(trees.tree(t)), t, t + 1, 0, 0};
    for (; block.end_tree < trees.num_trees(); ++block.end_tree) {
      const BlockKind kind = kind_of(trees.tree(block.end_tree)), wider = std::max(kind, block.kind);
      const std::size_t most = wider == BlockKind::words ? kBlockTrees : kLongBlockTrees;
      const bool same = (kind == BlockKind::walked) == (block.kind == BlockKind::walked);
      if (!same || block.end_tree - t >= most) break;
      block.kind = wider;
    }
    add_block(trees, block, column_of_node);
    t = block.end_tree;
  }
}

std::vector<std::uint32_t> TreeScorer::columns_of_nodes(const TreeEnsemble& trees) {
  std::map<Column, std::uint32_t> number;
  std::vector<std::uint32_t> out(trees.nodes.size());
  for (std::size_t k = 0; k < trees.nodes.size(); ++k) {
    const TreeNode& node = trees.nodes[k];
    if (node.leaf()) continue;
    const bool settled = node.missing != MissingSplit::none;
    const Column column{node.feature, node.categories, node.missing, settled && node.default_left};
    const auto [found, added] = number.try_emplace(column, static_cast<std::uint32_t>(columns_.size()));
    if (added) columns_.push_back(column);
    out[k] = found->second;
  }
  return out;
}

void TreeScorer::add_block(const TreeEnsemble& trees, Block block, std::span<const std::uint32_t> column_of_node) {
  struct Placed {
    std::uint32_t column;
    Split split;
  };
  std::vector<Placed> placed;
  for (std::size_t t = block.first_tree; t < block.end_tree; ++t) {
    first_leaf_[t] = values_.size();
    if (block.kind == BlockKind::walked) {
      add_walked(trees, t, column_of_node);
      continue;
    }
    const std::vector<std::uint64_t> bits = leaf_bits(trees, t, values_);
    const std::size_t root = trees.roots[t];
    for (std::size_t k = 0; k < bits.size(); ++k) {
      const TreeNode& node = trees.nodes[root + k];
      if (node.leaf()) continue;
      const float threshold = node.categories > 0 ? 0 : float_threshold(node.value);
      placed.push_back({column_of_node[root + k],
                        {threshold, static_cast<std::uint32_t>(t - block.first_tree),
                         ~bits[static_cast<std::size_t>(node.left) - root]}});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.column != b.column ? a.column < b.column : a.split.threshold < b.split.threshold;
  });
  block.first_run = runs_.size();
  for (const Placed& each : placed) {
    const auto place = static_cast<std::uint32_t>(splits_.size());
    if (runs_.size() == block.first_run || runs_.back().column != each.column)
      runs_.push_back({each.column, place, place});
    splits_.push_back(each.split);
    ++runs_.back().end;
  }
  block.end_run = runs_.size();
  blocks_.push_back(block);
}

void TreeScorer::add_walked(const TreeEnsemble& trees, std::size_t tree,
                            std::span<const std::uint32_t> column_of_node) {
  const std::span<const TreeNode> nodes = trees.tree(tree);
  const std::uint32_t root = trees.roots[tree];
  walked_.resize(values_.size());  // nodes and values have the same places
  std::vector<std::uint32_t> depth(nodes.size());
  for (std::uint32_t k = 0; k < nodes.size(); ++k) {
    const TreeNode& node = nodes[k];
    steps_[tree] = std::max(steps_[tree], depth[k]);
    values_.push_back(node.value);
    if (node.leaf()) {
      walked_.push_back({0, 0, {k, k}});
      continue;
    }
    const auto left = static_cast<std::uint32_t>(node.left) - root,
               right = static_cast<std::uint32_t>(node.right) - root;
    depth[left] = depth[right] = depth[k] + 1;
    walked_.push_back({node.categories > 0 ? 0 : float_threshold(node.value), column_of_node[root + k], {left, right}});
  }
}

void TreeScorer::scores(std::span<const float* const> rows, std::span<const std::size_t> column_of,
                        Workspace& workspace, double* out, SimdLevel level) const {
  const std::size_t lanes = level == SimdLevel::avx512 ? 16 : level == SimdLevel::avx2 ? 8 : 4;
  const std::size_t width = columns_.size() * lanes;
  workspace.leaves.resize(std::max(kBlockTrees * lanes / 2, kLongBlockTrees * lanes));
  workspace.x.resize(width * (kChunk / lanes));
  workspace.largest.resize(columns_.size() * (kChunk / lanes));
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, rows.size() - begin), groups = (count + lanes - 1) / lanes;
    for (std::size_t g = 0; g < groups; ++g)
      load_columns(rows.subspan(begin + g * lanes, std::min(lanes, count - g * lanes)), column_of, lanes,
                   workspace.x.data() + g * width, workspace.largest.data() + g * columns_.size());
    double sums[kChunk];
    std::fill(sums, sums + kChunk, base_);
    for (const Block& block : blocks_)
      for (std::size_t g = 0; g < groups; ++g)
        add_group(block, workspace.x.data() + g * width, workspace.largest.data() + g * columns_.size(),
                  workspace.leaves.data(), sums + g * lanes, level);
    std::copy_n(sums, count, out + begin);
  }
}

void TreeScorer::load_columns(std::span<const float* const> rows, std::span<const std::size_t> column_of,
                              std::size_t lanes, float* x, float* largest) const {
  for (std::size_t c = 0; c < columns_.size(); ++c, x += lanes) {
    const Column& column = columns_[c];
    const std::size_t place = column_of[column.feature];
    float most = -kInfinity;
    std::fill_n(x, lanes, -kInfinity);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      x[i] = compared(column, sets_, place == kAbsent ? 0.0f : rows[i][place]);
      most = std::max(most, x[i]);
    }
    largest[c] = most;
  }
}

void TreeScorer::add_group(const Block& block, const float* x, const float* largest, std::uint64_t* leaves, double* out,
                           SimdLevel level) const {
  if (block.kind == BlockKind::walked) {
    if (level == SimdLevel::avx512) return walk<16>(block, x, out);
    if (level == SimdLevel::avx2) return walk<8>(block, x, out);
    return walk<4>(block, x, out);
  }
  const LaneJob job{x,
                    largest,
                    runs_.data() + block.first_run,
                    runs_.data() + block.end_run,
                    splits_.data(),
                    block.end_tree - block.first_tree,
                    first_leaf_.data() + block.first_tree,
                    values_.data(),
                    leaves,
                    out};
  if (block.kind == BlockKind::words)
    (level == SimdLevel::avx512 ? compiled_for<add_words<16, std::uint32_t>>(level)
     : level == SimdLevel::avx2 ? compiled_for<add_words<8, std::uint32_t>>(level)
                                : compiled_for<add_words<4, std::uint32_t>>(level))(job);
  else
    (level == SimdLevel::avx512 ? compiled_for<add_words<16, std::uint64_t>>(level)
     : level == SimdLevel::avx2 ? compiled_for<add_words<8, std::uint64_t>>(level)
                                : compiled_for<add_words<4, std::uint64_t>>(level))(job);
}

}  // namespace dorm
