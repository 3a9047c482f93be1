// SPDX-License-Identifier: Apache-2.0
// CatBoost's JSON: oblivious trees, all nodes of a level splitting alike, or nested ones.
#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr const char* kCatboostModel = "a usable CatBoost model";

struct FloatFeature {
  std::uint32_t column = 0;
  bool missing_right = false;
};

class CatboostReader {
 public:
  CatboostReader(TreeEnsemble& trees, const std::string& name) : trees_(trees), name_(name) {}

  void read_features(const JsonFields& info) {
    std::vector<std::string> names;
    std::vector<bool> named;
    const auto add = [&](const JsonFields& feature) {
      const auto column = feature.required<std::uint64_t>("flat_feature_index", "a whole number");
      if (column >= TreeLimits::kFeatures) feature.fail("flat_feature_index", "the number of a column");
      if (column >= names.size()) names.resize(column + 1);
      names[column] = feature.optional<std::string>("feature_id", "a name", "");
      return static_cast<std::uint32_t>(column);
    };
    if (info.has("float_features") && !info.json()["float_features"].is_null())
      for (const JsonFields& feature : info.objects("float_features", "a list of features")) {
        const auto treatment = feature.optional<std::string>("nan_value_treatment", "a name", "AsIs");
        floats_.push_back({add(feature), treatment == "AsTrue"});
        if (feature.required<std::uint64_t>("feature_index", "a whole number") != floats_.size() - 1)
          feature.fail("feature_index", "the place of the feature in the list");
      }
    if (info.has("categorical_features") && !info.json()["categorical_features"].is_null())
      for (const JsonFields& feature : info.objects("categorical_features", "a list of features")) add(feature);
    if (std::all_of(names.begin(), names.end(), [](const std::string& each) { return each.empty(); }) ||
        made_up(names, ""))
      return number_features(trees_, names.size(), "f", name_);
    for (std::size_t j = 0; j < names.size(); ++j)
      if (names[j].empty()) names[j] = fmt::format("f{}", j);
    trees_.features = std::move(names);
  }

  void read_oblivious(const JsonFields& tree, double scale) {
    const auto values = tree.required<std::vector<double>>("leaf_values", "a list of numbers");
    const auto weights = tree.optional<std::vector<double>>("leaf_weights", "a list of numbers", {});
    std::vector<JsonFields> splits;
    if (tree.has("splits") && !tree.json()["splits"].is_null()) splits = tree.objects("splits", "a list of splits");
    if (splits.size() > 31 || values.size() != std::size_t{1} << splits.size())
      refuse_kind(name_, fmt::format("a tree of {} splits has {} leaf values", splits.size(), values.size()),
                  "one for each leaf: a model of one score");
    const std::size_t inner = values.size() - 1;
    std::vector<TreeNode> nodes(inner + values.size());
    for (std::size_t level = 0, first = 0; level < splits.size(); ++level, first = 2 * first + 1) {
      const TreeNode split = read_split(splits[splits.size() - 1 - level]);  // the last one has the highest bit
      for (std::size_t k = first; k < 2 * first + 1; ++k) {
        nodes[k] = split;
        nodes[k].left = static_cast<std::int32_t>(2 * k + 1);
        nodes[k].right = static_cast<std::int32_t>(2 * k + 2);
      }
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      nodes[inner + k].value = scale * values[k];
      if (weights.size() == values.size()) nodes[inner + k].cover = weights[k];
    }
    for (std::size_t k = inner; k-- > 0;) nodes[k].cover = nodes[2 * k + 1].cover + nodes[2 * k + 2].cover;
    append_tree(trees_, nodes, name_);
  }

  void read_nested(const Json& root, double scale) {
    std::vector<TreeNode> nodes(1);
    std::vector<std::pair<const Json*, std::size_t>> open = {{&root, 0}};
    while (!open.empty()) {
      const auto [json, place] = open.back();
      open.pop_back();
      const JsonFields fields(*json, name_, kCatboostModel, "node.");
      if (fields.has("value")) {
        if (!fields.json()["value"].is_number())
          refuse_kind(name_, "leaves of several numbers, one for each class", "a model of one score");
        nodes[place].value = scale * fields.required<double>("value", "a number");
        nodes[place].cover = fields.optional<double>("weight", "a number", 0);
        continue;
      }
      const TreeNode split = read_split(fields.object("split"));
      nodes[place] = split;
      for (const char* key : {"left", "right"}) {
        if (!fields.has(key)) fields.fail(key, "a node");
        (key[0] == 'l' ? nodes[place].left : nodes[place].right) = static_cast<std::int32_t>(nodes.size());
        open.emplace_back(&(*json)[key], nodes.size());
        nodes.emplace_back();
      }
    }
    for (std::size_t k = nodes.size(); k-- > 0;)
      if (!nodes[k].leaf())
        nodes[k].cover = nodes[static_cast<std::size_t>(nodes[k].left)].cover +
                         nodes[static_cast<std::size_t>(nodes[k].right)].cover;
    append_tree(trees_, nodes, name_);
  }

 private:
  TreeNode read_split(const JsonFields& split) const {
    const auto type = split.optional<std::string>("split_type", "a name", "FloatFeature");
    if (type != "FloatFeature")
      refuse_kind(name_,
                  fmt::format("splits by {}, which need CatBoost's own hashes and statistics of categories", type),
                  "a model of numeric features");
    const auto feature = split.required<std::uint64_t>("float_feature_index", "a whole number");
    if (feature >= floats_.size()) split.fail("float_feature_index", "the number of a feature");
    TreeNode node;
    node.feature = floats_[feature].column;
    node.missing = MissingSplit::nan;
    node.default_left = !floats_[feature].missing_right;
    node.value = static_cast<double>(static_cast<float>(split.required<double>("border", "a number")));
    return node;
  }

  TreeEnsemble& trees_;
  const std::string& name_;
  std::vector<FloatFeature> floats_;
};

/// [scale, bias], the bias perhaps in a list.
std::pair<double, double> scale_and_bias(const JsonFields& fields, const std::string& name) {
  if (!fields.has("scale_and_bias")) return {1, 0};
  const Json& pair = fields.list("scale_and_bias", "a scale and a bias");
  if (pair.size() == 2 && pair[1].is_array() && pair[1].size() > 1)
    refuse_kind(name, "a CatBoost model of several classes or targets has a score for each of them",
                "a model of one score");
  const auto single = [](const Json& json) { return json.is_array() && json.size() == 1 ? json[0] : json; };
  if (pair.size() != 2 || !pair[0].is_number() || !single(pair[1]).is_number())
    fields.fail("scale_and_bias", "a scale and one bias");
  return {pair[0].get<double>(), single(pair[1]).get<double>()};
}

}  // namespace

TreeEnsemble read_catboost(const Json& json, const std::string& name) {
  const JsonFields fields(json, name, kCatboostModel);
  TreeEnsemble trees;
  trees.library = "catboost";
  CatboostReader reader(trees, name);
  reader.read_features(fields.object("features_info"));
  const auto [scale, bias] = scale_and_bias(fields, name);
  trees.base = bias;
  if (fields.has("oblivious_trees")) {
    for (const JsonFields& tree : fields.objects("oblivious_trees", "a list of trees"))
      reader.read_oblivious(tree, scale);
    return trees;
  }
  for (const JsonFields& tree : fields.objects("trees", "a list of trees")) reader.read_nested(tree.json(), scale);
  return trees;
}

}  // namespace dorm
