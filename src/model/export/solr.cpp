// SPDX-License-Identifier: Apache-2.0
// A LinearModel of Solr's learning to rank, and its features: fields of the documents, or logarithms of fields. In
// float32, in the order of the model's features; no constant.
#include <fmt/format.h>

#include "data/scale/scale_rules.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr const char* kStore = "_DEFAULT_";

/// A field as a function of Solr, in quotes, with its default where a document has none.
std::string field_function(std::string_view name, double missing) {
  if (name.find("${") != std::string_view::npos)
    refuse_name("solr", name, "what stands behind ${ is a parameter of the request");
  std::string quoted;
  for (const char c : name) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  const std::string field = fmt::format("field(\"{}\")", quoted);
  return missing == 0 ? field : fmt::format("def({},{})", field, number_text(single_decimal(missing)));
}

/// Solr makes 0 of a negative value of a function, so the logarithm of a feature that may be negative has two parts.
/// What was never negative in training has the first.
void split_logarithms(ServedModel& served, const Model& model) {
  const FeatureStatistics& statistics = model.data.statistics;
  std::vector<ServedModel::Term> parts;
  for (const ServedModel::Term& term : served.terms) {
    if (statistics.known() && statistics.minimum[term.feature] >= 0) {
      parts.push_back(term);
      parts.back().part = ServedModel::Part::positive;
      continue;
    }
    parts.push_back({.feature = term.feature,
                     .weight = term.weight,
                     .shift = std::max(term.shift, 0.0),
                     .divisor = term.divisor,
                     .part = ServedModel::Part::positive});
    parts.push_back({.feature = term.feature,
                     .weight = -term.weight,
                     .shift = std::max(-term.shift, 0.0),
                     .divisor = term.divisor,
                     .part = ServedModel::Part::negative});
  }
  served.terms = std::move(parts);
}

Json feature_json(const Json& name, std::string_view field, double missing, ServedModel::Part part) {
  Json json = {{"store", kStore}, {"name", name}};
  if (part == ServedModel::Part::whole) {
    json["class"] = "org.apache.solr.ltr.feature.FieldValueFeature";
    json["params"] = {{"field", field}};
    if (missing != 0) json["params"]["defaultValue"] = single_decimal(missing);
    return json;
  }
  const std::string x = field_function(field, missing);
  json["class"] = "org.apache.solr.ltr.feature.SolrFeature";
  json["params"] = {{"q", fmt::format("{{!func}}ln(sum(1,max({},0)))",
                                      part == ServedModel::Part::positive ? x : fmt::format("product(-1,{})", x))}};
  return json;
}

Json norm_json(ServedModel::Term& term, bool range) {
  const auto text = [](double value) { return fmt::format("{}", value); };
  if (const std::optional<double> maximum = range ? maximum_of_range(term) : std::nullopt)
    return {{"class", "org.apache.solr.ltr.norm.MinMaxNormalizer"},
            {"params", {{"min", text(term.shift)}, {"max", text(*maximum)}}}};
  return {{"class", "org.apache.solr.ltr.norm.StandardNormalizer"},
          {"params", {{"avg", text(term.shift)}, {"std", text(term.divisor)}}}};
}

std::string suffix(ServedModel::Part part) { return part == ServedModel::Part::positive ? "_log" : "_log_negative"; }

}  // namespace

Exported export_solr(const Model& model, const ExportOptions& options) {
  if (model.trees) return export_trees_solr(model, options);
  const bool folds = options.fold && !options.non_negative;
  ServedModel served = folds ? folded(model, options) : normalised(model, options);
  if (served.logarithms) split_logarithms(served, model);
  serve_in_single(served);
  if (served.terms.empty())
    served.terms.push_back({.feature = 0, .weight = 0});  // Solr takes no model without features
  const bool range = uses_range(model.scaling.kind) && !options.non_negative;
  std::set<std::string, std::less<>> taken = spellings(model, options);
  Json features = Json::array(), store = Json::array(), weights = Json::object();
  for (ServedModel::Term& term : served.terms) {
    const std::string field(spelling(model, options, term.feature));
    const bool whole = term.part == ServedModel::Part::whole;
    Json name = json_name("solr", field);
    if (!whole) name = new_name(field + suffix(term.part), taken);
    Json feature = {{"name", name}};
    if (term.shift != 0 || term.divisor != 1) feature["norm"] = norm_json(term, range);
    features.push_back(std::move(feature));
    store.push_back(feature_json(name, field, value_where_missing(model, term.feature), term.part));
    weights[name.get<std::string>()] = term.weight;
  }
  const Json solr = {{"store", kStore},
                     {"name", json_name("solr", options.name)},
                     {"class", "org.apache.solr.ltr.model.LinearModel"},
                     {"features", std::move(features)},
                     {"params", {{"weights", std::move(weights)}}}};
  Exported exported = one_file(json_text(solr, 2) + "\n", std::move(served));
  exported.features = json_text(store, 2) + "\n";
  return exported;
}

}  // namespace dorm
