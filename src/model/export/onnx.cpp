// SPDX-License-Identifier: Apache-2.0
// A graph of ONNX in plain operators and in double, so that every runtime has them and digits stay: X, the features of
// documents as float32 in the model's order, becomes their scores. A column of categories is an input of text of its
// own. A scaling within queries takes the documents of one query per call, and so do gaps that become the smallest
// value of the query. The order of a product's sums is the runtime's.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "base/json.h"
#include "base/number.h"
#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"
#include "model/export/onnx_kernel.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

using Value = OnnxGraph::Value;

constexpr double kLargestFloat = std::numeric_limits<float>::max();

Value of_column(OnnxGraph& graph, std::string_view op, const Value& x) {
  return graph.node(op, {x}, {{.name = "axes", .number = 0, .list = true}, {.name = "keepdims", .number = 1}});
}

/// Not so: NaN too.
Value is_finite(OnnxGraph& graph, const Value& x) {
  return graph.node("LessOrEqual", {graph.node("Abs", {x}), graph.number(kLargestFloat)});
}

/// The name of an input of text: letters, digits and underscores.
std::string input_name(std::string_view column, std::set<std::string, std::less<>>& taken) {
  std::string name;
  for (const char c : column) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
    name += word ? c : '_';
  }
  return new_name(name.empty() || is_digit(name[0]) ? "column_" + name : name, taken);
}

/// The features of documents, of X and of the inputs of text.
class OnnxRows {
 public:
  OnnxRows(OnnxGraph& graph, const Model& model, const ExportOptions& options)
      : graph_(graph), model_(&model), options_(options), place_(model.features.size()) {
    const EncodedFeatures encoded(model, options);
    for (std::size_t j = 0; j < model.features.size(); ++j) {
      const std::optional<EncodedFeature>& made = encoded.by_feature[j];
      if (made && made->encoding->rule != Encode::boolean) continue;
      place_[j] = static_cast<std::int64_t>(features.size());
      features.push_back(j);
    }
    if (!features.empty()) x_ = graph.input(OnnxGraph::kInput, OnnxGraph::kFloat, features.size());
    if (features.size() == model.features.size()) return;
    std::int64_t width = static_cast<std::int64_t>(features.size());
    std::vector<Value> blocks;
    if (!features.empty()) blocks.push_back(graph.cast(x_, OnnxGraph::kDouble));
    for (const EncodedFeatures::Rule& rule : encoded.rules) {
      if (rule.encoding->rule == Encode::boolean) continue;
      blocks.push_back(rule.encoding->rule == Encode::indicator ? gaps_of(marked_feature(model, *rule.encoding))
                                                                : places_of(rule));
      for (const std::size_t feature : rule.features)
        if (feature != EncodedFeatures::kNone) place_[feature] = width++;
    }
    x_ = graph.node("Concat", std::span<const Value>(blocks), std::span(&kColumns, 1));
    assembled_ = true;
  }

  /// These features in double, or all of them, with the defaults of missing values.
  Value taken(std::span<const std::int64_t> wanted) const {
    std::vector<std::int64_t> places;
    for (const std::int64_t feature : wanted) places.push_back(place_[static_cast<std::size_t>(feature)]);
    bool whole = !assembled_ && places.size() == place_.size();
    for (std::size_t k = 0; whole && k < places.size(); ++k) whole = places[k] == static_cast<std::int64_t>(k);
    const Value picked =
        whole ? x_ : graph_.node("Gather", {x_, graph_.integers(places)}, {{.name = "axis", .number = 1}});
    return filled(assembled_ ? picked : graph_.cast(picked, OnnxGraph::kDouble), wanted);
  }
  Value taken() const {
    std::vector<std::int64_t> all(model_->features.size());
    std::iota(all.begin(), all.end(), 0);
    return taken(all);
  }

  /// All of them as float32.
  Value single() const {
    const bool given =
        !assembled_ && !std::any_of(features.begin(), features.end(), [&](std::size_t j) { return fills(j); });
    return given ? x_ : graph_.cast(taken(), OnnxGraph::kFloat);
  }

  bool takes_query_minima() const {
    for (const std::size_t j : features)
      if (takes_query_minimum(*model_, j, options_)) return true;
    return false;
  }

  /// 1 where these features are missing, else 0.
  Value gaps(std::span<const std::int64_t> wanted) const {
    std::vector<std::int64_t> places;
    for (const std::int64_t feature : wanted) places.push_back(place_[static_cast<std::size_t>(feature)]);
    const Value x = graph_.node("Gather", {x_, graph_.integers(places)}, {kColumns});
    return graph_.cast(graph_.node("Not", {is_finite(graph_, graph_.cast(x, OnnxGraph::kDouble))}), OnnxGraph::kDouble);
  }

  /// The same rows as a part of a sum sees them, which has rules of its own for missing values.
  OnnxRows of_part(const Model& part) const {
    OnnxRows rows = *this;
    rows.model_ = &part;
    return rows;
  }

  std::vector<std::size_t> features;          // the columns of X
  std::map<std::string, std::string> inputs;  // of text: the column that each is

 private:
  static constexpr OnnxGraph::Attribute kColumns{.name = "axis", .number = 1};

  /// 1 where a number is missing.
  Value gaps_of(std::size_t feature) {
    const std::int64_t place[] = {place_[feature]};
    const Value x = graph_.node("Gather", {OnnxGraph::kInput, graph_.integers(place)}, {kColumns});
    return graph_.cast(graph_.node("Not", {is_finite(graph_, graph_.cast(x, OnnxGraph::kDouble))}), OnnxGraph::kDouble);
  }

  /// 1 in the column of the value that a text is.
  Value places_of(const EncodedFeatures::Rule& rule) {
    const ColumnEncoding& encoding = *rule.encoding;
    const std::string name = input_name(encoding.column, names_);
    inputs.emplace(name, encoding.column);
    ProtoMessage keys = named_attribute("keys_strings", kOnnxStrings);
    std::vector<std::uint64_t> places;
    for (std::size_t k = 0; k < encoding.values.size(); ++k) {
      code_points("onnx", encoding.values[k]);
      keys.bytes(9, encoding.values[k]);
      places.push_back(k);
    }
    const std::uint64_t other = encoding.others ? encoding.values.size() : ~std::uint64_t{0};
    if (places.empty()) {  // there has to be a key
      keys.bytes(9, "");
      places.push_back(other);
    }
    const ProtoMessage attributes[] = {keys, integers_attribute("values_int64s", places),
                                       named_attribute("default_int64", kOnnxInt).number(3, other)};
    const Value place = graph_.learning_node("LabelEncoder", graph_.input(name, OnnxGraph::kText, 1), attributes);
    std::vector<std::int64_t> wanted;
    for (std::size_t k = 0; k < rule.features.size(); ++k)
      if (rule.features[k] != EncodedFeatures::kNone) wanted.push_back(static_cast<std::int64_t>(k));
    return graph_.cast(graph_.node("Equal", {place, graph_.integers(wanted)}), OnnxGraph::kDouble);
  }

  bool fills(std::size_t feature) const {
    return may_lack(*model_, feature) && (model_->curves || model_->data.input.missing != Missing::keep);
  }

  Value filled(const Value& x, std::span<const std::int64_t> wanted) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> fill, limits;
    bool gaps = false, minima = false;
    for (const std::int64_t each : wanted) {
      const auto feature = static_cast<std::size_t>(each);
      const bool lacks = fills(feature);
      const bool minimum = takes_query_minimum(*model_, feature, options_);
      fill.push_back(lacks ? value_where_missing(*model_, feature) : std::numeric_limits<double>::quiet_NaN());
      limits.push_back(minimum ? kLargestFloat : -kInfinity);
      gaps |= lacks;
      minima |= minimum;
    }
    if (!gaps) return x;
    const Value finite = is_finite(graph_, x);
    Value value = graph_.doubles(fill);
    if (minima) {
      const Value lowest = of_column(graph_, "ReduceMin", graph_.node("Where", {finite, x, graph_.number(kInfinity)}));
      const Value known = graph_.node("LessOrEqual", {lowest, graph_.doubles(limits)});
      value = graph_.node("Where", {known, lowest, value});
    }
    return graph_.node("Where", {finite, x, value});
  }

  OnnxGraph& graph_;
  const Model* model_;
  const ExportOptions& options_;
  std::vector<std::int64_t> place_;  // of each feature, among the columns of x_
  Value x_;
  bool assembled_ = false;  // of several inputs, in double
  std::set<std::string, std::less<>> names_ = {OnnxGraph::kInput, OnnxGraph::kOutput};
};

/// sign(x) ln(1 + |x|). There is no log1p: 1 + |x| is rounded, and the quotient |x| / ((1 + |x|) - 1) makes up for it.
Value signed_logarithms(OnnxGraph& graph, const Value& x) {
  const Value size = graph.node("Abs", {x}), one = graph.number(1);
  const Value sum = graph.node("Add", {size, one});
  const Value added = graph.node("Sub", {sum, one});
  const Value exact = graph.node("Mul", {graph.node("Log", {sum}), graph.node("Div", {size, added})});
  const Value lost = graph.node("Equal", {added, graph.number(0)});
  return graph.node("Mul", {graph.node("Where", {lost, size, exact}), graph.node("Sign", {x})});
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
Value rows_of_kernel(OnnxGraph& graph, const Model& model, const OnnxRows& rows) {
  Value x = rows.taken();
  if (model.scaling.kind == ScalingKind::none) return x;
  if (model.scaling.per_query()) {
    x = scaled_by_each_other(graph, x, model.scaling.kind);
  } else {
    if (takes_logarithm(model.scaling.kind)) x = signed_logarithms(graph, x);
    x = graph.node("Sub", {x, graph.doubles(model.scaling.shift)});
    x = graph.node("Mul", {x, graph.doubles(model.scaling.factor)});
  }
  x = graph.node("Clip", {x, graph.number(-kLargestFloat), graph.number(kLargestFloat)});
  return graph.cast(graph.cast(x, OnnxGraph::kFloat), OnnxGraph::kDouble);
}

Value linear_scores_of(OnnxGraph& graph, const OnnxRows& rows, const ServedModel& served) {
  std::vector<ServedModel::Term> terms;
  std::vector<std::int64_t> lacking;
  std::vector<double> gaps;
  for (const ServedModel::Term& term : served.terms) {
    if (term.part != ServedModel::Part::gap) {
      terms.push_back(term);
      continue;
    }
    lacking.push_back(static_cast<std::int64_t>(term.feature));
    gaps.push_back(term.weight);
  }
  if (terms.empty()) terms.push_back({.feature = 0, .weight = 0});  // scores have to come from the documents
  std::vector<std::int64_t> columns;
  std::vector<double> weights, shifts, low, high;
  for (const ServedModel::Term& term : terms) {
    columns.push_back(static_cast<std::int64_t>(term.feature));
    weights.push_back(term.weight);
    shifts.push_back(term.shift);
    low.push_back(term.low);
    high.push_back(term.high);
  }
  Value x = rows.taken(columns);
  if (served.within_query != ScalingKind::none)
    x = scaled_by_each_other(graph, x, served.within_query);
  else if (served.logarithms)
    x = signed_logarithms(graph, x);
  if (has_held_terms(served)) x = graph.node("Min", {graph.node("Max", {x, graph.doubles(low)}), graph.doubles(high)});
  if (has_scaling(served)) x = graph.node("Sub", {x, graph.doubles(shifts)});
  x = graph.node("MatMul", {x, graph.doubles(weights)});
  if (!gaps.empty()) x = graph.node("Add", {x, graph.node("MatMul", {rows.gaps(lacking), graph.doubles(gaps)})});
  return served.constant == 0 ? x : graph.node("Add", {x, graph.number(served.constant)});
}

/// The origin of features and scores, for readers of the file.
std::vector<std::pair<std::string, std::string>> onnx_properties(const Model& model, const ExportOptions& options,
                                                                 const OnnxRows& rows) {
  Json names = Json::array();
  for (const std::size_t j : rows.features) {
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
  if (!rows.inputs.empty()) properties.emplace_back("columns", json_text(Json(rows.inputs)));
  if (model.kernel) properties.emplace_back("kernel", model.kernel->kernel);
  return properties;
}

/// The scores of a model, and in `served` how they are computed.
Value scores_of(OnnxGraph& graph, const Model& model, const OnnxRows& rows, const ExportOptions& options,
                ServedModel& served) {
  if (model.kind() == Model::Kind::sum) {
    Value sum;
    for (const ModelPart& part : model.parts) {
      const Value own = scores_of(graph, *part.ranker, rows.of_part(*part.ranker), options, served);
      sum = sum.empty() ? own : graph.node("Add", {sum, own});
    }
    served = {};
    return sum;
  }
  if (model.trees) {
    require_splits(model, "onnx", false, false);
    served = served_trees(model, {.single = true});
    return onnx_trees(graph, model, rows.single());
  }
  if (model.kernel) {
    const auto expansion = std::make_shared<const OnnxKernel>(model);
    served.scores = [expansion](const Dataset& data) { return expansion->scores(data); };
    return expansion->write(graph, rows_of_kernel(graph, model, rows));
  }
  // A division by one number in front of a product is made a factor of float32 by onnxruntime.
  served = in_doubles(model, options);
  divide_weights(served);
  return linear_scores_of(graph, rows, served);
}

}  // namespace

Exported export_onnx(const Model& model, const ExportOptions& options) {
  OnnxGraph graph;
  const OnnxRows rows(graph, model, options);
  ServedModel served;
  const Value scores = scores_of(graph, model, rows, options, served);
  Exported exported =
      one_file(graph.file(options.name, scores, onnx_properties(model, options, rows)), std::move(served));
  if (model.scaling.per_query())
    exported.notes.push_back("one call takes the documents of one query, which are scaled by each other");
  else if (rows.takes_query_minima())
    exported.notes.push_back(
        "one call takes the documents of one query, whose smallest value stands for what is missing");
  for (const auto& [input, column] : rows.inputs)
    exported.notes.push_back(fmt::format(
        "the input {} takes the text of the column {}, empty where it is missing; X has the other features, "
        "1 for true and 0 for false",
        input, in_quotes(column)));
  return exported;
}

}  // namespace dorm
