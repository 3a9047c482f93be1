// SPDX-License-Identifier: Apache-2.0
// A linear model of the learning-to-rank plugin, for Elasticsearch and for OpenSearch: the body of _createmodel.
// Logarithms are derived features, the body of _addfeatures. In float32, in the order of the feature set; no constant.
#include <fmt/format.h>

#include "data/scale/scale_rules.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

Json normaliser_json(ServedModel::Term& term, bool range) {
  if (const std::optional<double> maximum = range ? maximum_of_range(term) : std::nullopt)
    return {{"min_max", {{"minimum", term.shift}, {"maximum", *maximum}}}};
  return {{"standard", {{"mean", term.shift}, {"standard_deviation", term.divisor}}}};
}

Json derived_json(const Json& name, std::string_view target, std::string_view variable) {
  if (!is_expression_variable(variable))
    refuse_name(target, variable, "its logarithm is a derived expression, which has variables such as price");
  return {{"name", name},
          {"params", Json::array()},
          {"template_language", "derived_expression"},
          {"template", fmt::format("{0} < 0 ? -ln(1 - {0}) : ln(1 + {0})", variable)}};
}

/// Derived features are expressions, so that what they are derived of needs the name of a variable.
Exported export_plugin(const Model& model, const ExportOptions& given, std::string_view target) {
  if (model.trees) return export_trees_plugin(model, given, target);
  std::vector<std::string> notes;
  const ExportOptions options =
      takes_logarithm(model.scaling.kind) ? naming_numbers(model, given, target, "f", "", notes) : given;
  const bool folds = options.fold && !options.non_negative;  // which takes normalisers
  ServedModel served = folds ? folded(model, options) : normalised(model, options);
  serve_in_single(served);
  const bool range = uses_range(model.scaling.kind) && !options.non_negative;
  std::set<std::string, std::less<>> taken = spellings(model, options);
  Json normalisers = Json::object(), weights = Json::object(), derived = Json::array();
  for (ServedModel::Term& term : served.terms) {
    const std::string feature(spelling(model, options, term.feature));
    const Json name = json_name(target, served.logarithms ? new_name(feature + "_log", taken) : feature);
    if (served.logarithms) derived.push_back(derived_json(name, target, feature));
    if (term.shift != 0 || term.divisor != 1) normalisers[name.get<std::string>()] = normaliser_json(term, range);
    weights[name.get<std::string>()] = term.weight;
  }
  Json linear = {{"type", "model/linear"}};
  if (!normalisers.empty()) linear["feature_normalizers"] = std::move(normalisers);
  linear["definition"] = json_text(weights);
  const Json body = {{"model", {{"name", json_name(target, options.name)}, {"model", std::move(linear)}}}};
  Exported exported = one_file(json_text(body, 2) + "\n", std::move(served));
  if (!derived.empty()) exported.features = json_text(Json{{"features", std::move(derived)}}, 2) + "\n";
  exported.notes = std::move(notes);
  note_missing(exported, model, target);
  return exported;
}

}  // namespace

Exported export_elasticsearch(const Model& model, const ExportOptions& options) {
  return export_plugin(model, options, "elasticsearch");
}

Exported export_opensearch(const Model& model, const ExportOptions& options) {
  return export_plugin(model, options, "opensearch");
}

}  // namespace dorm
