// SPDX-License-Identifier: Apache-2.0
// The integer program of a list under topic budgets: y_i says whether document i is in the list, x_ij whether it stands
// at position j. Only y must be forced to be whole: for a given y the x form an assignment problem, whose vertices are
// whole by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dorm/learning/assignment.h"
#include "ranking/topics/integer_program.h"

namespace dorm {

class TopicProgram {
 public:
  TopicProgram(std::span<const double> values, std::size_t positions, const TopicBudget& budget);

  const IntegerProgram& program() const { return program_; }

  /// From the program's units to those of the values.
  double value_of(double objective) const { return constant_ + objective / scale_; }

  /// How much of each document a solution takes.
  std::vector<double> taken(std::span<const double> solution) const;

  /// Forbids a set of documents. (The solver keeps limits to within its tolerance, we to within rounding.)
  void exclude(std::span<const std::uint32_t> documents);

 private:
  struct Cell {
    std::uint32_t document, position;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void choose_cells(std::span<const double> values);
  void set_objective(std::span<const double> values);
  void add_assignment_rows();
  void add_topic_rows();

  const TopicBudget& budget_;
  std::size_t positions_;
  std::vector<Cell> cells_;               // one per x_ij
  std::vector<std::uint32_t> documents_;  // one per y_i
  std::vector<std::size_t> variable_of_;  // y of a document of the query, or kNone
  IntegerProgram program_;
  double constant_ = 0, scale_ = 1;
};

}  // namespace dorm
