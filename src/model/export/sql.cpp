// SPDX-License-Identifier: Apache-2.0
// An expression of SQL that is the score of a document whose features are columns. A column that is NULL counts as what
// stood in for missing values in training: the mean, or 0.
#include <fmt/format.h>

#include "model/export/formats.h"

namespace dorm {
namespace {

/// A name as SQL quotes it: between double quotes, those inside it doubled.
std::string identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// With an exponent, so that no database takes it for a decimal of a fixed number of digits.
std::string literal(double value) { return fmt::format("{:.16e}", value); }

}  // namespace

Exported export_sql(const Model& model, const ExportOptions& options) {
  ServedModel served = folded(model, options);
  std::string text = "(" + literal(served.constant);
  for (const ServedModel::Term& term : served.terms) {
    const double missing = value_where_missing(model, term.feature);
    const std::string value = fmt::format("COALESCE({}, {})", identifier(spelling(model, options, term.feature)),
                                          missing == 0 ? std::string("0") : literal(missing));
    text += fmt::format("\n + {} * {}", literal(term.weight),
                        served.logarithms ? fmt::format("SIGN({0}) * LN(1 + ABS({0}))", value) : value);
  }
  return one_file(text + ")\n", std::move(served));
}

}  // namespace dorm
