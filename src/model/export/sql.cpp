// SPDX-License-Identifier: Apache-2.0
// An expression of SQL that is the score of a document whose features are columns. A column that is NULL counts as what
// stood in for missing values in training: the mean, or 0.
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
  const PlainWeights plain = plain_weights(model, Powers::logarithms);
  const InputDescription& input = model.data.input;
  fmt::print(out, "({}", literal(plain.constant));
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    if (plain.weights[j] == 0) continue;
    const auto mean = input.means.find(model.features[j]);
    const bool filled = input.missing == Missing::mean && mean != input.means.end();
    const std::string value = fmt::format("COALESCE({}, {})", identifier(model.features[j]),
                                          filled ? literal(mean->second) : std::string("0"));
    fmt::print(out, "\n + {} * {}", literal(plain.weights[j]),
               plain.logarithms ? fmt::format("SIGN({0}) * LN(1 + ABS({0}))", value) : value);
  }
  fmt::print(out, ")\n");
}

}  // namespace dorm
