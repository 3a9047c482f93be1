// SPDX-License-Identifier: Apache-2.0
// A graph of ONNX in plain operators and in double, so that every runtime has them and digits stay: X, the features of
// documents as float32 in the model's order, becomes their scores. A scaling within queries takes the documents of one
// query per call. The order of a product's sums is the runtime's.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "base/json.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"
#include "model/export/onnx_kernel.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

using Value = OnnxGraph::Value;

/// These columns of X in double, with the defaults of missing values.
Value taken(OnnxGraph& graph, const Model& model, std::span<const std::int64_t> columns) {
  const bool all = columns.size() == model.features.size() && std::is_sorted(columns.begin(), columns.end());
  const Value picked =
      all ? Value(OnnxGraph::kInput)
          : graph.node("Gather", {OnnxGraph::kInput, graph.integers(columns)}, {{.name = "axis", .number = 1}});
  Value x = graph.cast(picked, OnnxGraph::kDouble);
  if (!fills_gaps(model)) return x;
  std::vector<double> fill;
  for (const std::int64_t column : columns)
    fill.push_back(value_where_missing(model, static_cast<std::size_t>(column)));
  const Value finite =
      graph.node("LessOrEqual", {graph.node("Abs", {x}), graph.number(std::numeric_limits<float>::max())});
  return graph.node("Where", {finite, x, graph.doubles(fill)});  // not finite: NaN too
}

/// sign(x) ln(1 + |x|). There is no log1p: 1 + |x| is rounded, and the quotient |x| / ((1 + |x|) - 1) makes up for it.
Value signed_logarithms(OnnxGraph& graph, const Value& x) {
  const Value size = graph.node("Abs", {x}), one = graph.number(1);
  const Value sum = graph.node("Add", {size, one});
  const Value added = graph.node("Sub", {sum, one});
  const Value exact = graph.node("Mul", {graph.node("Log", {sum}), graph.node("Div", {size, added})});
  const Value lost = graph.node("Equal", {added, graph.number(0)});
  return graph.node("Mul", {graph.node("Where", {lost, size, exact}), graph.node("Sign", {x})});
}

Value of_column(OnnxGraph& graph, std::string_view op, const Value& x) {
  return graph.node(op, {x}, {{.name = "axes", .number = 0, .list = true}, {.name = "keepdims", .number = 1}});
}

/// By the documents at hand, as dorm/data/scale.h defines it; a constant feature becomes 0. Whether it is constant is
/// seen before logarithms are taken: runtimes may round those of equal numbers differently.
Value scaled_by_each_other(OnnxGraph& graph, const Value& features, ScalingKind kind) {
  const Value low = of_column(graph, "ReduceMin", features), high = of_column(graph, "ReduceMax", features);
  const bool range = uses_range(kind);
  const Value x = takes_logarithm(kind) ? signed_logarithms(graph, features) : features;
  const Value away = graph.node("Sub", {x, range ? low : of_column(graph, "ReduceMean", x)});
  const Value width = range ? graph.node("Sub", {high, low})
                            : graph.node("Sqrt", {of_column(graph, "ReduceMean", graph.node("Mul", {away, away}))});
  const Value zero = graph.number(0);
  const Value varies = graph.node("And", {graph.node("Greater", {high, low}), graph.node("Greater", {width, zero})});
  return graph.node("Where", {varies, graph.node("Div", {away, width}), zero});
}

/// The model's scaled features, rounded to float32 as kernels take them.
Value rows_of_kernel(OnnxGraph& graph, const Model& model) {
  std::vector<std::int64_t> columns(model.features.size());
  std::iota(columns.begin(), columns.end(), 0);
  Value x = taken(graph, model, columns);
  if (model.scaling.kind == ScalingKind::none) return x;
  if (model.scaling.per_query()) {
    x = scaled_by_each_other(graph, x, model.scaling.kind);
  } else {
    if (takes_logarithm(model.scaling.kind)) x = signed_logarithms(graph, x);
    x = graph.node("Sub", {x, graph.doubles(model.scaling.shift)});
    x = graph.node("Mul", {x, graph.doubles(model.scaling.factor)});
  }
  constexpr double kLargest = std::numeric_limits<float>::max();
  x = graph.node("Clip", {x, graph.number(-kLargest), graph.number(kLargest)});
  return graph.cast(graph.cast(x, OnnxGraph::kFloat), OnnxGraph::kDouble);
}

Value linear_scores_of(OnnxGraph& graph, const Model& model, const ServedModel& served) {
  std::vector<ServedModel::Term> terms = served.terms;
  if (terms.empty()) terms.push_back({.feature = 0, .weight = 0});  // scores have to come from the documents
  std::vector<std::int64_t> columns;
  std::vector<double> weights, shifts;
  for (const ServedModel::Term& term : terms) {
    columns.push_back(static_cast<std::int64_t>(term.feature));
    weights.push_back(term.weight);
    shifts.push_back(term.shift);
  }
  Value x = taken(graph, model, columns);
  if (served.within_query != ScalingKind::none)
    x = scaled_by_each_other(graph, x, served.within_query);
  else if (served.logarithms)
    x = signed_logarithms(graph, x);
  if (has_scaling(served)) x = graph.node("Sub", {x, graph.doubles(shifts)});
  x = graph.node("MatMul", {x, graph.doubles(weights)});
  return served.constant == 0 ? x : graph.node("Add", {x, graph.number(served.constant)});
}

/// The origin of features and scores, for readers of the file.
std::vector<std::pair<std::string, std::string>> onnx_properties(const Model& model, const ExportOptions& options) {
  Json names = Json::array();
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string_view name = spelling(model, options, j);
    code_points("onnx", name);
    names.push_back(name);
  }
  std::vector<std::pair<std::string, std::string>> properties = {
      {"features", json_text(names)},
      {"measure", model.measure},
      {"convention", model.convention},
      {"scaling", std::string(name_of(model.scaling.kind))},
      {"fingerprint", fmt::format("{:016x}", model.data.fingerprint)},
      {"dorm", DORM_VERSION}};
  if (model.kernel) properties.emplace_back("kernel", model.kernel->kernel);
  return properties;
}

}  // namespace

Exported export_onnx(const Model& model, const ExportOptions& options) {
  OnnxGraph graph;
  ServedModel served;
  Value scores;
  if (model.trees) {
    require_splits(model, "onnx", false, false);
    served = served_trees(model, {.single = true});
    scores = onnx_trees(graph, model);
  } else if (model.kernel) {
    const auto expansion = std::make_shared<const OnnxKernel>(model);
    scores = expansion->write(graph, rows_of_kernel(graph, model));
    served.scores = [expansion](const Dataset& data) { return expansion->scores(data); };
  } else {
    // A division by one number in front of a product is made a factor of float32 by onnxruntime.
    served = in_doubles(model, options);
    divide_weights(served);
    scores = linear_scores_of(graph, model, served);
  }
  Exported exported = one_file(graph.file(options.name, model.features.size(), scores, onnx_properties(model, options)),
                               std::move(served));
  if (model.scaling.per_query())
    exported.notes.push_back("one call takes the documents of one query, which are scaled by each other");
  return exported;
}

}  // namespace dorm
