// SPDX-License-Identifier: Apache-2.0
// Columns of a table that cannot be read as features, gathered so that one error names them all.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "data/io/tables/table_cell.h"
#include "dorm/error.h"

namespace dorm {

class ColumnProblems {
 public:
  /// The first problem of each kind is kept of a column. `kind` is not Cell::number.
  void add(std::string_view column, Cell kind, const SourcePosition& at, std::string_view text);
  bool empty() const { return unreadable_.empty() && missing_.empty(); }

  /// Names all columns, with an example of each, at the place of the first. `documents_known`: there is a column of
  /// document ids already.
  Error error(bool documents_known) const;

 private:
  struct Problem {
    Cell kind;
    SourcePosition at;
    std::string text;
    std::size_t order;  // of discovery
  };
  using Problems = std::map<std::string, Problem, std::less<>>;
  using Entry = Problems::value_type;

  static std::vector<const Entry*> in_order(const Problems& problems);
  static std::string listed(const Problems& problems);
  static std::string single(const Entry& entry);
  std::vector<Remedy> remedies(bool documents_known) const;

  Problems unreadable_, missing_;
  std::size_t count_ = 0;
};

}  // namespace dorm
