// SPDX-License-Identifier: Apache-2.0
#include "ranking/assign/grouped_assignment.h"

#include <algorithm>

#include "base/numeric.h"

namespace dorm {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

std::span<const std::uint32_t> GroupedAssignment::solve(const GroupedProblem& problem) {
  problem_ = problem;
  column_of_.assign(problem.rows, kNone);
  row_of_.assign(problem.columns, kNone);
  used_.assign(problem.capacity.size(), 0);
  to_sink_.assign(problem.rows, 0.0);
  own_.resize(problem.rows);
  group_.resize(problem.capacity.size());
  closed_.resize(problem.capacity.size());
  path_.resize(problem.rows);
  settled_.resize(problem.rows);
  for (std::size_t row = 0; row < problem.rows; ++row) augment(static_cast<std::uint32_t>(row));
  return column_of_;
}

// Lengths are sums of -value along takes and +value along releases. A row is reached when another takes its column,
// or takes a free column of its full group and so makes it release its own; the sink when a free column of a group
// with room is taken.
void GroupedAssignment::augment(std::uint32_t start) {
  constexpr Path kUnreached = {kInfinity, kNone, kNone};
  std::fill(own_.begin(), own_.end(), kUnreached);
  std::fill(group_.begin(), group_.end(), kUnreached);
  std::fill(closed_.begin(), closed_.end(), std::uint8_t{0});
  std::fill(settled_.begin(), settled_.end(), std::uint8_t{0});
  settled_rows_.clear();
  sink_ = kUnreached;
  path_[start] = {0, kNone, kNone};
  for (std::uint32_t row = start; row != kNone; row = nearest_row()) {
    settled_[row] = 1;
    settled_rows_.push_back(row);
    const std::uint32_t own = column_of_[row];  // what led here is final, whatever rounding may say later
    if (own != kNone && path_[row].column != own) closed_[problem_.group_of[own]] = 1;
    relax(row);
  }
  for (std::uint32_t row : settled_rows_) to_sink_[row] = sink_.length - path_[row].length;
  apply(start);
}

void GroupedAssignment::relax(std::uint32_t row) {
  const double* value = problem_.value.data() + row * problem_.columns;
  const double base = path_[row].length;
  for (std::size_t i = 0; i < problem_.columns; ++i) {
    const double length = base - value[i];
    const auto column = static_cast<std::uint32_t>(i);
    if (const std::uint32_t owner = row_of_[i]; owner != kNone) {
      if (length < own_[owner].length) own_[owner] = {length, column, row};
      continue;
    }
    const std::uint32_t s = problem_.group_of[i];
    if (closed_[s] != 0 || !(length < group_[s].length)) continue;
    group_[s] = {length, column, row};
    if (length < sink_.length && used_[s] < problem_.capacity[s]) sink_ = group_[s];
  }
}

// The open row with the smallest length + distance to the sink, its path recorded; none when the sink
// itself is no farther.
std::uint32_t GroupedAssignment::nearest_row() {
  double smallest = sink_.length;
  std::uint32_t nearest = kNone;
  for (std::uint32_t row = 0; row < problem_.rows; ++row) {
    const std::uint32_t own = column_of_[row];
    if (settled_[row] != 0 || own == kNone) continue;
    const std::uint32_t s = problem_.group_of[own];
    const bool full = used_[s] == problem_.capacity[s];
    path_[row] = full && group_[s].length < own_[row].length ? group_[s] : own_[row];
    path_[row].length += problem_.value[row * problem_.columns + own];
    if (!(path_[row].length + to_sink_[row] < smallest)) continue;
    smallest = path_[row].length + to_sink_[row];
    nearest = row;
  }
  return nearest;
}

// Hands columns over along the path, from the sink back to the new row.
void GroupedAssignment::apply(std::uint32_t start) {
  ++used_[problem_.group_of[sink_.column]];
  Path step = sink_;
  while (true) {
    const std::uint32_t row = step.row_before;
    const std::uint32_t released = column_of_[row];
    if (released != kNone) row_of_[released] = kNone;
    column_of_[row] = step.column;
    row_of_[step.column] = row;
    if (row == start) return;
    step = path_[row];
  }
}

}  // namespace dorm
