// SPDX-License-Identifier: Apache-2.0
// Scores of many documents in an ensemble of trees.
//
// Every split becomes one comparison of two floats, x > threshold: missing values, zeros that count as such, and
// categories are settled once per document and column. Trees of up to 64 leaves are then evaluated feature by feature
// (Lucchese et al.: QuickScorer, 2015): the splits of a feature are sorted by threshold, each that sends a document to
// the right clears the leaves on its left, and the first leaf that is left is the one. Vectors hold as many documents
// as the processor's registers. Larger trees are walked, several documents at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector/cpu.h"
#include "dorm/learning/trees.h"

namespace dorm {

inline constexpr double kTreeZero = 1e-35f;  // LightGBM takes values up to it for zeros

/// The child of an inner node that a value of its feature leads to.
std::size_t child_of(const TreeEnsemble& trees, const TreeNode& node, float x);

class TreeScorer {
 public:
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  static constexpr std::size_t kChunk = 64;  // documents that are scored at a time

  explicit TreeScorer(const TreeEnsemble& trees);

  /// Of one thread.
  struct Workspace {
    std::vector<float> x, largest;
    std::vector<std::uint64_t> leaves;
  };

  /// The scores of some documents. `column_of`: by feature, where it stands in the rows; kAbsent: it is 0. The same
  /// bits at every level: leaves are added tree by tree.
  void scores(std::span<const float* const> rows, std::span<const std::size_t> column_of, Workspace& workspace,
              double* out, SimdLevel level = simd_level()) const;

  /// What is compared: a feature after its missing values are settled, or whether a category is outside of a set.
  struct Column {
    std::uint32_t feature = 0;
    std::uint32_t categories = 0;  // as in TreeNode
    MissingSplit missing = MissingSplit::none;
    bool left = false;  // where missing values go

    auto operator<=>(const Column&) const = default;  // NOLINT(modernize-use-nullptr): a comparison with 0 is inside
  };
  /// The splits of a column in a block, by increasing threshold.
  struct Run {
    std::uint32_t column, begin, end;
  };
  enum class BlockKind { words, long_words, walked };  // trees of up to 32 leaves, of up to 64, of more
  struct Block {
    BlockKind kind;
    std::size_t first_tree, end_tree, first_run, end_run;
  };
  struct Split {
    float threshold;
    std::uint32_t tree;  // of the block
    std::uint64_t kept;  // leaves that are left where a document goes right
  };
  struct WalkedNode {
    float threshold;
    std::uint32_t column;
    std::uint32_t next[2];  // where x <= threshold, and else
  };

 private:
  std::vector<std::uint32_t> columns_of_nodes(const TreeEnsemble& trees);
  void add_block(const TreeEnsemble& trees, Block block, std::span<const std::uint32_t> column_of_node);
  void load_columns(std::span<const float* const> rows, std::span<const std::size_t> column_of, std::size_t lanes,
                    float* x, float* largest) const;
  void add_group(const Block& block, const float* x, const float* largest, std::uint64_t* leaves, double* out,
                 SimdLevel level) const;
  template <std::size_t N>
  void walk(const Block& block, const float* x, double* out) const;
  void add_walked(const TreeEnsemble& trees, std::size_t tree, std::span<const std::uint32_t> column_of_node);

  double base_;
  std::vector<Column> columns_;
  std::vector<CategorySet> sets_;
  std::vector<Block> blocks_;
  std::vector<Run> runs_;
  std::vector<Split> splits_;
  std::vector<std::size_t> first_leaf_;  // by tree, in values_
  std::vector<double> values_;           // of leaves from left to right; of walked trees by node
  std::vector<WalkedNode> walked_;       // leaves lead to themselves
  std::vector<std::uint32_t> steps_;     // by tree: the depth of a walked one
};

}  // namespace dorm
