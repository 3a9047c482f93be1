// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees: those of LightGBM, XGBoost, CatBoost, RankLib and ONNX in one form. A score is base plus
// the sum of the leaves that a document falls into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// How the splits of a feature treat missing values.
enum class MissingSplit : std::uint8_t {
  none,  // NaN counts as 0
  zero,  // NaN and 0 take the default direction
  nan,   // NaN takes the default direction
};

/// An inner node or a leaf. Features are 32-bit floats, so that every rule of the libraries is one of these two:
/// numbers of at most the threshold go left, or categories of a set go left.
struct TreeNode {
  static constexpr std::int32_t kLeaf = -1;

  std::int32_t left = kLeaf, right = kLeaf;  // nodes of the ensemble
  std::uint32_t feature = 0;                 // of an inner node
  std::uint32_t categories = 0;  // 0: a numeric split; else the set is the one of this number, counted from 1
  double value = 0;              // the threshold, or what the leaf adds to the score
  double cover = 0;              // training documents (or their weight) that reached the node; 0: not known
  MissingSplit missing = MissingSplit::none;
  bool default_left = false;

  bool leaf() const { return left == kLeaf; }
};

/// Bits by category; what lies beyond them, and below 0, is not in the set.
using CategorySet = std::vector<std::uint32_t>;
bool contains(const CategorySet& set, float value);

struct TreeEnsemble {
  std::vector<std::string> features;
  bool by_number = false;  // the names are made up by the library: features are the columns of the data in their order
  std::string library;     // that grew it: lightgbm, xgboost, catboost, ranklib, onnx
  std::string objective;   // as the library calls it; empty: the file does not say
  double base = 0;
  std::vector<TreeNode> nodes;       // tree by tree, a node before its children
  std::vector<std::uint32_t> roots;  // by tree
  std::vector<CategorySet> category_sets;

  std::size_t num_trees() const { return roots.size(); }
  std::span<const TreeNode> tree(std::size_t t) const;  // children are nodes of the ensemble, not of the span
  bool has_covers() const;                              // of all nodes, as contributions need
};

/// Largest ensembles and files; beyond them reading stops with an Error. Memory is at most 32 times the size of a file.
struct TreeLimits {
  static constexpr std::size_t kBytes = std::size_t{1} << 30;
  static constexpr std::size_t kNodes = std::size_t{1} << 26;
  static constexpr std::size_t kFeatures = std::size_t{1} << 20;
  static constexpr std::uint32_t kCategories = std::uint32_t{1} << 24;
  static constexpr std::size_t kDepth = 512;  // inner nodes on a path
};

/// Whether a file is one of LightGBM (text, JSON), XGBoost (JSON, UBJSON), CatBoost (JSON) or RankLib, by its first
/// 4096 bytes.
bool is_tree_file(std::string_view bytes);

/// The ensemble of a file of any of the formats. Throws Error(bad_input) for a damaged file, and Error(unsupported) for
/// what is no ranker: several classes, linear leaves, linear boosters.
TreeEnsemble read_trees(std::string_view bytes, const std::string& name);

/// Throws Error(bad_input) naming `name` unless every node but the roots is the child of one node before it, and
/// features, sets, and numbers are in range.
void validate(const TreeEnsemble& trees, const std::string& name);

/// Adds the trees of an ensemble with the same features, leaves and base times a factor, to others; the first sets the
/// features, and what grew them.
void add_scaled(TreeEnsemble& sum, const TreeEnsemble& trees, double factor);

/// The leaf that a row falls into, by the definition: for tests and for documents one at a time.
const TreeNode& leaf_of(const TreeEnsemble& trees, std::size_t tree, std::span<const float> row);

/// Contributions of the features to the score of a row, by path-dependent TreeSHAP: with expected_score() they sum to
/// the score. `row` and `out` by feature. Throws Error(unsupported) where covers are not known.
void tree_contributions(const TreeEnsemble& trees, std::span<const float> row, std::span<double> out);
/// The mean of the scores over the training documents, by the covers.
double expected_score(const TreeEnsemble& trees);

class TreeScorer;  // src/model/trees/tree_scorer.h

/// An ensemble with its layout for scoring.
class TreeRanker {
 public:
  explicit TreeRanker(TreeEnsemble trees);
  ~TreeRanker();

  const TreeEnsemble& trees() const { return trees_; }
  const TreeScorer& scorer() const { return *scorer_; }
  /// By feature, whether some split looks at it.
  const std::vector<bool>& used() const { return used_; }

 private:
  TreeEnsemble trees_;
  std::unique_ptr<const TreeScorer> scorer_;
  std::vector<bool> used_;
};

}  // namespace dorm
