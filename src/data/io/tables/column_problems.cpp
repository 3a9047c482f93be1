// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/column_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "data/column_guess.h"
#include "dorm/data/input.h"

namespace dorm {
namespace {

std::string_view kind_text(Cell kind) {
  switch (kind) {
    case Cell::date:
      return "a date, ";
    case Cell::commas:
      return "a number with commas, ";
    case Cell::too_large:
      return "beyond the range of float32, ";
    default:
      return "";
  }
}

std::string found_text(const std::string& text) {
  return without_blanks(text).empty() ? "an empty cell" : in_quotes(text);
}

/// A name in a list: a comma of its own stands behind a backslash.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == ',' ? std::string("\\,") : std::string(1, c);
  return out;
}

}  // namespace

void ColumnProblems::add(std::string_view column, Cell kind, const SourcePosition& at, std::string_view text,
                         const std::string& expected) {
  Problems& problems = kind == Cell::missing ? missing_ : unreadable_;
  auto known = problems.find(column);
  if (known == problems.end())
    known = problems.emplace(column, Problem{kind, at, std::string(text), expected, count_++}).first;
  if (kind != Cell::missing) known->second.sample.add(without_blanks(text), query_);
}

std::vector<const ColumnProblems::Entry*> ColumnProblems::in_order(const Problems& problems) {
  std::vector<const Entry*> order;
  for (const Entry& entry : problems) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const Entry* a, const Entry* b) { return a->second.order < b->second.order; });
  return order;
}

std::string ColumnProblems::listed(const Problems& problems) {
  constexpr std::size_t kShown = 12;
  std::string text;
  std::size_t shown = 0;
  for (const Entry* entry : in_order(problems)) {
    if (shown++ == kShown) return text + fmt::format(" and {} more", problems.size() - kShown);
    const Problem& problem = entry->second;
    text += fmt::format("{}{} ({}line {}: {})", text.empty() ? "" : ", ", in_quotes(entry->first),
                        kind_text(problem.kind), problem.at.line, found_text(problem.text));
  }
  return text;
}

std::string ColumnProblems::single(const Entry& entry) {
  const auto& [column, problem] = entry;
  std::string_view expected = problem.expected.empty() ? "a number" : std::string_view(problem.expected);
  if (problem.kind == Cell::missing) expected = "a finite number (missing values can be read as zero or mean)";
  if (!problem.expected.empty())
    return fmt::format("found {} in column {}; expected {}", found_text(problem.text), in_quotes(column), expected);
  if (problem.kind == Cell::too_large) expected = "a number within the range of float32";
  if (problem.kind == Cell::commas) expected = "a number without commas, such as 1234.5";
  if (problem.kind == Cell::date) expected = "a number, and not a date";
  return fmt::format("found {} in column {}; expected {}", found_text(problem.text), in_quotes(column), expected);
}

/// A column whose gaps are of no account: left out, or a category.
bool ColumnProblems::is_no_number(const std::string& column) const {
  const auto text = unreadable_.find(column);
  if (text == unreadable_.end() || !text->second.expected.empty()) return false;
  const std::string rule = text->second.sample.proposal();
  return rule.empty() || rule == "onehot";
}

/// The rule that most columns want, and those of the others. Never query-min: of columns that no retriever fills, it
/// would say what no target without the documents of a query can do.
Remedy ColumnProblems::missing_rules() const {
  std::map<std::string_view, std::size_t> count;
  for (const auto& [column, problem] : missing_)
    if (!is_no_number(column)) ++count[proposed_missing(column)];
  if (count.empty()) return {Remedy::Kind::treat_missing};
  std::string_view common = "mean";
  for (const auto& [rule, columns] : count)
    if (columns > count[common] && rule != name_of(Missing::query_min)) common = rule;
  Remedy remedy{Remedy::Kind::treat_missing};
  if (count[common] > 0) remedy.columns.emplace_back(common);
  for (const Entry* entry : in_order(missing_))
    if (const std::string_view rule = proposed_missing(entry->first); rule != common && !is_no_number(entry->first))
      remedy.columns.push_back(escaped(entry->first) + "=" + std::string(rule));
  return remedy;
}

std::vector<Remedy> ColumnProblems::remedies(bool documents_known) const {
  std::vector<Remedy> remedies;
  Remedy ignored{Remedy::Kind::ignore_columns}, encoded{Remedy::Kind::encode_columns};
  Remedy of_queries{Remedy::Kind::query_text}, title{Remedy::Kind::title};
  for (const Entry* entry : in_order(unreadable_)) {
    if (!documents_known && names_a_document(entry->first)) {
      remedies.push_back({Remedy::Kind::document_column, {entry->first}});
      documents_known = true;
    } else if (const std::string rule = entry->second.sample.proposal(); !entry->second.expected.empty()) {
      if (rule.starts_with("age:")) encoded.columns.push_back(escaped(entry->first) + "=" + rule);
    } else if ((rule.empty() || rule == "onehot") && title.columns.empty() && names_a_title(entry->first) &&
               entry->second.sample.differs()) {
      title.columns.push_back(entry->first);
    } else if (rule.empty() && of_queries.columns.empty() && entry->second.sample.is_of_queries()) {
      of_queries.columns.push_back(entry->first);
    } else if (!rule.empty()) {
      encoded.columns.push_back(escaped(entry->first) + "=" + rule);
    } else {
      ignored.columns.push_back(entry->first);
    }
  }
  for (Remedy* remedy : {&encoded, &of_queries, &title, &ignored})
    if (!remedy->columns.empty()) remedies.push_back(std::move(*remedy));
  if (Remedy rules = missing_rules(); !rules.columns.empty()) remedies.push_back(std::move(rules));
  return remedies;
}

Error ColumnProblems::error(bool documents_known) const {
  const Entry* first = nullptr;
  for (const Problems* problems : {&unreadable_, &missing_})
    for (const Entry& entry : *problems)
      if (first == nullptr || entry.second.order < first->second.order) first = &entry;
  std::string message;
  if (unreadable_.size() + missing_.size() == 1) {
    message = single(*first);
  } else {
    if (!unreadable_.empty())
      message =
          fmt::format("{} not hold numbers: {}",
                      unreadable_.size() == 1 ? "1 column does" : fmt::format("{} columns do", unreadable_.size()),
                      listed(unreadable_));
    if (!missing_.empty())
      message += fmt::format("{}{} column{} missing values: {}", message.empty() ? "" : "; ", missing_.size(),
                             missing_.size() == 1 ? " has" : "s have", listed(missing_));
  }
  return {ErrorCode::bad_input, first->second.at, message, remedies(documents_known)};
}

}  // namespace dorm
