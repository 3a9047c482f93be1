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
  if (term.shift != 0) value = applied("-", value + constant(term.shift));
  return term.divisor == 1 ? value : applied("/", value + constant(term.divisor));
}

/// The parts of the document that name the terms, one line each.
class PmmlTerms {
 public:
  PmmlTerms(const Model& model, const ServedModel& served, const ExportOptions& options)
      : model_(model), served_(served), options_(options), columns_(model, options), taken(spellings(model, options)) {
    for (const EncodedFeatures::Rule& rule : columns_.rules)
      if (rule.encoding->rule == Encode::indicator) marked_.insert(rule.encoding->column);
    for (const std::string& column : columns_.columns) taken.insert(column);
  }

  void add(const ServedModel::Term& term) {
    const std::optional<EncodedFeature>& made = columns_.by_feature[term.feature];
    const std::string name(made ? std::string_view(made->encoding->column) : spelling(model_, options_, term.feature));
    if (name.empty()) refuse_name("pmml", name, "a field of PMML has a name");
    const std::string field = attribute(name);
    const double missing = value_where_missing(model_, term.feature);
    const bool replaced = !made && !marked_.contains(name);
    declare(name, made ? type_of_field(made->encoding->rule) : type_of_field(Encode::indicator),
            replaced ? std::optional(missing) : std::nullopt, term.feature);
    std::string value = made       ? encoded_field(*made, field, missing)
                        : replaced ? reference(field)
                                   : if_missing(field, constant(missing), reference(field));
    const bool plain = replaced && !served_.logarithms && term.shift == 0 && term.divisor == 1;
    const std::string predictor = plain ? field : new_name(fmt::format("scaled_{}", term.feature + 1), taken);
    if (!plain)
      derived +=
          fmt::format("   <DerivedField name=\"{}\" optype=\"continuous\" dataType=\"double\">{}</DerivedField>\n",
                      predictor, scaled_value(served_, term, std::move(value)));
    predictors += fmt::format("   <NumericPredictor name=\"{}\" coefficient=\"{}\"/>\n", predictor, term.weight);
  }

  std::size_t fields() const { return types_.size(); }

 private:
  /// A field of the data, once.
  void declare(const std::string& name, std::string_view type, std::optional<double> missing, std::size_t feature) {
    const auto [known, is_new] = types_.emplace(name, type);
    if (known->second != type)
      refuse_name("pmml", model_.features[feature], fmt::format("the column {} has two types there", in_quotes(name)));
    if (!is_new) return;
    data += fmt::format("  <DataField name=\"{}\" {}/>\n", attribute(name), type);
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
  const EncodedFeatures columns_;
  std::set<std::string, std::less<>> marked_;  // columns whose gaps have a feature
  std::map<std::string, std::string_view, std::less<>> types_;

 public:
  std::string data, mining, derived, predictors;
  std::set<std::string, std::less<>> taken;  // names of fields
};

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
  PmmlTerms lines(model, served, options);
  const std::string score = new_name("score", lines.taken);
  for (const ServedModel::Term& term : served.terms) lines.add(term);
  if (served.terms.empty()) lines.add({.feature = 0, .weight = 0});  // a model has a field at least
  std::string text = pmml_head(model, lines.fields(), lines.data);
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
  if (lines.fields() > kFieldsOfJpmml)
    exported.notes.push_back(
        fmt::format("JPMML's evaluator refuses more than {} fields unless its builder has "
                    "setCheckSchema(false)",
                    kFieldsOfJpmml));
  return exported;
}

}  // namespace dorm
