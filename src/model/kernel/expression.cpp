// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/expression.h"

#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "dorm/error.h"

namespace dorm {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The + of 1e+3 belongs to the number.
bool in_exponent(std::string_view text, std::size_t i) {
  return i >= 2 && (text[i - 1] == 'e' || text[i - 1] == 'E') && (is_digit(text[i - 2]) || text[i - 2] == '.');
}

/// Pieces between separators outside parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == ')') inside = text[i] == '(';
    if (text[i] != separator || inside || (separator == '+' && in_exponent(text, i))) continue;
    pieces.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  pieces.push_back(trimmed(text.substr(begin)));
  return pieces;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != ',' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

PartText parse_part(std::string_view piece) {
  PartText part;
  const std::size_t open = piece.find('('),
                    colon = piece.find(':', open == std::string_view::npos ? 0 : piece.find(')', open));
  std::string_view head = trimmed(piece.substr(0, colon));
  if (open != std::string_view::npos && open < head.size()) {
    if (head.back() != ')') refuse_kernel(piece, "expected name(columns):key=value, such as rbf(1-20):gamma=0.1");
    part.columns = words(head.substr(open + 1, head.size() - open - 2));
    if (part.columns.empty()) refuse_kernel(piece, "no columns between the parentheses; leave them out for all");
    head = trimmed(head.substr(0, open));
  }
  part.name = head;
  if (part.name.empty()) refuse_kernel(piece, "expected the name of a part, such as rbf");
  if (colon == std::string_view::npos) return part;
  for (const std::string_view parameter : split(piece.substr(colon + 1), ',')) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == parameter.size())
      refuse_kernel(piece, fmt::format("\"{}\" is no key=value", parameter));
    part.parameters.push_back(
        {std::string(trimmed(parameter.substr(0, equals))), std::string(trimmed(parameter.substr(equals + 1)))});
  }
  return part;
}

}  // namespace

void refuse_kernel(std::string_view piece, const std::string& problem) {
  throw Error(ErrorCode::bad_option, fmt::format("kernel \"{}\": {}", piece, problem));
}

std::vector<TermText> parse_expression(std::string_view text) {
  std::vector<TermText> terms;
  for (const std::string_view piece : split(text, '+')) {
    TermText term;
    for (const std::string_view factor : split(piece, '*')) {
      if (factor.empty()) refuse_kernel(text, "a part is missing beside + or *; expected a name such as rbf");
      double number = 0;
      if (parse_number(factor, number) == NumberKind::malformed) {
        term.parts.push_back(parse_part(factor));
        continue;
      }
      if (!std::isfinite(number) || !(number > 0))
        refuse_kernel(piece, fmt::format("the factor {} would make it indefinite; expected a number above 0", factor));
      term.weight *= number;
    }
    if (term.parts.empty()) refuse_kernel(piece, "a number alone; expected parts such as rbf beside it");
    terms.push_back(std::move(term));
  }
  return terms;
}

}  // namespace dorm
