// SPDX-License-Identifier: Apache-2.0
// Trees as a TreeEnsembleRegressor of ONNX: thresholds and sums in float32.
#include "model/export/onnx_graph.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

ProtoMessage floats_attribute(std::string_view name, const std::vector<float>& values) {
  return named_attribute(name, kOnnxFloats)
      .bytes(7, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

/// The columns of the attribute "nodes_..." and "target_...", one entry for each node or leaf.
struct NodeLists {
  std::vector<std::uint64_t> tree, id, feature, left, right, missing_left, leaf_tree, leaf_id, target;
  std::vector<float> threshold, weight;
  ProtoMessage modes = named_attribute("nodes_modes", kOnnxStrings);
};

NodeLists lists_of_nodes(const TreeEnsemble& trees) {
  NodeLists out;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const std::uint64_t root = trees.roots[t];
    std::uint64_t id = 0;
    for (const TreeNode& node : trees.tree(t)) {
      const bool leaf = node.leaf();
      out.tree.push_back(t);
      out.id.push_back(id);
      out.feature.push_back(leaf ? 0 : node.feature);
      out.threshold.push_back(leaf ? 0.0F : single_threshold(node));
      out.left.push_back(leaf ? 0 : static_cast<std::uint64_t>(node.left) - root);
      out.right.push_back(leaf ? 0 : static_cast<std::uint64_t>(node.right) - root);
      out.missing_left.push_back(!leaf && missing_goes_left(node) ? 1 : 0);
      out.modes.bytes(9, leaf ? "LEAF" : "BRANCH_LEQ");
      if (leaf) {
        out.leaf_tree.push_back(t);
        out.leaf_id.push_back(id);
        out.target.push_back(0);
        out.weight.push_back(static_cast<float>(node.value));
      }
      ++id;
    }
  }
  return out;
}

}  // namespace

OnnxGraph::Value onnx_trees(OnnxGraph& graph, const Model& model, const OnnxGraph::Value& rows) {
  const TreeEnsemble& trees = model.trees->trees();
  const NodeLists lists = lists_of_nodes(trees);
  const std::vector<ProtoMessage> attributes = {
      named_attribute("n_targets", kOnnxInt).number(3, 1),
      named_attribute("aggregate_function", kOnnxString).bytes(4, "SUM"),
      floats_attribute("base_values", {static_cast<float>(trees.base)}),
      integers_attribute("nodes_treeids", lists.tree),
      integers_attribute("nodes_nodeids", lists.id),
      integers_attribute("nodes_featureids", lists.feature),
      integers_attribute("nodes_truenodeids", lists.left),
      integers_attribute("nodes_falsenodeids", lists.right),
      integers_attribute("nodes_missing_value_tracks_true", lists.missing_left),
      floats_attribute("nodes_values", lists.threshold),
      lists.modes,
      integers_attribute("target_treeids", lists.leaf_tree),
      integers_attribute("target_nodeids", lists.leaf_id),
      integers_attribute("target_ids", lists.target),
      floats_attribute("target_weights", lists.weight),
  };
  const OnnxGraph::Value scores = graph.learning_node("TreeEnsembleRegressor", rows, attributes);
  const std::int64_t column[] = {1};
  return graph.cast(graph.node("Squeeze", {scores, graph.integers(column)}), OnnxGraph::kDouble);
}

}  // namespace dorm
