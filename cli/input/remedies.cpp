// SPDX-License-Identifier: Apache-2.0
#include "input/remedies.h"

#include <fmt/format.h>

namespace dorm::cli {
namespace {

/// Names joined by commas, as --ignore-column takes them, quoted for a shell where that is needed.
std::string shell_list(const std::vector<std::string>& names, bool escape) {
  std::string list;
  bool plain = true;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    for (const char c : name) {
      if (c == ',' && escape) list += '\\';
      list += c;
      plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '.' || c == ':' || c == '=' || c == '+' || (c == ',' && !escape));
    }
  }
  if (plain) return list;
  std::string quoted = "'";
  for (const char c : list) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

const char* option_of(Remedy::Kind kind) {
  switch (kind) {
    case Remedy::Kind::ignore_columns:
      return "--ignore-column";
    case Remedy::Kind::treat_missing:
      return "--missing";
    case Remedy::Kind::label_column:
      return "--label-column";
    case Remedy::Kind::query_column:
      return "--query-column";
    case Remedy::Kind::document_column:
      return "--document-column";
    case Remedy::Kind::query_text:
      return "--query-text-column";
    case Remedy::Kind::title:
      return "--title-column";
    case Remedy::Kind::query_ids:
      return "--query-ids";
    case Remedy::Kind::encode_columns:
      return "--encode";
  }
  return "";
}

bool names_a_role(const Remedy& remedy) {
  return remedy.kind == Remedy::Kind::label_column || remedy.kind == Remedy::Kind::query_column ||
         remedy.kind == Remedy::Kind::document_column;
}

bool names_a_text(const Remedy& remedy) {
  return remedy.kind == Remedy::Kind::query_text || remedy.kind == Remedy::Kind::title;
}

}  // namespace

std::string option_text(const Remedy& remedy) {
  if (remedy.kind == Remedy::Kind::treat_missing && remedy.columns.empty()) return "--missing mean";
  return fmt::format("{} {}", option_of(remedy.kind),
                     shell_list(remedy.columns, remedy.kind == Remedy::Kind::ignore_columns));
}

Error with_options(const Error& error, bool by_model) {
  std::string roles, others, line;
  bool texts = false;
  std::size_t options = 0;
  for (const Remedy& remedy : error.remedies()) {
    if (remedy.kind == Remedy::Kind::encode_columns && by_model) continue;
    line += fmt::format("{}{}", line.empty() ? "" : " ", option_text(remedy));
    options += remedy.kind != Remedy::Kind::query_ids;
    if (remedy.kind == Remedy::Kind::encode_columns) {
      others += fmt::format("; to encode {}: {}", remedy.columns.size() == 1 ? "it" : "them", option_text(remedy));
    } else if (names_a_role(remedy)) {
      roles += fmt::format("{}{}", roles.empty() ? "" : " ", option_text(remedy));
    } else if (names_a_text(remedy)) {
      others += fmt::format("{}{}", texts ? " " : "; to show texts to people: ", option_text(remedy));
      texts = true;
    } else if (remedy.kind == Remedy::Kind::ignore_columns) {
      others += fmt::format("; to leave {} out: {}", remedy.columns.size() == 1 ? "it" : "them", option_text(remedy));
    } else if (remedy.kind == Remedy::Kind::query_ids) {
      others += "; to name all queries: --query-ids FILE, with a line for each answer";
    } else {
      others += by_model ? "; the model was trained without missing values: --missing zero takes them for 0, and a "
                           "model trained with --missing mean fills them"
                         : fmt::format("; to fill in what is missing: {}{}", option_text(remedy),
                                       option_text(remedy) == "--missing mean" ? ", or --missing zero" : "");
    }
  }
  if (options > 1 && !others.empty() && !by_model) return {error, fmt::format("{}; all together: {}", others, line)};
  if (!roles.empty()) roles = fmt::format("; did you mean {}?", roles);
  return {error, others + roles};
}

}  // namespace dorm::cli
