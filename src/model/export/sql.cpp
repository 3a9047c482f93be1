// SPDX-License-Identifier: Apache-2.0
// An expression of SQL that is the score of a document whose features are columns. A column that is NULL counts as what
// stood in for missing values in training: the mean, or 0. Terms are in brackets by groups, because databases limit
// how deep an expression is, and a sum is as deep as it has terms.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "base/quote.h"
#include "model/align.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr std::size_t kTermsInBrackets = 32;
constexpr const char* kQuotedNames =
    "names are quoted as standard SQL has it; MySQL needs sql_mode ANSI_QUOTES for that";
constexpr std::size_t kLeastLongestName = 63;  // PostgreSQL cuts names there

/// A name as SQL quotes it: between double quotes, those inside it doubled.
std::string identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// Throws for columns that no database takes, and for two that some database takes for one.
void require_columns(const Model& model, const ServedModel& served, const EncodedFeatures& encoded,
                     const ExportOptions& options) {
  constexpr std::string_view kEscapes = "databases that escape by a backslash would not end it where it ends";
  std::map<std::string, std::string_view> taken;
  std::set<std::size_t> seen;
  for (const ServedModel::Term& term : served.terms) {
    if (!seen.insert(term.feature).second) continue;  // another piece of its curve
    const std::optional<EncodedFeature>& made = encoded.by_feature[term.feature];
    const std::string_view name = made ? made->encoding->column : spelling(model, options, term.feature);
    code_points("sql", name);
    if (name.empty()) refuse_name("sql", name, "no column has an empty name");
    if (name.find('\0') != std::string_view::npos) refuse_name("sql", name, "a statement ends at its first zero byte");
    if (name.find('\\') != std::string_view::npos) refuse_name("sql", name, kEscapes);
    if (made && made->encoding->rule == Encode::onehot && !made->is_others() &&
        made->encoding->values[made->place].find('\\') != std::string::npos)
      refuse_name("sql", model.features[term.feature], kEscapes);
    std::string key(name.substr(0, kLeastLongestName));
    for (char& c : key)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto [place, is_new] = taken.emplace(std::move(key), name);
    if (!is_new && place->second != name)
      refuse_name("sql", name,
                  fmt::format("databases that compare names without case, or by their first {} bytes, take {} for it",
                              kLeastLongestName, in_quotes(place->second)));
  }
}

/// The shortest that reads back the same; with an exponent, so that no database takes it for a decimal of a fixed
/// number of digits.
std::string literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('e') == std::string::npos) text += "e0";
  return text;
}

/// ln(1 + |x|) to the last digits also where x is small: 1 + |x| is rounded, and the quotient makes up for it.
std::string logarithm(const std::string& x) {
  return fmt::format(
      "CASE WHEN 1 + ABS({0}) = 1 THEN {0} ELSE SIGN({0}) * LN(1 + ABS({0})) * (ABS({0}) / ((1 + ABS({0})) - 1)) END",
      x);
}

std::string text_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string without(std::string text, std::string_view characters) {
  for (const char c : characters)
    text = fmt::format("REPLACE({}, {}, '')", text, text_literal(std::string_view(&c, 1)));
  return text;
}

/// The number that a text is, written as one by its rule.
std::string sql_number_of(Encode rule, const std::string& column) {
  std::string digits = without(column, rule == Encode::percent ? "%" : rule == Encode::thousands ? ",' _" : ".' _%");
  if (rule == Encode::decimal_comma) digits = fmt::format("REPLACE({}, ',', '.')", digits);
  return fmt::format("CAST(TRIM({}) AS DOUBLE PRECISION)", digits);
}

/// A feature of a column: a category is text there, as is a formatted number, and what is true or false a boolean.
std::string sql_encoded(const EncodedFeature& feature, const std::string& otherwise) {
  const ColumnEncoding& encoding = *feature.encoding;
  const std::string column = identifier(encoding.column);
  if (encoding.rule == Encode::percent || encoding.rule == Encode::thousands || encoding.rule == Encode::decimal_comma)
    return fmt::format("COALESCE({}, {})", sql_number_of(encoding.rule, column), otherwise);
  if (encoding.rule == Encode::boolean)
    return fmt::format("CASE WHEN {0} THEN 1 WHEN NOT {0} THEN 0 ELSE {1} END", column, otherwise);
  if (feature.is_gap()) return fmt::format("CASE WHEN {} IS NULL THEN 1 ELSE 0 END", column);
  if (!feature.is_others())
    return fmt::format("CASE WHEN {} = {} THEN 1 ELSE 0 END", column, text_literal(encoding.values[feature.place]));
  std::string values, gap;
  for (const std::string& value : encoding.values) {
    if (value.empty()) gap = column + " IS NULL OR ";
    if (!value.empty()) values += (values.empty() ? "" : ", ") + text_literal(value);
  }
  if (values.empty()) return fmt::format("CASE WHEN {} IS NULL THEN {} ELSE 1 END", column, gap.empty() ? 1 : 0);
  return fmt::format("CASE WHEN {}{} IN ({}) THEN 0 ELSE 1 END", gap, column, values);
}

std::string sql_term(const Model& model, const ServedModel& served, const EncodedFeatures& columns,
                     const ExportOptions& options, const ServedModel::Term& term) {
  if (term.part == ServedModel::Part::gap)
    return fmt::format("{} * CASE WHEN {} IS NULL THEN 1 ELSE 0 END", literal(term.weight),
                       identifier(spelling(model, options, term.feature)));
  const double missing = value_where_missing(model, term.feature);
  const std::string otherwise = missing == 0 ? std::string("0") : literal(missing);
  const std::optional<EncodedFeature>& encoded = columns.by_feature[term.feature];
  std::string value =
      encoded ? sql_encoded(*encoded, otherwise)
              : fmt::format("COALESCE({}, {})", identifier(spelling(model, options, term.feature)), otherwise);
  if (served.logarithms) value = logarithm(value);
  if (term.held())
    value = fmt::format("CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END", value, literal(term.low),
                        literal(term.high));
  if (term.shift != 0)
    value = fmt::format("({} {} {})", value, term.shift < 0 ? '+' : '-', literal(std::fabs(term.shift)));
  return fmt::format("{} * {}", literal(term.weight), value);
}

Exported sql_trees(const Model& model, const ExportOptions& options) {
  ServedModel used;
  std::vector<std::string> columns;
  const EncodedFeatures encoded(model, options);
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    if (model.trees->used()[j]) used.terms.push_back({.feature = j, .weight = 1});
    columns.push_back(encoded.by_feature[j] ? sql_encoded(*encoded.by_feature[j], "NULL")
                                            : identifier(spelling(model, options, j)));
  }
  require_columns(model, used, encoded, options);
  Exported exported = one_file(sql_of_trees(model, columns), served_trees(model, {}));
  exported.notes.emplace_back(kQuotedNames);
  return exported;
}

/// Parts are expressions in brackets.
Exported sql_sum(const Model& model, const ExportOptions& options) {
  ServedModel used;
  std::string text;
  for (const ModelPart& part : model.parts) {
    const Model& own = *part.ranker;
    for (std::size_t j = 0; j < own.features.size(); ++j)
      if (uses(own, j)) used.terms.push_back({.feature = j, .weight = 1});
    std::string expression = export_sql(own, options).files[0].bytes;
    expression.pop_back();  // its line break
    text += (text.empty() ? "(" : "\n + ") + expression;
  }
  require_columns(model, used, EncodedFeatures(model, options), options);
  return one_file(text + ")\n", {});
}

}  // namespace

Exported export_sql(const Model& model, const ExportOptions& options) {
  if (model.trees) return sql_trees(model, options);
  if (model.kind() == Model::Kind::sum) return sql_sum(model, options);
  ServedModel served = in_doubles(model, options);
  divide_weights(served);
  const EncodedFeatures columns(model, options);
  require_columns(model, served, columns, options);
  served.group = served.terms.size() > kTermsInBrackets ? kTermsInBrackets : 0;
  std::string text = "(" + literal(served.constant);
  for (std::size_t k = 0; k < served.terms.size(); ++k) {
    const bool first = served.group != 0 && k % served.group == 0;
    const bool last = served.group != 0 && (k + 1 == served.terms.size() || (k + 1) % served.group == 0);
    text += fmt::format("\n + {}{}{}", first ? "(" : "", sql_term(model, served, columns, options, served.terms[k]),
                        last ? ")" : "");
  }
  Exported exported = one_file(text + ")\n", std::move(served));
  exported.notes.emplace_back(kQuotedNames);
  return exported;
}

}  // namespace dorm
