// SPDX-License-Identifier: Apache-2.0
// An expression of SQL that is the score of a document whose features are columns; a column that is NULL counts as 0.
#include <fmt/ostream.h>

#include "model/export/formats.h"

namespace dorm {
namespace {

/// A name as SQL quotes it: between double quotes, those inside it doubled.
std::string identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// With an exponent, so that no database takes it for a decimal of a fixed number of digits.
std::string literal(double value) { return fmt::format("{:.16e}", value); }

}  // namespace

void export_sql(const Model& model, std::ostream& out) {
  const PlainWeights plain = plain_weights(model);
  fmt::print(out, "({}", literal(plain.constant));
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (plain.weights[j] != 0)
      fmt::print(out, "\n + {} * COALESCE({}, 0)", literal(plain.weights[j]), identifier(model.features[j]));
  fmt::print(out, ")\n");
}

}  // namespace dorm
