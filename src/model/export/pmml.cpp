// SPDX-License-Identifier: Apache-2.0
// A RegressionModel of PMML 4.4, in double: the scaling of a feature is a derived field. What a document lacks is
// replaced by what stood in for it in training: the mean, or 0.
#include <fmt/format.h>

#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr std::size_t kFieldsOfJpmml = 1000;

/// The value of an attribute: in ASCII, so that no reader guesses an encoding, and with references for white space,
/// which a reader of XML would make blanks of.
std::string attribute(std::string_view name) {
  std::string out;
  for (const char32_t c : code_points("pmml", name)) {
    const bool white = c == '\t' || c == '\n' || c == '\r';
    if ((c < ' ' && !white) || c == 0xFFFE || c == 0xFFFF)
      refuse_name("pmml", name, fmt::format("no XML has the character U+{:04X}", static_cast<std::uint32_t>(c)));
    const bool plain = c >= ' ' && c < 0x7F && c != '"' && c != '&' && c != '<' && c != '>' && c != '\'';
    out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("&#x{:X};", static_cast<std::uint32_t>(c));
  }
  return out;
}

std::string constant(double value) { return fmt::format("<Constant dataType=\"double\">{}</Constant>", value); }

std::string applied(std::string_view function, std::string_view arguments) {
  return fmt::format("<Apply function=\"{}\">{}</Apply>", function, arguments);
}

/// (f(x) - shift) / divisor of a field.
std::string scaled_field(const ServedModel& served, const ServedModel::Term& term, const std::string& field) {
  std::string value = fmt::format("<FieldRef field=\"{}\"/>", field);
  if (served.logarithms) {
    const std::string size = applied("ln1p", applied("abs", value));
    value = applied("if", applied("lessThan", value + constant(0)) + applied("-", constant(0) + size) + size);
  }
  if (term.shift != 0) value = applied("-", value + constant(term.shift));
  return term.divisor == 1 ? value : applied("/", value + constant(term.divisor));
}

/// The parts of the document that name the terms, one line each.
struct PmmlTerms {
  std::string data, mining, derived, predictors;
};

PmmlTerms pmml_terms(const Model& model, const ServedModel& served, const ExportOptions& options,
                     std::set<std::string, std::less<>>& taken) {
  const bool scaled = served.logarithms || has_scaling(served);
  const bool means = model.data.input.missing == Missing::mean;
  PmmlTerms lines;
  for (const ServedModel::Term& term : served.terms) {
    const std::string_view name = spelling(model, options, term.feature);
    if (name.empty()) refuse_name("pmml", name, "a field of PMML has a name");
    const std::string field = attribute(name);
    lines.data += fmt::format("  <DataField name=\"{}\" optype=\"continuous\" dataType=\"double\"/>\n", field);
    lines.mining +=
        fmt::format("   <MiningField name=\"{}\" missingValueReplacement=\"{}\" missingValueTreatment=\"{}\"/>\n",
                    field, value_where_missing(model, term.feature), means ? "asMean" : "asValue");
    const std::string predictor = scaled ? new_name(fmt::format("scaled_{}", term.feature + 1), taken) : field;
    if (scaled)
      lines.derived +=
          fmt::format("   <DerivedField name=\"{}\" optype=\"continuous\" dataType=\"double\">{}</DerivedField>\n",
                      predictor, scaled_field(served, term, field));
    lines.predictors += fmt::format("   <NumericPredictor name=\"{}\" coefficient=\"{}\"/>\n", predictor, term.weight);
  }
  return lines;
}

std::string pmml_head(const Model& model, std::size_t fields, const std::string& dictionary) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n"
      " <Header description=\"{}\"><Application name=\"dorm\" version=\"{}\"/></Header>\n"
      " <DataDictionary numberOfFields=\"{}\">\n{} </DataDictionary>\n",
      provenance(model), DORM_VERSION, fields, dictionary);
}

Exported pmml_trees(const Model& model, const ExportOptions& options) {
  require_splits(model, "pmml", true, false);
  const TreeEnsemble& trees = model.trees->trees();
  std::vector<bool> categorical(model.features.size());
  for (const TreeNode& node : trees.nodes)
    if (!node.leaf() && node.categories > 0) categorical[node.feature] = true;
  std::vector<std::string> fields;
  std::string dictionary;
  std::size_t used = 0;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string_view name = spelling(model, options, j);
    if (name.empty()) refuse_name("pmml", name, "a field of PMML has a name");
    fields.push_back(attribute(name));
    if (!model.trees->used()[j]) continue;
    ++used;
    dictionary += fmt::format("  <DataField name=\"{}\" optype=\"{}\" dataType=\"{}\"/>\n", fields.back(),
                              categorical[j] ? "categorical" : "continuous", categorical[j] ? "integer" : "double");
  }
  return one_file(
      pmml_head(model, used, dictionary) + pmml_of_trees(model, fields, attribute(options.name)) + "</PMML>\n",
      served_trees(model, {}));
}

}  // namespace

Exported export_pmml(const Model& model, const ExportOptions& options) {
  if (model.trees) return pmml_trees(model, options);
  ServedModel served = in_doubles(model, options);
  std::set<std::string, std::less<>> taken = spellings(model, options);
  const std::string score = new_name("score", taken);
  ServedModel written = served;
  if (written.terms.empty()) written.terms.push_back({.feature = 0, .weight = 0});  // a model has a field at least
  const PmmlTerms lines = pmml_terms(model, written, options, taken);
  std::string text = pmml_head(model, written.terms.size(), lines.data);
  text += fmt::format(
      " <RegressionModel modelName=\"{}\" functionName=\"regression\" normalizationMethod=\"none\">\n"
      "  <MiningSchema>\n{}  </MiningSchema>\n"
      "  <Output><OutputField name=\"{}\" optype=\"continuous\" dataType=\"double\" feature=\"predictedValue\"/>"
      "</Output>\n",
      attribute(options.name), lines.mining, score);
  if (!lines.derived.empty())
    text += fmt::format("  <LocalTransformations>\n{}  </LocalTransformations>\n", lines.derived);
  text += fmt::format("  <RegressionTable intercept=\"{}\">\n{}  </RegressionTable>\n </RegressionModel>\n</PMML>\n",
                      served.constant, lines.predictors);
  Exported exported = one_file(std::move(text), std::move(served));
  if (score != "score")
    exported.notes.push_back(fmt::format("the output is called {}, since a feature is called score", score));
  if (written.terms.size() > kFieldsOfJpmml)
    exported.notes.push_back(
        fmt::format("JPMML's evaluator refuses more than {} fields unless its builder has "
                    "setCheckSchema(false)",
                    kFieldsOfJpmml));
  return exported;
}

}  // namespace dorm
