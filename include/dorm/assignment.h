// SPDX-License-Identifier: Apache-2.0
// Linear assignment: match every row with its own column (or, with fewer columns, every column with its own row) so
// that the sum of the matched entries is smallest, or largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dorm {

enum class Sense { minimize, maximize };

inline constexpr std::uint32_t kUnassigned = UINT32_MAX;

/// The optimal matching and its certificate. When minimising, matrix[i][j] >= row_dual[i] + column_dual[j] for every
/// entry, with equality where matched; the duals of what stays unmatched are 0, the other duals of that side are <= 0;
/// the value is the sum of all duals. When maximising, every inequality turns round.
struct Assignment {
  std::vector<std::uint32_t> column_of_row;  // kUnassigned where there are more rows than columns
  std::vector<double> row_dual, column_dual;
  double value = 0;
};

/// Shortest augmenting paths in double precision, O(min(rows, columns)^2 max(rows, columns)). `matrix` is row-major.
/// There is no augmenting-row-reduction phase: on the rank-two costs of ranking it degenerates into price wars. Throws
/// Error(bad_input) on NaN, infinity, an empty matrix or a wrong length.
Assignment assign(std::span<const double> matrix, std::size_t rows, std::size_t columns, Sense sense = Sense::minimize);

}  // namespace dorm
