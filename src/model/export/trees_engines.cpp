// SPDX-License-Identifier: Apache-2.0
// Trees for search engines: RankLib's XML, the plugin of Elasticsearch and OpenSearch, Solr. They compute in float32
// and know no missing values: what a document lacks is 0.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "dorm/error.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr float kSolrSlack = 1e-6F;  // that Solr adds to every threshold

ServedModel served_by_engine(const Model& model) {
  return served_trees(model, {.single = true, .missing_is_zero = true, .pruned = model.trees->trees().base});
}

void note_zeros(Exported& exported, const Model& model, std::string_view engine) {
  for (const TreeNode& node : model.trees->trees().nodes)
    if (!node.leaf() && node.missing == MissingSplit::nan && node.default_left != (0 <= node.value)) {
      exported.notes.push_back(fmt::format(
          "{} takes a feature that a document lacks for 0, where the model has a direction of its own for it", engine));
      return;
    }
}

/// XML of one node.
void append_split(const TreeEnsemble& trees, std::size_t k, std::string_view side, std::span<const std::string> names,
                  std::string& out) {
  const TreeNode& node = trees.nodes[k];
  out += side.empty() ? std::string("<split>") : fmt::format("<split pos=\"{}\">", side);
  if (node.leaf()) {
    out += fmt::format("<output>{}</output>", static_cast<float>(node.value));
  } else {
    out += fmt::format("<feature>{}</feature><threshold>{}</threshold>", names[node.feature], single_threshold(node));
    append_split(trees, static_cast<std::size_t>(node.left), "left", names, out);
    append_split(trees, static_cast<std::size_t>(node.right), "right", names, out);
  }
  out += "</split>";
}

/// The plugin sends x < split_condition to "yes".
Json plugin_node(const Model& model, const ExportOptions& options, std::size_t k, std::string_view target) {
  const TreeEnsemble& trees = model.trees->trees();
  const TreeNode& node = trees.nodes[k];
  if (node.leaf()) return {{"nodeid", k}, {"leaf", single_decimal(node.value)}};
  const float above = std::nextafterf(single_threshold(node), std::numeric_limits<float>::infinity());
  Json children = Json::array();
  for (const std::int32_t child : {node.left, node.right})
    children.push_back(plugin_node(model, options, static_cast<std::size_t>(child), target));
  return {{"nodeid", k},
          {"split", json_name(target, spelling(model, options, node.feature))},
          {"split_condition", single_decimal(static_cast<double>(above))},
          {"yes", node.left},
          {"no", node.right},
          {"missing", missing_goes_left(node) ? node.left : node.right},
          {"children", std::move(children)}};
}

/// Whose sum with the slack, in float32, is the threshold; the nearest where none is.
float without_slack(float threshold) {
  float guess = threshold - kSolrSlack;
  for (int step = 0; step < 4 && guess + kSolrSlack > threshold; ++step)
    guess = std::nextafterf(guess, -std::numeric_limits<float>::infinity());
  for (int step = 0; step < 4; ++step) {
    const float next = std::nextafterf(guess, std::numeric_limits<float>::infinity());
    if (next + kSolrSlack > threshold) break;
    guess = next;
  }
  return guess;
}

Json solr_node(const Model& model, const ExportOptions& options, std::size_t k) {
  const TreeEnsemble& trees = model.trees->trees();
  const TreeNode& node = trees.nodes[k];
  if (node.leaf()) return {{"value", fmt::format("{}", static_cast<float>(node.value))}};
  return {{"feature", json_name("solr", spelling(model, options, node.feature))},
          {"threshold", fmt::format("{}", without_slack(single_threshold(node)))},
          {"left", solr_node(model, options, static_cast<std::size_t>(node.left))},
          {"right", solr_node(model, options, static_cast<std::size_t>(node.right))}};
}

void refuse_non_negative(const ExportOptions& options) {
  if (options.non_negative)
    throw Error(ErrorCode::unsupported, "scores of trees are what they are; expected no shift of them");
}

}  // namespace

Exported export_trees_ranklib(const Model& model, const ExportOptions& options) {
  refuse_non_negative(options);
  require_splits(model, "ranklib", false, false);
  const TreeEnsemble& trees = model.trees->trees();
  std::vector<std::string> names;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string name = trees.by_number ? std::to_string(j + 1) : std::string(spelling(model, options, j));
    if (model.trees->used()[j] && (name.empty() || name.size() > 9 ||
                                   name.find_first_not_of("0123456789") != std::string::npos || name[0] == '0'))
      refuse_name("ranklib", name, "RankLib numbers features from 1");
    names.push_back(name);
  }
  std::string text = fmt::format("## LambdaMART\n## No. of trees = {}\n## No. of leaves = {}\n\n<ensemble>\n",
                                 trees.num_trees(), (trees.nodes.size() + trees.num_trees()) / 2);
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    text += fmt::format("<tree id=\"{}\" weight=\"1.0\">", t + 1);
    append_split(trees, trees.roots[t], "", names, text);
    text += "</tree>\n";
  }
  Exported exported = one_file(text + "</ensemble>\n", served_by_engine(model));
  note_zeros(exported, model, "RankLib");
  return exported;
}

Exported export_trees_plugin(const Model& model, const ExportOptions& options, std::string_view target) {
  refuse_non_negative(options);
  require_splits(model, target, false, false);
  const TreeEnsemble& trees = model.trees->trees();
  Json list = Json::array();
  for (const std::uint32_t root : trees.roots) list.push_back(plugin_node(model, options, root, target));
  const Json body = {{"model",
                      {{"name", json_name(target, options.name)},
                       {"model", {{"type", "model/xgboost+json"}, {"definition", json_text(list)}}}}}};
  Exported exported = one_file(json_text(body, 2) + "\n", served_by_engine(model));
  note_zeros(exported, model, target);
  return exported;
}

Exported export_trees_solr(const Model& model, const ExportOptions& options) {
  refuse_non_negative(options);
  require_splits(model, "solr", false, false);
  const TreeEnsemble& trees = model.trees->trees();
  Json features = Json::array(), store = Json::array(), list = Json::array();
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    if (!model.trees->used()[j]) continue;
    const Json name = json_name("solr", spelling(model, options, j));
    features.push_back({{"name", name}});
    store.push_back({{"store", "_DEFAULT_"},
                     {"name", name},
                     {"class", "org.apache.solr.ltr.feature.FieldValueFeature"},
                     {"params", {{"field", name}}}});
  }
  for (const std::uint32_t root : trees.roots)
    list.push_back({{"weight", "1"}, {"root", solr_node(model, options, root)}});
  const Json solr = {{"store", "_DEFAULT_"},
                     {"name", json_name("solr", options.name)},
                     {"class", "org.apache.solr.ltr.model.MultipleAdditiveTreesModel"},
                     {"features", std::move(features)},
                     {"params", {{"trees", std::move(list)}}}};
  Exported exported = one_file(json_text(solr, 2) + "\n", served_by_engine(model));
  exported.features = json_text(store, 2) + "\n";
  note_zeros(exported, model, "Solr");
  return exported;
}

}  // namespace dorm
