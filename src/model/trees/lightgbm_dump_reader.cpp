// SPDX-License-Identifier: Apache-2.0
// LightGBM's dump as JSON, in which trees are nested.
#include <fmt/format.h>

#include <charconv>

#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr const char* kLightgbmDump = "a usable LightGBM model";

/// "1||3||8"
std::vector<std::uint64_t> categories_of(const std::string& text, const JsonFields& fields) {
  std::vector<std::uint64_t> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) fields.fail("threshold", "categories, as \"1||3\"");
    out.push_back(value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.starts_with("||"))
      rest.remove_prefix(2);
    else if (!rest.empty())
      fields.fail("threshold", "categories, as \"1||3\"");
  }
  return out;
}

MissingSplit missing_of(const JsonFields& fields) {
  const auto text = fields.optional<std::string>("missing_type", "a name", "None");
  if (text == "None") return MissingSplit::none;
  if (text == "Zero") return MissingSplit::zero;
  if (text == "NaN") return MissingSplit::nan;
  fields.fail("missing_type", "None, Zero or NaN");
}

class DumpReader {
 public:
  DumpReader(TreeEnsemble& trees, const std::string& name) : trees_(trees), name_(name) {}

  void read_tree(const Json& root) {
    std::vector<TreeNode> nodes(1);
    std::vector<std::pair<const Json*, std::size_t>> open = {{&root, 0}};
    while (!open.empty()) {
      const auto [json, place] = open.back();
      open.pop_back();
      const JsonFields fields(*json, name_, kLightgbmDump, "node.");
      if (fields.has("leaf_value")) {
        read_leaf(fields, nodes[place]);
        continue;
      }
      read_split(fields, nodes[place]);
      for (const char* key : {"left_child", "right_child"}) {
        if (!fields.has(key)) fields.fail(key, "a node");
        (key[0] == 'l' ? nodes[place].left : nodes[place].right) = static_cast<std::int32_t>(nodes.size());
        open.emplace_back(&(*json)[key], nodes.size());
        nodes.emplace_back();
      }
    }
    append_tree(trees_, nodes, name_);
  }

 private:
  void read_leaf(const JsonFields& fields, TreeNode& node) const {
    if (fields.has("leaf_coeff"))
      refuse_kind(name_, "its leaves are linear models (linear_tree)", "leaves that are numbers");
    node.value = fields.required<double>("leaf_value", "a number");
    node.cover = fields.optional<double>("leaf_count", "a number", 0);
  }

  void read_split(const JsonFields& fields, TreeNode& node) {
    const auto feature = fields.required<std::uint64_t>("split_feature", "a whole number");
    if (feature >= trees_.features.size()) fields.fail("split_feature", "the number of a feature");
    node.feature = static_cast<std::uint32_t>(feature);
    node.cover = fields.optional<double>("internal_count", "a number", 0);
    if (fields.required<std::string>("decision_type", "\"<=\" or \"==\"") == "==") {
      const auto text = fields.required<std::string>("threshold", "categories, as \"1||3\"");
      node.categories = add_categories(trees_, category_set(categories_of(text, fields), name_));
      node.missing = MissingSplit::nan;
      return;
    }
    node.value = fields.required<double>("threshold", "a number");
    node.missing = missing_of(fields);
    node.default_left = fields.optional<bool>("default_left", "true or false", false);
  }

  TreeEnsemble& trees_;
  const std::string& name_;
};

}  // namespace

TreeEnsemble read_lightgbm_json(const Json& json, const std::string& name) {
  const JsonFields fields(json, name, kLightgbmDump);
  TreeEnsemble trees;
  trees.library = "lightgbm";
  if (fields.required<std::uint64_t>("num_class", "a number") != 1 ||
      fields.required<std::uint64_t>("num_tree_per_iteration", "a number") != 1)
    refuse_kind(name, "a LightGBM model of several classes has a score for each of them", "a model of one score");
  trees.objective = fields.optional<std::string>("objective", "a name", "");
  trees.features = fields.required<std::vector<std::string>>("feature_names", "a list of names");
  trees.by_number = made_up(trees.features, "Column_");
  DumpReader reader(trees, name);
  for (const JsonFields& tree : fields.objects("tree_info", "a list of trees")) {
    const JsonFields checked = tree.object("tree_structure");
    reader.read_tree(checked.json());
  }
  if (fields.optional<bool>("average_output", "true or false", false) && trees.num_trees() > 0)
    for (TreeNode& node : trees.nodes)
      if (node.leaf()) node.value /= static_cast<double>(trees.num_trees());
  return trees;
}

}  // namespace dorm
