// SPDX-License-Identifier: Apache-2.0
// Columns of a table that cannot be read as features, gathered so that one error names them all.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "data/encode/proposal.h"
#include "data/io/tables/table_cell.h"
#include "dorm/error.h"

namespace dorm {

class ColumnProblems {
 public:
  /// The row that the next problems are of.
  void begin_row(std::string_view query) {
    if (query_ != query) query_ = query;
  }
  /// The first problem of each kind is kept of a column, and all cells together propose what would help. `kind` is not
  /// Cell::number. `expected`: instead of a number.
  void add(std::string_view column, Cell kind, const SourcePosition& at, std::string_view text,
           const std::string& expected = {});
  bool empty() const { return unreadable_.empty() && missing_.empty(); }

  /// Names all columns, with an example of each, at the place of the first. `documents_known`: there is a column of
  /// document ids already.
  Error error(bool documents_known) const;

 private:
  struct Problem {
    Cell kind;
    SourcePosition at;
    std::string text, expected;
    std::size_t order;  // of discovery
    ColumnSample sample = {};
  };
  using Problems = std::map<std::string, Problem, std::less<>>;
  using Entry = Problems::value_type;

  static std::vector<const Entry*> in_order(const Problems& problems);
  static std::string listed(const Problems& problems);
  static std::string single(const Entry& entry);
  bool is_no_number(const std::string& column) const;
  Remedy missing_rules() const;
  std::vector<Remedy> remedies(bool documents_known) const;

  Problems unreadable_, missing_;
  std::string query_;
  std::size_t count_ = 0;
};

}  // namespace dorm
