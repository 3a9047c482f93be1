// SPDX-License-Identifier: Apache-2.0
// A rank profile of Vespa: a function that is the score, and a second phase that ranks by it. In doubles. A numeric
// attribute that a document lacks is no number there, and becomes what stood for missing values in training. An
// attribute of text is compared with values, where "" is a gap, and a date is a number: seconds since 1970.
#include <fmt/format.h>

#include <cctype>
#include <map>

#include "base/quote.h"
#include "data/encode/encoding_words.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_rank_identifier(std::string_view text) {
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front()));
}

/// Where the bracket that opens at `open` closes. Nowhere also if something before that could end the expression, begin
/// a comment or mean something to the schema.
std::size_t closing(std::string_view text, std::size_t open) {
  std::string expected;  // the brackets that have to close, the next one last
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c < ' ' || c > '~' || std::string_view("{}#;'\\").find(c) != kNowhere) return kNowhere;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') expected += c == '(' ? ')' : ']';
    if (c != ')' && c != ']') continue;
    if (expected.back() != c) return kNowhere;
    expected.pop_back();
    if (expected.empty()) return i;
  }
  return kNowhere;
}

/// With its arguments, and perhaps an output: bm25(title), fieldMatch(title).completeness.
bool is_rank_feature(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == kNowhere || !is_rank_identifier(text.substr(0, open))) return false;
  const std::size_t close = closing(text, open);
  if (close == kNowhere) return false;
  return close + 1 == text.size() || (text[close + 1] == '.' && is_rank_identifier(text.substr(close + 2)));
}

bool is_attribute(std::string_view text) {
  constexpr std::string_view kBefore = "attribute(";
  return text.starts_with(kBefore) && text.ends_with(')') &&
         is_rank_identifier(text.substr(kBefore.size(), text.size() - kBefore.size() - 1));
}

/// The feature as a ranking expression. The map of names has such expressions; an identifier without a place in the map
/// is an attribute, and a rank feature is itself.
std::string rank_expression(const Model& model, const ExportOptions& options, std::size_t feature) {
  std::string text(spelling(model, options, feature));
  const bool mapped = options.names.contains(model.features[feature]);
  if (!mapped && is_rank_identifier(text)) return fmt::format("attribute({})", text);
  if (is_rank_feature(text) || (mapped && is_rank_identifier(text))) return text;
  if (!mapped) refuse_name("vespa", text, "it is neither an attribute nor a rank feature such as bm25(title)");
  std::string bracketed = fmt::format("({})", text);
  if (text.find_first_not_of(' ') == kNowhere || closing(bracketed, 0) + 1 != bracketed.size())
    refuse_name("vespa", text, "it is no ranking expression that can stand within another");
  return bracketed;
}

std::string term_text(const std::string& x, bool logarithm, double missing) {
  if (!logarithm) return is_attribute(x) ? fmt::format("if (isNan({0}) == 1, {1}, {0})", x, number_text(missing)) : x;
  const std::string positive = fmt::format("log(1 + {})", x);
  const std::string known =
      is_attribute(x) ? fmt::format("if ({} >= 0, {}, {})", x, positive, number_text(signed_logarithm(missing)))
                      : positive;
  return fmt::format("if ({0} < 0, -log(1 - {0}), {1})", x, known);
}

/// Within double quotes of an expression.
std::string quoted_value(const Model& model, std::size_t feature, std::string_view value) {
  for (const char c : value)
    if (static_cast<unsigned char>(c) < ' ' || std::string_view("{}#;\"\\\x7F").find(c) != kNowhere)
      refuse_name("vespa", model.features[feature], "its value has a character that means something to a schema");
  return fmt::format("\"{}\"", value);
}

/// A feature that an attribute makes.
std::string encoded_expression(const Model& model, std::size_t feature, const EncodedFeature& made) {
  const ColumnEncoding& encoding = *made.encoding;
  if (!is_rank_identifier(encoding.column)) refuse_name("vespa", encoding.column, "no attribute has such a name");
  const std::string x = fmt::format("attribute({})", encoding.column);
  const std::string days = fmt::format("{} / 86400", x);
  switch (encoding.rule) {
    case Encode::age:
      return fmt::format("if (isNan({}) == 1, {}, {} - {})", x, number_text(value_where_missing(model, feature)),
                         number_text(encoding.reference), days);
    case Encode::weekday:
      return fmt::format("if (isNan({0}) == 1, 0, if (floor({1}) + 3 - 7 * floor((floor({1}) + 3) / 7) == {2}, 1, 0))",
                         x, days, made.place);
    case Encode::indicator:
      return fmt::format("if (isNan({}) == 1, 1, 0)", x);
    default:
      break;
  }
  if (!made.is_others())
    return fmt::format("if ({} == {}, 1, 0)", x, quoted_value(model, feature, encoding.values[made.place]));
  std::string values;
  for (const std::string& value : encoding.values)
    values += fmt::format("{}{}", values.empty() ? "" : ", ", quoted_value(model, feature, value));
  return values.empty() ? "1" : fmt::format("if ({} in [{}], 0, 1)", x, values);
}

}  // namespace

Exported export_vespa(const Model& model, const ExportOptions& given) {
  std::vector<std::string> notes;
  const ExportOptions options = naming_numbers(model, given, "vespa", "attribute(f", ")", notes);
  if (!is_rank_identifier(options.name))
    throw Error(
        ErrorCode::unsupported,
        fmt::format("vespa cannot say {}, the name of the model; expected an identifier", in_quotes(options.name)));
  ServedModel served = folded(model, options);
  std::map<std::string, std::size_t> expressions;
  const EncodedFeatures columns(model, options);
  const std::string sum = sum_text(served, [&](const ServedModel::Term& term) {
    const std::optional<EncodedFeature>& made = columns.by_feature[term.feature];
    const bool number = !made || made->encoding->rule == Encode::boolean;
    const std::string x =
        number ? rank_expression(model, options, term.feature) : encoded_expression(model, term.feature, *made);
    if (expressions.emplace(x, term.feature).first->second != term.feature)
      refuse_name("vespa", model.features[term.feature], fmt::format("{} is another feature already", x));
    if (term.part == ServedModel::Part::gap) {
      if (!is_attribute(x)) refuse_name("vespa", x, "what a missing value adds is known of attributes alone");
      return fmt::format("if (isNan({}) == 1, 1, 0)", x);
    }
    const std::string value = term_text(x, served.logarithms, value_where_missing(model, term.feature));
    return term.held() ? held_text(value, term) : value;
  });
  std::string text = fmt::format(
      "rank-profile {0} {{\n"
      "    function {0}_score() {{ expression: {1} }}\n"
      "    second-phase {{\n"
      "        rerank-count: 100\n"
      "        expression: {0}_score\n"
      "    }}\n"
      "}}\n",
      options.name, sum);
  Exported exported = one_file(std::move(text), std::move(served));
  exported.notes = std::move(notes);
  for (const EncodedFeatures::Rule& rule : columns.rules)
    if (is_date_rule(rule.encoding->rule))
      exported.notes.push_back(fmt::format("the attribute {} is a long: seconds since 1970", rule.encoding->column));
  return exported;
}

}  // namespace dorm
