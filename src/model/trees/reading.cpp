// SPDX-License-Identifier: Apache-2.0
#include "model/trees/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kHead = 4096;  // bytes by which a format is recognised
constexpr std::size_t kDeepestTreeJson = TreeLimits::kDepth + 32;

bool begins_with_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

std::string_view without_blanks_before(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

/// By the members of an object that only one library writes.
std::string_view json_format_of(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (has("\"dorm-model\"")) return {};
  if (has("\"learner\"") && (has("\"attributes\"") || has("\"gradient_booster\"") || has("\"feature_names\"")))
    return "xgboost";
  if (has("\"name\"") && has("\"tree\"") && has("\"num_tree_per_iteration\"")) return "lightgbm-json";
  if (has("\"oblivious_trees\"") || has("\"features_info\"")) return "catboost";
  return {};
}

std::string_view tree_format_of(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, kHead);
  static constexpr std::array<std::string_view, 3> kRankLib = {"## LambdaMART", "## MART", "## Random Forests"};
  const std::string_view text = without_blanks_before(head);
  if (head.starts_with("{L") && head.find("learner") != std::string_view::npos) return "xgboost-ubjson";
  if (text.starts_with('{')) return json_format_of(text);
  if ((text.starts_with("tree\n") || text.starts_with("tree\r\n")) && text.find("\nversion=v") < kHead)
    return "lightgbm";
  if (head.starts_with("CBM1")) return "catboost-binary";
  if (head.starts_with('\x08') && head.find("TreeEnsemble") != std::string_view::npos) return "onnx";
  if (begins_with_one_of(text, kRankLib) || text.starts_with("<ensemble>")) return "ranklib";
  return {};
}

}  // namespace

bool is_tree_file(std::string_view bytes) { return !tree_format_of(bytes).empty(); }

TreeEnsemble read_trees(std::string_view bytes, const std::string& name) {
  if (bytes.size() > TreeLimits::kBytes)
    throw Error(ErrorCode::unsupported, {name},
                fmt::format("{} bytes; models of trees are read up to {}", bytes.size(), TreeLimits::kBytes));
  const std::string_view format = tree_format_of(bytes);
  TreeEnsemble trees;
  if (format == "lightgbm")
    trees = read_lightgbm_text(bytes, name);
  else if (format == "ranklib")
    trees = read_ranklib(bytes, name);
  else if (format == "onnx")
    trees = read_onnx_trees(bytes, name);
  else if (format == "xgboost-ubjson")
    trees = read_xgboost(parse_ubjson(bytes, name), name);
  else if (format == "xgboost")
    trees = read_xgboost(parse_tree_json(bytes, name), name);
  else if (format == "lightgbm-json")
    trees = read_lightgbm_json(parse_tree_json(bytes, name), name);
  else if (format == "catboost")
    trees = read_catboost(parse_tree_json(bytes, name), name);
  else if (format == "catboost-binary")
    refuse_kind(name, "the binary form of CatBoost",
                "its JSON, as save_model(\"cat.json\", format=\"json\") writes it");
  else
    throw Error(ErrorCode::bad_input, {name},
                "no model of trees; expected one of LightGBM, XGBoost, CatBoost (JSON), RankLib or ONNX");
  validate(trees, name);
  return trees;
}

void refuse_trees(const std::string& name, std::string_view library, const std::string& why) {
  throw Error(ErrorCode::bad_input, {name}, fmt::format("not a usable {} model: {}", library, why));
}

void refuse_kind(const std::string& name, const std::string& what, const std::string& expected) {
  throw Error(ErrorCode::unsupported, {name}, fmt::format("{}; expected {}", what, expected));
}

void append_tree(TreeEnsemble& trees, std::span<const TreeNode> nodes, const std::string& name) {
  const auto refuse = [&](const std::string& why) { refuse_trees(name, "tree", why); };
  if (nodes.empty()) refuse(fmt::format("tree {} has no nodes", trees.num_trees()));
  if (trees.nodes.size() + nodes.size() > TreeLimits::kNodes)
    refuse(fmt::format("more than {} nodes", TreeLimits::kNodes));
  trees.roots.push_back(static_cast<std::uint32_t>(trees.nodes.size()));
  std::vector<bool> seen(nodes.size());
  std::vector<std::pair<std::int32_t, std::size_t>> open = {{0, 0}};  // a node, and 1 + 2 * its parent (+ 1: right)
  while (!open.empty()) {
    const auto [k, link] = open.back();
    open.pop_back();
    if (k < 0 || static_cast<std::size_t>(k) >= nodes.size())
      refuse(fmt::format("tree {} has a child {} of {} nodes", trees.num_trees() - 1, k, nodes.size()));
    if (seen[static_cast<std::size_t>(k)])
      refuse(fmt::format("node {} of tree {} is the child of two nodes", k, trees.num_trees() - 1));
    seen[static_cast<std::size_t>(k)] = true;
    const auto place = static_cast<std::int32_t>(trees.nodes.size());
    if (link > 0) {
      TreeNode& parent = trees.nodes[(link - 1) / 2];
      (link % 2 == 1 ? parent.left : parent.right) = place;
    }
    const TreeNode& node = nodes[static_cast<std::size_t>(k)];
    trees.nodes.push_back(node);
    if (node.leaf()) continue;
    open.emplace_back(node.right, 2 + 2 * static_cast<std::size_t>(place));
    open.emplace_back(node.left, 1 + 2 * static_cast<std::size_t>(place));
  }
}

CategorySet category_set(std::span<const std::uint64_t> categories, const std::string& name) {
  CategorySet set;
  for (const std::uint64_t category : categories) {
    if (category >= TreeLimits::kCategories)
      refuse_trees(name, "tree", fmt::format("category {}; at most {} are read", category, TreeLimits::kCategories));
    if (category / 32 >= set.size()) set.resize(category / 32 + 1);
    set[category / 32] |= std::uint32_t{1} << (category % 32);
  }
  return set;
}

std::uint32_t add_categories(TreeEnsemble& trees, CategorySet set) {
  trees.category_sets.push_back(std::move(set));
  return static_cast<std::uint32_t>(trees.category_sets.size());
}

double threshold_below(double threshold) {
  const auto single = static_cast<float>(threshold);
  const float below = std::nextafterf(single, -std::numeric_limits<float>::infinity());
  return std::max(static_cast<double>(below), std::numeric_limits<double>::lowest());
}

void number_features(TreeEnsemble& trees, std::size_t count, const char* prefix, const std::string& name) {
  if (count > TreeLimits::kFeatures) refuse_trees(name, "tree", fmt::format("{} features", count));
  trees.by_number = true;
  trees.features.clear();
  for (std::size_t j = 0; j < count; ++j) trees.features.push_back(fmt::format("{}{}", prefix, j));
}

bool made_up(std::span<const std::string> features, std::string_view prefix) {
  for (std::size_t j = 0; j < features.size(); ++j)
    if (features[j] != fmt::format("{}{}", prefix, j)) return false;
  return true;
}

Json parse_tree_json(std::string_view text, const std::string& name) {
  return parse_json(text, name, "a model of trees", kDeepestTreeJson);
}

}  // namespace dorm
