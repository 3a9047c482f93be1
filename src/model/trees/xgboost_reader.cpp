// SPDX-License-Identifier: Apache-2.0
// XGBoost's JSON and UBJSON. Its splits x < threshold and its categories that go right become ours.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr const char* kXgboostModel = "a usable XGBoost model";
constexpr const char* kLogistic[] = {"binary:logistic", "binary:logitraw", "reg:logistic"};
constexpr const char* kLogarithmic[] = {"count:poisson", "reg:gamma", "reg:tweedie", "survival:cox"};

/// Its numbers may be text, perhaps in brackets.
double number_of(const JsonFields& fields, const char* key, double fallback) {
  if (!fields.has(key)) return fallback;
  const Json& json = fields.json()[key];
  if (json.is_number()) return fields.required<double>(key, "a number");
  std::string text = fields.required<std::string>(key, "a number as text");
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fields.fail(key, "one number as text");
  return value;
}

/// The score to which trees are added, from the mean that it stands for.
double margin_of(double base_score, const std::string& objective) {
  for (const char* name : kLogistic)
    if (objective == name) return -std::log(1 / base_score - 1);
  for (const char* name : kLogarithmic)
    if (objective == name) return std::log(base_score);
  return base_score;
}

template <class T>
std::vector<T> list_of(const JsonFields& fields, const char* key, std::size_t count) {
  const Json& list = fields.list(key, "a list of numbers");
  if (list.size() != count) fields.fail(key, fmt::format("a list of {} numbers", count));
  std::vector<T> out;
  out.reserve(count);
  for (const Json& each : list) {
    if (!each.is_number() && !each.is_boolean()) fields.fail(key, "a list of numbers");
    const double value = each.is_boolean() ? static_cast<double>(each.get<bool>()) : each.get<double>();
    if (!(std::fabs(value) <= 4e38)) fields.fail(key, "a list of finite numbers in 32 bits");
    if constexpr (std::is_integral_v<T>)
      if (!(value >= -2147483648.0 && value <= 2147483647.0)) fields.fail(key, "a list of whole numbers in 32 bits");
    out.push_back(static_cast<T>(value));
  }
  return out;
}

class XgboostTree {
 public:
  XgboostTree(const JsonFields& fields, TreeEnsemble& trees, const std::string& name)
      : fields_(fields), trees_(trees), name_(name), size_(fields.list("left_children", "a list of numbers").size()) {}

  void read(double weight) {
    if (number_of(fields_.object("tree_param"), "size_leaf_vector", 1) > 1)
      refuse_kind(name_, "leaves of several numbers, one for each target", "a model of one score");
    const auto left = list_of<std::int32_t>(fields_, "left_children", size_);
    const auto right = list_of<std::int32_t>(fields_, "right_children", size_);
    const auto features = list_of<std::int32_t>(fields_, "split_indices", size_);
    const auto conditions = list_of<double>(fields_, "split_conditions", size_);
    const auto default_left = list_of<std::int32_t>(fields_, "default_left", size_);
    const auto covers = list_of<double>(fields_, "sum_hessian", size_);
    std::vector<std::int32_t> types(size_);
    if (fields_.has("split_type")) types = list_of<std::int32_t>(fields_, "split_type", size_);
    std::vector<TreeNode> nodes(size_);
    for (std::size_t k = 0; k < size_; ++k) {
      TreeNode& node = nodes[k];
      node.cover = std::max(0.0, covers[k]);
      node.left = left[k];
      node.right = right[k];
      if (node.leaf()) {
        node.right = TreeNode::kLeaf;
        node.value = static_cast<double>(static_cast<float>(conditions[k])) * weight;
        continue;
      }
      node.feature = static_cast<std::uint32_t>(features[k]);
      node.missing = MissingSplit::nan;
      node.default_left = default_left[k] != 0;
      node.value = types[k] == 0 ? threshold_below(conditions[k]) : 0;
      if (types[k] != 0) {  // its categories go right
        std::swap(node.left, node.right);
        node.default_left = !node.default_left;
      }
    }
    read_categories(nodes, types);
    append_tree(trees_, nodes, name_);
  }

 private:
  void read_categories(std::vector<TreeNode>& nodes, const std::vector<std::int32_t>& types) {
    if (!fields_.has("categories_nodes")) return;
    const std::size_t sets = fields_.list("categories_nodes", "a list of numbers").size();
    const auto of_nodes = list_of<std::int32_t>(fields_, "categories_nodes", sets);
    const auto begins = list_of<std::int32_t>(fields_, "categories_segments", sets);
    const auto sizes = list_of<std::int32_t>(fields_, "categories_sizes", sets);
    const auto all = list_of<std::int32_t>(fields_, "categories", fields_.list("categories", "a list").size());
    for (std::size_t s = 0; s < sets; ++s) {
      const auto begin = static_cast<std::int64_t>(begins[s]), end = begin + sizes[s];
      const bool in_range = of_nodes[s] >= 0 && static_cast<std::size_t>(of_nodes[s]) < nodes.size() && begin >= 0 &&
                            sizes[s] >= 0 && end <= static_cast<std::int64_t>(all.size());
      if (!in_range) fields_.fail("categories_nodes", "categories of nodes of the tree");
      std::vector<std::uint64_t> categories;
      for (std::int64_t k = begin; k < end; ++k) {
        if (all[static_cast<std::size_t>(k)] < 0) fields_.fail("categories", "categories from 0 on");
        categories.push_back(static_cast<std::uint64_t>(all[static_cast<std::size_t>(k)]));
      }
      const auto place = static_cast<std::size_t>(of_nodes[s]);
      nodes[place].categories = add_categories(trees_, category_set(categories, name_));
    }
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (!nodes[k].leaf() && (types[k] != 0) != (nodes[k].categories > 0))
        fields_.fail("split_type", "1 for the nodes that have categories, else 0");
  }

  const JsonFields& fields_;
  TreeEnsemble& trees_;
  const std::string& name_;
  std::size_t size_;
};

void take_features(TreeEnsemble& trees, const JsonFields& learner, const JsonFields& parameters,
                   const std::string& name) {
  trees.features = learner.optional<std::vector<std::string>>("feature_names", "a list of names", {});
  if (!trees.features.empty()) return;
  const double count = number_of(parameters, "num_feature", 0);
  if (!(count >= 0 && count <= static_cast<double>(TreeLimits::kFeatures)))
    parameters.fail("num_feature", "a number of features");
  number_features(trees, static_cast<std::size_t>(count), "f", name);
}

}  // namespace

TreeEnsemble read_xgboost(const Json& json, const std::string& name) {
  const JsonFields fields(json, name, kXgboostModel);
  const JsonFields learner = fields.object("learner"), parameters = learner.object("learner_model_param");
  TreeEnsemble trees;
  trees.library = "xgboost";
  if (number_of(parameters, "num_class", 0) > 1 || number_of(parameters, "num_target", 1) > 1)
    refuse_kind(name, "an XGBoost model of several classes or targets has a score for each of them",
                "a model of one score");
  trees.objective = learner.object("objective").optional<std::string>("name", "a name", "");
  trees.base =
      margin_of(static_cast<double>(static_cast<float>(number_of(parameters, "base_score", 0.5))), trees.objective);
  take_features(trees, learner, parameters, name);
  const JsonFields booster = learner.object("gradient_booster");
  const auto kind = booster.optional<std::string>("name", "a name", "gbtree");
  if (kind != "gbtree" && kind != "dart")
    refuse_kind(name, fmt::format("the booster {} has no trees", kind), "gbtree or dart");
  const bool dart = kind == "dart";
  const JsonFields model = (dart ? booster.object("gbtree") : booster).object("model");
  const std::vector<JsonFields> list = model.objects("trees", "a list of trees");
  const std::vector<double> weights =
      dart ? list_of<double>(booster, "weight_drop", list.size()) : std::vector<double>(list.size(), 1.0);
  for (std::size_t t = 0; t < list.size(); ++t)
    XgboostTree(list[t], trees, name).read(static_cast<double>(static_cast<float>(weights[t])));
  return trees;
}

}  // namespace dorm
