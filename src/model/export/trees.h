// SPDX-License-Identifier: Apache-2.0
// Ensembles of trees in the formats of other tools, and what they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/export/formats.h"
#include "model/export/onnx_graph.h"
#include "model/trees/tree_scorer.h"

namespace dorm {

/// The model of trees with the same scores as one with curves, of unscaled features. Throws Error(unsupported) for
/// curves of lines, a feature that has a line, and a scaling within queries.
Model trees_of_curves(const Model& model, std::string_view target);

/// What a target makes of trees that this library does not.
struct ServedTrees {
  bool single = false;           // sums in float32
  bool missing_is_zero = false;  // a feature that a document lacks is 0
  double pruned = 0;             // the base, where the target has no place for it
};
ServedModel served_trees(const Model& model, const ServedTrees& as);

/// Refuses splits that the target has no words for: categories, or a 0 that counts as missing.
void require_splits(const Model& model, std::string_view target, bool categories, bool zeros);

/// Whether a missing value goes left at the node; what it counts as where the node does not say.
bool missing_goes_left(const TreeNode& node);

/// The threshold as the largest float32 that goes left.
float single_threshold(const TreeNode& node);

/// What export_c() and export_python() write instead of functions over terms.
std::string c_tree_functions(const Model& model, const std::string& name);
std::string python_tree_functions(const Model& model);
/// The scores of rows of float32 as a value of the graph.
OnnxGraph::Value onnx_trees(OnnxGraph& graph, const Model& model, const OnnxGraph::Value& rows);
/// An expression of SQL; `columns` are expressions by feature, NULL where it is missing.
std::string sql_of_trees(const Model& model, const std::vector<std::string>& columns);
/// A MiningModel of PMML; names are quoted. `output`: its element, or nothing.
std::string pmml_of_trees(const Model& model, const std::vector<std::string>& fields, std::string_view name,
                          std::string_view output);

Exported export_trees_ranklib(const Model& model, const ExportOptions& options);
Exported export_trees_solr(const Model& model, const ExportOptions& options);
Exported export_trees_plugin(const Model& model, const ExportOptions& options, std::string_view target);

}  // namespace dorm
