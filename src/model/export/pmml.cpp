// SPDX-License-Identifier: Apache-2.0
// A RegressionModel of PMML 4.4, in double: the scaling of a feature is a derived field, and so is what comes from a
// column of text, of true and false, or of dates (the type date, without a time). What a document lacks is replaced by
// what stood in for it in training: the mean, or 0.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "base/quote.h"
#include "data/encode/encoding_words.h"
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

std::string reference(const std::string& field) { return fmt::format("<FieldRef field=\"{}\"/>", field); }

std::string if_missing(const std::string& field, const std::string& then, const std::string& other) {
  return applied("if", applied("isMissing", reference(field)) + then + other);
}

/// Days from 1970-01-01.
std::string days_of_field(const std::string& field) {
  return applied("dateDaysSinceYear", reference(field) + "<Constant dataType=\"integer\">1970</Constant>");
}

std::string one_if(const std::string& test) { return applied("if", test + constant(1) + constant(0)); }

/// 1 for texts without a feature of their own.
std::string other_values(const ColumnEncoding& encoding, const std::string& field) {
  bool gap = false;
  std::string values;
  for (const std::string& value : encoding.values) {
    gap |= value.empty();
    if (!value.empty()) values += fmt::format("<Constant dataType=\"string\">{}</Constant>", attribute(value));
  }
  const std::string there = values.empty() ? constant(1) : one_if(applied("isNotIn", reference(field) + values));
  return if_missing(field, constant(gap ? 0 : 1), there);
}

/// A feature that a column makes, as an expression over its field.
std::string encoded_field(const EncodedFeature& feature, const std::string& field, double missing) {
  const ColumnEncoding& encoding = *feature.encoding;
  const auto place = static_cast<double>(feature.place);
  const auto discrete = [&](const std::string& value, double gap) {
    return fmt::format("<NormDiscrete field=\"{}\" value=\"{}\" mapMissingTo=\"{}\"/>", field, attribute(value), gap);
  };
  switch (encoding.rule) {
    case Encode::age:
      return if_missing(field, constant(missing), applied("-", constant(encoding.reference) + days_of_field(field)));
    case Encode::weekday: {
      const std::string thursdays = applied("+", days_of_field(field) + constant(3));
      const std::string weeks = applied("floor", applied("/", thursdays + constant(7)));
      const std::string day = applied("-", thursdays + applied("*", constant(7) + weeks));
      return if_missing(field, constant(0), one_if(applied("equal", day + constant(place))));
    }
    case Encode::month: {
      const std::string month =
          applied("formatDatetime", reference(field) + "<Constant dataType=\"string\">%m</Constant>");
      const std::string number = fmt::format("<Constant dataType=\"string\">{:02}</Constant>", feature.place + 1);
      return if_missing(field, constant(0), one_if(applied("equal", month + number)));
    }
    case Encode::boolean:
      return discrete("true", missing);
    default:
      if (feature.is_gap()) return if_missing(field, constant(1), constant(0));
      return feature.is_others() ? other_values(encoding, field) : discrete(encoding.values[feature.place], 0);
  }
}

/// The type of the field that a rule reads.
std::string_view type_of_field(Encode rule) {
  if (rule == Encode::boolean) return "optype=\"categorical\" dataType=\"boolean\"";
  if (rule == Encode::onehot) return "optype=\"categorical\" dataType=\"string\"";
  return is_date_rule(rule) ? "optype=\"ordinal\" dataType=\"date\"" : "optype=\"continuous\" dataType=\"double\"";
}

/// (f(x) - shift) / divisor of an expression.
std::string scaled_value(const ServedModel& served, const ServedModel::Term& term, std::string value) {
  if (served.logarithms) {
    const std::string size = applied("ln1p", applied("abs", value));
    value = applied("if", applied("lessThan", value + constant(0)) + applied("-", constant(0) + size) + size);
  }
  if (term.held()) value = applied("min", applied("max", value + constant(term.low)) + constant(term.high));
  if (term.shift != 0) value = applied("-", value + constant(term.shift));
  return term.divisor == 1 ? value : applied("/", value + constant(term.divisor));
}

/// The parts of the document that name the terms, one line each.
class PmmlTerms {
 public:
  /// A part of a sum replaces missing values in its derived fields, since its fields are those of the sum.
  PmmlTerms(const Model& model, const ServedModel& served, const ExportOptions& options, bool part)
      : model_(model),
        served_(served),
        options_(options),
        part_(part),
        columns_(model, options),
        taken(spellings(model, options)) {
    for (const EncodedFeatures::Rule& rule : columns_.rules)
      if (rule.encoding->rule == Encode::indicator) marked_.insert(rule.encoding->column);
    for (const std::string& column : columns_.columns) taken.insert(column);
    for (const ServedModel::Term& term : served.terms)
      if (term.part == ServedModel::Part::gap) marked_.insert(std::string(spelling(model, options, term.feature)));
  }

  void add(const ServedModel::Term& term) {
    const std::optional<EncodedFeature>& made = columns_.by_feature[term.feature];
    const std::string name(made ? std::string_view(made->encoding->column) : spelling(model_, options_, term.feature));
    if (name.empty()) refuse_name("pmml", name, "a field of PMML has a name");
    const std::string field = attribute(name);
    const double missing = value_where_missing(model_, term.feature);
    const bool replaced = !made && !part_ && !marked_.contains(name);
    declare(name, made ? type_of_field(made->encoding->rule) : type_of_field(Encode::indicator),
            replaced ? std::optional(missing) : std::nullopt, term.feature);
    std::string value = made       ? encoded_field(*made, field, missing)
                        : replaced ? reference(field)
                                   : if_missing(field, constant(missing), reference(field));
    const bool gap = term.part == ServedModel::Part::gap;
    if (gap) value = if_missing(field, constant(1), constant(0));
    const bool plain = replaced && !gap && !term.held() && !served_.logarithms && term.shift == 0 && term.divisor == 1;
    const std::string predictor = plain ? field : new_name(fmt::format("scaled_{}", term.feature + 1), taken);
    if (!plain)
      derived +=
          fmt::format("   <DerivedField name=\"{}\" optype=\"continuous\" dataType=\"double\">{}</DerivedField>\n",
                      predictor, gap ? value : scaled_value(served_, term, std::move(value)));
    predictors += fmt::format("   <NumericPredictor name=\"{}\" coefficient=\"{}\"/>\n", predictor, term.weight);
  }

 private:
  /// A field of the data, once.
  void declare(const std::string& name, std::string_view type, std::optional<double> missing, std::size_t feature) {
    const auto [known, is_new] = types_.emplace(name, type);
    if (known->second != type)
      refuse_name("pmml", model_.features[feature], fmt::format("the column {} has two types there", in_quotes(name)));
    if (!is_new) return;
    fields.emplace_back(attribute(name), type);
    mining += fmt::format("   <MiningField name=\"{}\"", attribute(name));
    if (missing) {
      const bool mean = model_.data.input.missing_rule(model_.features[feature]) == Missing::mean;
      mining += fmt::format(" missingValueReplacement=\"{}\" missingValueTreatment=\"{}\"", *missing,
                            mean ? "asMean" : "asValue");
    }
    mining += "/>\n";
  }

  const Model& model_;
  const ServedModel& served_;
  const ExportOptions& options_;
  const bool part_;
  const EncodedFeatures columns_;
  std::set<std::string, std::less<>> marked_;  // columns whose gaps have a feature
  std::map<std::string, std::string_view, std::less<>> types_;

 public:
  std::vector<std::pair<std::string, std::string>> fields;  // of the data: name and type
  std::string mining, derived, predictors;
  std::set<std::string, std::less<>> taken;  // names of fields
};

/// A model of PMML and the fields that it reads.
struct PmmlBody {
  std::string text;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string score = "score";  // the name of the output
  ServedModel served = {};
};

std::string pmml_head(const Model& model, const PmmlBody& body) {
  std::string dictionary;
  for (const auto& [name, type] : body.fields) dictionary += fmt::format("  <DataField name=\"{}\" {}/>\n", name, type);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n"
      " <Header description=\"{}\"><Application name=\"dorm\" version=\"{}\"/></Header>\n"
      " <DataDictionary numberOfFields=\"{}\">\n{} </DataDictionary>\n",
      provenance(model), DORM_VERSION, body.fields.size(), dictionary);
}

std::string pmml_output(std::string_view score) {
  return fmt::format(
      "  <Output><OutputField name=\"{}\" optype=\"continuous\" dataType=\"double\" feature=\"predictedValue\"/>"
      "</Output>\n",
      score);
}

/// Without an output where it is a part of a sum.
PmmlBody pmml_trees(const Model& model, const ExportOptions& options, bool part) {
  require_splits(model, "pmml", true, false);
  const TreeEnsemble& trees = model.trees->trees();
  std::vector<bool> categorical(model.features.size());
  for (const TreeNode& node : trees.nodes)
    if (!node.leaf() && node.categories > 0) categorical[node.feature] = true;
  std::vector<std::string> fields;
  PmmlBody body;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string_view name = spelling(model, options, j);
    if (name.empty()) refuse_name("pmml", name, "a field of PMML has a name");
    fields.push_back(attribute(name));
    if (!model.trees->used()[j]) continue;
    body.fields.emplace_back(fields.back(), categorical[j] ? "optype=\"categorical\" dataType=\"integer\""
                                                           : type_of_field(Encode::indicator));
  }
  body.text = pmml_of_trees(model, fields, attribute(options.name), part ? "" : pmml_output(body.score));
  body.served = served_trees(model, {});
  return body;
}

PmmlBody pmml_terms(const Model& model, const ExportOptions& options, bool part) {
  PmmlBody body;
  ServedModel& served = body.served;
  served = in_doubles(model, options);
  PmmlTerms lines(model, served, options, part);
  body.score = new_name("score", lines.taken);
  for (const ServedModel::Term& term : served.terms) lines.add(term);
  if (served.terms.empty()) lines.add({.feature = 0, .weight = 0});  // a model has a field at least
  body.text = fmt::format(
      " <RegressionModel modelName=\"{}\" functionName=\"regression\" normalizationMethod=\"none\">\n"
      "  <MiningSchema>\n{}  </MiningSchema>\n{}",
      attribute(options.name), lines.mining, part ? "" : pmml_output(body.score));
  if (!lines.derived.empty())
    body.text += fmt::format("  <LocalTransformations>\n{}  </LocalTransformations>\n", lines.derived);
  body.text += fmt::format("  <RegressionTable intercept=\"{}\">\n{}  </RegressionTable>\n </RegressionModel>\n",
                           served.constant, lines.predictors);
  body.fields = std::move(lines.fields);
  return body;
}

PmmlBody pmml_body(const Model& model, const ExportOptions& options, bool part) {
  return model.trees ? pmml_trees(model, options, part) : pmml_terms(model, options, part);
}

/// Segments that are added up, each with its own rules for missing values.
PmmlBody pmml_sum(const Model& model, const ExportOptions& options) {
  PmmlBody body;
  std::string segments;
  std::map<std::string, std::string> types;
  for (const ModelPart& each : model.parts) {
    const PmmlBody own = pmml_body(*each.ranker, options, true);
    if (own.score != "score") body.score = own.score;
    for (const auto& [name, type] : own.fields) {
      const auto [known, is_new] = types.emplace(name, type);
      if (is_new) body.fields.emplace_back(name, type);
      if (known->second != type) refuse_name("pmml", name, "it has two types there, of numbers and of categories");
    }
    segments +=
        fmt::format("   <Segment id=\"{}\"><True/>\n{}   </Segment>\n", &each - model.parts.data() + 1, own.text);
  }
  std::string mining;
  for (const auto& field : body.fields) mining += fmt::format("<MiningField name=\"{}\"/>", field.first);
  body.text = fmt::format(
      " <MiningModel modelName=\"{}\" functionName=\"regression\">\n  <MiningSchema>{}</MiningSchema>\n{}"
      "  <Segmentation multipleModelMethod=\"sum\">\n{}  </Segmentation>\n </MiningModel>\n",
      attribute(options.name), mining, pmml_output(body.score), segments);
  return body;
}

}  // namespace

Exported export_pmml(const Model& model, const ExportOptions& options) {
  PmmlBody body = model.kind() == Model::Kind::sum ? pmml_sum(model, options) : pmml_body(model, options, false);
  Exported exported = one_file(pmml_head(model, body) + body.text + "</PMML>\n", std::move(body.served));
  if (body.score != "score")
    exported.notes.push_back(fmt::format("the output is called {}, since a feature is called score", body.score));
  if (!model.trees && body.fields.size() > kFieldsOfJpmml)
    exported.notes.push_back(
        fmt::format("JPMML's evaluator refuses more than {} fields unless its builder has "
                    "setCheckSchema(false)",
                    kFieldsOfJpmml));
  return exported;
}

}  // namespace dorm
