// SPDX-License-Identifier: Apache-2.0
// Node by node: left is 0 for a leaf, since the first node is nobody's child.
#include "model/trees_json.h"

#include <fmt/format.h>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr const char* kMissingNames[] = {"none", "zero", "nan"};

template <class T>
std::vector<T> per_node(const JsonFields& fields, const char* key, std::size_t nodes) {
  const std::string expected = fmt::format("a list of {} numbers, one per node", nodes);
  auto numbers = fields.required<std::vector<T>>(key, expected.c_str());
  if (numbers.size() != nodes) fields.fail(key, expected);
  return numbers;
}

std::vector<CategorySet> sets_from(const JsonFields& fields) {
  std::vector<CategorySet> sets;
  if (!fields.has("category_sets")) return sets;
  for (const Json& list : fields.list("category_sets", "lists of words of 32 bits")) {
    const Json object = {{"set", list}};
    const auto words =
        JsonFields(object, "category_sets", "a set").required<std::vector<std::uint64_t>>("set", "words");
    if (words.size() > TreeLimits::kCategories / 32) fields.fail("category_sets", "sets of fewer categories");
    CategorySet& set = sets.emplace_back();
    for (const std::uint64_t word : words) {
      if (word >> 32 != 0) fields.fail("category_sets", "lists of words of 32 bits");
      set.push_back(static_cast<std::uint32_t>(word));
    }
  }
  return sets;
}

}  // namespace

Json trees_json(const TreeEnsemble& trees) {
  Json out = {{"library", trees.library},
              {"objective", trees.objective},
              {"base", trees.base},
              {"by_number", trees.by_number},
              {"roots", trees.roots}};
  std::vector<std::uint64_t> left, right, feature, categories, missing, default_left;
  std::vector<double> value, cover;
  for (const TreeNode& node : trees.nodes) {
    left.push_back(node.leaf() ? 0 : static_cast<std::uint64_t>(node.left));
    right.push_back(node.leaf() ? 0 : static_cast<std::uint64_t>(node.right));
    feature.push_back(node.feature);
    categories.push_back(node.categories);
    missing.push_back(static_cast<std::uint64_t>(node.missing));
    default_left.push_back(node.default_left ? 1 : 0);
    value.push_back(node.value);
    cover.push_back(node.cover);
  }
  out["left"] = left;
  out["right"] = right;
  out["feature"] = feature;
  out["value"] = value;
  out["cover"] = cover;
  out["missing_names"] = kMissingNames;
  out["missing"] = missing;
  out["default_left"] = default_left;
  if (!trees.category_sets.empty()) {
    out["categories"] = categories;
    out["category_sets"] = trees.category_sets;
  }
  return out;
}

TreeEnsemble trees_from_json(const JsonFields& fields, const std::vector<std::string>& features,
                             const std::string& name) {
  TreeEnsemble trees;
  trees.features = features;
  trees.library = fields.required<std::string>("library", "a name");
  trees.objective = fields.optional<std::string>("objective", "a name", "");
  trees.base = fields.required<double>("base", "a number");
  trees.by_number = fields.optional<bool>("by_number", "true or false", false);
  for (const std::uint64_t root : fields.required<std::vector<std::uint64_t>>("roots", "a list of numbers")) {
    if (root >= TreeLimits::kNodes) fields.fail("roots", "numbers of nodes");
    trees.roots.push_back(static_cast<std::uint32_t>(root));
  }
  const auto left = fields.required<std::vector<std::uint64_t>>("left", "a list of numbers");
  const std::size_t nodes = left.size();
  const auto right = per_node<std::uint64_t>(fields, "right", nodes);
  const auto feature = per_node<std::uint64_t>(fields, "feature", nodes);
  const auto missing = per_node<std::uint64_t>(fields, "missing", nodes);
  const auto default_left = per_node<std::uint64_t>(fields, "default_left", nodes);
  const auto value = per_node<double>(fields, "value", nodes), cover = per_node<double>(fields, "cover", nodes);
  std::vector<std::uint64_t> categories(nodes);
  if (fields.has("categories")) categories = per_node<std::uint64_t>(fields, "categories", nodes);
  trees.category_sets = sets_from(fields);
  for (std::size_t k = 0; k < nodes; ++k) {
    if (left[k] >= TreeLimits::kNodes || right[k] >= TreeLimits::kNodes) fields.fail("left", "numbers of nodes");
    if (feature[k] >= TreeLimits::kFeatures) fields.fail("feature", "numbers of features");
    if (categories[k] > TreeLimits::kNodes) fields.fail("categories", "numbers of category sets");
    if (missing[k] > 2) fields.fail("missing", "places of missing_names");
    const bool leaf = left[k] == 0;
    trees.nodes.push_back({leaf ? TreeNode::kLeaf : static_cast<std::int32_t>(left[k]),
                           leaf ? TreeNode::kLeaf : static_cast<std::int32_t>(right[k]),
                           static_cast<std::uint32_t>(feature[k]), static_cast<std::uint32_t>(categories[k]), value[k],
                           cover[k], static_cast<MissingSplit>(missing[k]), default_left[k] != 0});
  }
  validate(trees, name);
  return trees;
}

}  // namespace dorm
