// SPDX-License-Identifier: Apache-2.0
// Assignment with limits on groups of columns: every row gets a column of its own, at most capacity[s] columns of group
// s are used, and the sum of the matched values is as large as can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dorm {

/// A pair that may not be matched.
inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();

/// The problem, borrowed. There must be a way to match every row.
struct GroupedProblem {
  std::span<const double> value;  // row-major; finite or kForbidden
  std::size_t rows = 0, columns = 0;
  std::span<const std::uint32_t> group_of;  // by column
  std::span<const std::uint32_t> capacity;  // by group
};

/// A minimum-cost flow rows -> columns -> groups -> sink by one shortest augmenting path per row. Its constraint
/// matrix is a network's, hence totally unimodular: the answer is the best fractional one too. Paths are searched
/// over rows only. Each matched row keeps its distance to the sink as a potential, exact at all times, which makes
/// reduced lengths non-negative. O(rows^2 columns) in all, rows x columns where no two rows want the same group.
/// Buffers grow and are kept.
class GroupedAssignment {
 public:
  /// The column of every row; valid until the next call.
  std::span<const std::uint32_t> solve(const GroupedProblem& problem);

 private:
  /// The end of a path from the new row: `row_before` takes `column`.
  struct Path {
    double length = 0;
    std::uint32_t column = 0, row_before = 0;
  };

  void augment(std::uint32_t start);
  void relax(std::uint32_t row);
  std::uint32_t nearest_row();
  void apply(std::uint32_t start);

  GroupedProblem problem_;
  std::vector<std::uint32_t> column_of_, row_of_, used_;
  std::vector<double> to_sink_;                 // by row: the length of its shortest way to the sink
  std::vector<Path> own_;                       // to the column of each matched row
  std::vector<Path> group_;                     // to each group, by the nearest of its free columns
  std::vector<Path> path_;                      // to each row
  std::vector<std::uint8_t> closed_, settled_;  // groups; rows
  std::vector<std::uint32_t> settled_rows_;
  Path sink_;
};

}  // namespace dorm
