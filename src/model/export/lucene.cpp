// SPDX-License-Identifier: Apache-2.0
// An expression of Lucene, in its JavaScript: for Lucene itself, and for scripts of Elasticsearch and OpenSearch of the
// language `expression`. In doubles.
#include <fmt/format.h>

#include <cctype>

#include "base/quote.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

/// Lucene compiles an expression to one method of Java, which holds 64 KB; what a term takes of it was measured.
constexpr std::size_t kMethodBytes = 65000, kTermBytes = 13, kLogarithmBytes = 37, kHeldBytes = 12;

bool is_identifier_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

/// Takes an identifier off the front.
bool skip_identifier(std::string_view& text) {
  if (text.empty() || !is_identifier_start(text.front())) return false;
  while (!text.empty() && (is_identifier_start(text.front()) || (text.front() >= '0' && text.front() <= '9')))
    text.remove_prefix(1);
  return true;
}

/// The text between brackets: a whole number, or text between single quotes, in which \' and \\ are escapes. (Lucene
/// writes text between double quotes in single ones, so that two spellings would be one variable.)
bool skip_index(std::string_view& text) {
  if (text.starts_with('\'')) {
    std::size_t i = 1;
    while (i < text.size() && text[i] != '\'') {
      if (text[i] == '\\' && (i + 1 == text.size() || (text[i + 1] != '\'' && text[i + 1] != '\\'))) return false;
      i += text[i] == '\\' ? 2 : 1;
    }
    if (i >= text.size()) return false;
    text.remove_prefix(i + 1);
    return true;
  }
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || (text.front() == '0' && digits > 1)) return false;
  text.remove_prefix(digits);
  return true;
}

bool is_ascii_text(std::string_view name) {
  for (const char c : name)
    if (c < ' ' || c > '~') return false;
  return true;
}

}  // namespace

bool is_expression_variable(std::string_view name) {
  if (!is_ascii_text(name)) return false;
  do {
    if (!skip_identifier(name)) return false;
    while (name.starts_with('[')) {
      name.remove_prefix(1);
      if (!skip_index(name) || !name.starts_with(']')) return false;
      name.remove_prefix(1);
    }
    if (name.empty()) return true;
    if (name.front() != '.') return false;
    name.remove_prefix(1);
  } while (true);
}

Exported export_lucene(const Model& model, const ExportOptions& given) {
  std::vector<std::string> notes;
  const ExportOptions options = naming_numbers(model, given, "lucene", "f", "", notes);
  ServedModel served = folded(model, options);
  const std::size_t held = has_held_terms(served) ? kHeldBytes : 0;
  if (served.terms.size() * ((served.logarithms ? kLogarithmBytes : kTermBytes) + held) > kMethodBytes)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has {} terms of a weight, which is more than an expression of Lucene holds",
                            served.terms.size()));
  std::string text = sum_text(served, [&](const ServedModel::Term& term) {
    const std::string name(spelling(model, options, term.feature));
    if (!is_expression_variable(name))
      refuse_name("lucene", name, "it is no variable of Lucene's expressions, such as price or doc['price'].value");
    const std::string value = served.logarithms ? fmt::format("ln((1 + max({0}, 0)) / (1 - min({0}, 0)))", name) : name;
    return term.held() ? held_text(value, term) : value;
  });
  Exported exported = one_file(text + "\n", std::move(served));
  exported.notes = std::move(notes);
  note_missing(exported, model, "Lucene");
  return exported;
}

}  // namespace dorm
