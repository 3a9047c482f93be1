// SPDX-License-Identifier: Apache-2.0
// Dense assignment by shortest augmenting paths with dual prices (Dijkstra on reduced costs).
#include "dorm/learning/assignment.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "dorm/error.h"

namespace dorm {
namespace {

void validate(std::span<const double> matrix, std::size_t rows, std::size_t columns) {
  if (rows == 0 || columns == 0) {
    throw Error(ErrorCode::bad_input, fmt::format("assignment of an empty {} x {} matrix", rows, columns));
  }
  if (matrix.size() / columns != rows || matrix.size() % columns != 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("assignment: {} entries given for a {} x {} matrix", matrix.size(), rows, columns));
  }
  // Sums along paths must be finite, too.
  const double largest =
      std::numeric_limits<double>::max() / (4 * (static_cast<double>(rows) + static_cast<double>(columns)));
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    if (!std::isfinite(matrix[k])) {
      throw Error(ErrorCode::bad_input, fmt::format("assignment: entry ({}, {}) is {}; expected a finite number",
                                                    k / columns, k % columns, matrix[k]));
    }
    if (std::fabs(matrix[k]) > largest)
      throw Error(ErrorCode::bad_input,
                  fmt::format("assignment: entry ({}, {}) is {}; expected at most {:.3g}, so that sums are finite",
                              k / columns, k % columns, matrix[k], largest));
  }
}

/// Minimises with rows <= columns. Invariants: cost - u - v >= 0, equality on matched pairs, v <= 0 with v = 0
/// on free columns.
class ShortestPaths {
 public:
  ShortestPaths(std::vector<double> cost, std::size_t rows, std::size_t columns)
      : cost_(std::move(cost)),
        rows_(rows),
        columns_(columns),
        u(rows, 0.0),
        v(columns, 0.0),
        column_of_row(rows, kUnassigned),
        row_of_column(columns, kUnassigned),
        distance_(columns),
        parent_(columns),
        queue_(columns) {
    reduce_rows();
    for (std::size_t row = 0; row < rows_; ++row) {
      if (column_of_row[row] == kUnassigned) augment(static_cast<std::uint32_t>(row));
    }
  }

  const double* row(std::size_t i) const { return cost_.data() + i * columns_; }

 private:
  std::vector<double> cost_;
  std::size_t rows_, columns_;

 public:
  std::vector<double> u, v;
  std::vector<std::uint32_t> column_of_row, row_of_column;

 private:
  std::vector<double> distance_;
  std::vector<std::uint32_t> parent_, queue_;

  // Each row takes its cheapest column where that is still free.
  void reduce_rows() {
    for (std::size_t i = 0; i < rows_; ++i) {
      const double* entry = row(i);
      std::size_t best = 0;
      for (std::size_t j = 1; j < columns_; ++j) best = entry[j] < entry[best] ? j : best;
      u[i] = entry[best];
      if (row_of_column[best] == kUnassigned) match(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(best));
    }
  }

  void match(std::uint32_t i, std::uint32_t j) {
    column_of_row[i] = j;
    row_of_column[j] = i;
  }

  // The queue holds [0, done) settled columns, then the open ones.
  void augment(std::uint32_t start) {
    for (std::size_t j = 0; j < columns_; ++j) {
      queue_[j] = static_cast<std::uint32_t>(j);
      distance_[j] = kInfinity;
    }
    std::size_t done = 0;
    std::uint32_t i = start, sink = kUnassigned;
    double reached = 0;
    while (sink == kUnassigned) {
      const std::size_t nearest = relax(i, reached, done);
      const std::uint32_t column = queue_[nearest];
      reached = distance_[column];
      std::swap(queue_[nearest], queue_[done++]);
      if (row_of_column[column] == kUnassigned)
        sink = column;
      else
        i = row_of_column[column];
    }
    u[start] += reached;
    for (std::size_t k = 0; k + 1 < done; ++k) {
      const std::uint32_t column = queue_[k];
      u[row_of_column[column]] += reached - distance_[column];
      v[column] -= reached - distance_[column];
    }
    for (std::uint32_t column = sink, r = kUnassigned; r != start;) {
      r = parent_[column];
      const std::uint32_t next = column_of_row[r];
      match(r, column);
      column = next;
    }
  }

  // Lengthens the paths through row i and returns the place of the nearest open column, a free one first.
  std::size_t relax(std::uint32_t i, double reached, std::size_t done) {
    const double* entry = row(i);
    const double base = reached - u[i];
    double shortest = kInfinity;
    std::size_t nearest = done;
    for (std::size_t k = done; k < columns_; ++k) {
      const std::uint32_t j = queue_[k];
      const double length = base + entry[j] - v[j];
      if (length < distance_[j]) {
        distance_[j] = length;
        parent_[j] = i;
      }
      if (distance_[j] < shortest || (distance_[j] == shortest && row_of_column[j] == kUnassigned)) {
        shortest = distance_[j];
        nearest = k;
      }
    }
    return nearest;
  }
};

}  // namespace

Assignment assign(std::span<const double> matrix, std::size_t rows, std::size_t columns, Sense sense) {
  validate(matrix, rows, columns);
  const bool turned = rows > columns;
  const double sign = sense == Sense::maximize ? -1.0 : 1.0;
  std::vector<double> cost(matrix.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      cost[turned ? j * rows + i : i * columns + j] = sign * matrix[i * columns + j];
    }
  }
  ShortestPaths solved(std::move(cost), turned ? columns : rows, turned ? rows : columns);
  Assignment result;
  result.column_of_row = turned ? std::move(solved.row_of_column) : std::move(solved.column_of_row);
  result.row_dual = turned ? std::move(solved.v) : std::move(solved.u);
  result.column_dual = turned ? std::move(solved.u) : std::move(solved.v);
  for (double& x : result.row_dual) x *= sign;
  for (double& x : result.column_dual) x *= sign;
  for (std::size_t i = 0; i < rows; ++i) {
    if (result.column_of_row[i] != kUnassigned) result.value += matrix[i * columns + result.column_of_row[i]];
  }
  return result;
}

}  // namespace dorm
