// SPDX-License-Identifier: Apache-2.0
// Trees as LightGBM writes them, so that lightgbm.Booster(model_file=...) reads them. It adds leaves in double, tree by
// tree, and has no base: the first tree takes it.
#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr unsigned kCategoricalSplit = 1, kGoesLeft = 2;

std::string without_blanks(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }, '_');
  return name;
}

/// The lines of one tree: inner nodes and leaves by their own numbers.
class TreeText {
 public:
  TreeText(const TreeEnsemble& trees, std::size_t t, double added) : trees_(trees), t_(t), added_(added) {}

  std::string text() {
    const std::span<const TreeNode> nodes = trees_.tree(t_);
    const std::size_t root = trees_.roots[t_];
    std::vector<std::int32_t> number;  // of inner nodes, ~ of leaves
    std::int32_t inner = 0, leaves = 0;
    for (const TreeNode& node : nodes) number.push_back(node.leaf() ? ~leaves++ : inner++);
    for (const TreeNode& node : nodes) {
      if (node.leaf()) {
        values_.push_back(fmt::format("{}", node.value + added_));
        leaf_counts_.push_back(count(node));
        continue;
      }
      features_.push_back(std::to_string(node.feature));
      types_.push_back(std::to_string(type_of(node)));
      thresholds_.push_back(node.categories > 0 ? std::to_string(bounds_.size() - 2) : fmt::format("{}", node.value));
      left_.push_back(std::to_string(number[static_cast<std::size_t>(node.left) - root]));
      right_.push_back(std::to_string(number[static_cast<std::size_t>(node.right) - root]));
      counts_.push_back(count(node));
      zeros_.emplace_back("0");
    }
    return lines(static_cast<std::size_t>(leaves));
  }

 private:
  static std::string count(const TreeNode& node) { return fmt::format("{:.0f}", node.cover); }

  unsigned type_of(const TreeNode& node) {
    if (node.categories > 0) {
      const CategorySet& set = trees_.category_sets[node.categories - 1];
      for (const std::uint32_t word : set) words_.push_back(std::to_string(word));
      bounds_.push_back(std::to_string(words_.size()));
      if (node.missing != MissingSplit::nan || node.default_left)
        throw Error(ErrorCode::unsupported,
                    "lightgbm sends documents without a category to the right, which this "
                    "model does not");
      return kCategoricalSplit | 2U << 2;
    }
    return static_cast<unsigned>(node.missing) << 2 | (node.default_left ? kGoesLeft : 0);
  }

  std::string lines(std::size_t leaves) const {
    const auto line = [](const char* key, const std::vector<std::string>& list) {
      return fmt::format("{}={}\n", key, fmt::join(list, " "));
    };
    std::string text = fmt::format("Tree={}\nnum_leaves={}\nnum_cat={}\n", t_, leaves, bounds_.size() - 1);
    text += line("split_feature", features_) + line("split_gain", zeros_) + line("threshold", thresholds_) +
            line("decision_type", types_) + line("left_child", left_) + line("right_child", right_) +
            line("leaf_value", values_) + line("leaf_weight", leaf_counts_) + line("leaf_count", leaf_counts_) +
            line("internal_value", zeros_) + line("internal_weight", counts_) + line("internal_count", counts_);
    if (bounds_.size() > 1) text += line("cat_boundaries", bounds_) + line("cat_threshold", words_);
    return text + "is_linear=0\nshrinkage=1\n\n\n";
  }

  const TreeEnsemble& trees_;
  std::size_t t_;
  double added_;
  std::vector<std::string> features_, types_, thresholds_, left_, right_, counts_, zeros_, values_, leaf_counts_,
      words_;
  std::vector<std::string> bounds_ = {"0"};
};

}  // namespace

Exported export_lightgbm(const Model& model, const ExportOptions& options) {
  if (!model.trees)
    throw Error(ErrorCode::unsupported, "the model has no trees, which lightgbm expects; expected a model of trees");
  TreeEnsemble trees = model.trees->trees();
  if (trees.num_trees() == 0) {
    trees.roots = {0};
    trees.nodes = {TreeNode{}};
  }
  std::vector<std::string> names, infos, sizes;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    names.push_back(without_blanks(std::string(spelling(model, options, j))));
    infos.push_back(model.trees->used()[j] ? "[-1e308:1e308]" : "none");
  }
  std::string body;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const std::string text = TreeText(trees, t, t == 0 ? trees.base : 0).text();
    sizes.push_back(std::to_string(text.size()));
    body += text;
  }
  std::string text = fmt::format(
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={}\nobjective="
      "regression\n"
      "feature_names={}\nfeature_infos={}\ntree_sizes={}\n\n{}end of trees\n\nfeature_importances:\n\nparameters:\nend "
      "of "
      "parameters\n\npandas_categorical:null\n",
      model.features.empty() ? 0 : model.features.size() - 1, fmt::join(names, " "), fmt::join(infos, " "),
      fmt::join(sizes, " "), body);
  return one_file(std::move(text), served_trees(model, {}));
}

}  // namespace dorm
