// SPDX-License-Identifier: Apache-2.0
// Rows whose features come by name, in any order and not all of them: in the end each row has every feature, though
// memory is taken by the values that are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/io/tables/column_problems.h"
#include "data/io/tables/table_encoder.h"
#include "dorm/read.h"

namespace dorm {

class TableRows;

class NamedRows {
 public:
  /// What a feature is that a row does not name: missing, as an empty cell is; or 0, unless means are asked for.
  enum class Absent { missing, zero };

  struct Row {
    float label;  // NaN: none
    std::string query, document, group;
    std::optional<double> weight;
    std::uint64_t line;
  };

  /// Both must outlive this.
  NamedRows(const std::string& file, const ReadOptions& options, Absent absent)
      : file_(file), options_(options), absent_(absent), encoder_(options) {}

  /// The number of a feature: those are columns, in the order of the first calls.
  std::uint32_t column(const std::string& feature);
  bool knows(const std::string& feature) const { return numbers_.contains(feature); }

  /// The query of the values to come, for proposals.
  void begin_row(std::string_view query) { problems_.begin_row(query); }
  /// A column that an encoding names: its values are cells of text.
  bool encoded(std::uint32_t column) const { return encoder_.encoded(column); }
  void add_text(std::uint32_t column, std::string_view text, std::uint64_t line);
  /// A value of the row to come, at most one of each column. What cannot be read is kept for finish(); `text`: as it
  /// stood.
  void add_value(std::uint32_t column, Cell kind, double number, std::uint64_t line, std::string_view text);
  /// The row of the values since the row before.
  void add_row(Row row);
  std::size_t size() const { return rows_.size(); }
  /// The row will not be there.
  void leave_out(std::size_t row) { rows_[row].pruned = true; }

  /// Throws Error(bad_input) that names all features that cannot be read.
  Dataset finish(const ColumnRoles& roles, ReadReport* report);

 private:
  struct Value {
    std::uint32_t column;
    float value;
  };
  struct Placed {
    Row row;
    std::size_t end;  // of its values
    bool pruned = false;
  };

  void find_missing();
  void require_room_for_means() const;
  bool keeps_gaps() const;
  std::vector<float> values_of_gaps();
  TableRows whole_rows();

  const std::string& file_;
  const ReadOptions& options_;
  Absent absent_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<Value> values_;
  std::vector<Placed> rows_;
  bool any_document_ = false;
  TableEncoder encoder_;
  ColumnProblems problems_;
};

}  // namespace dorm
