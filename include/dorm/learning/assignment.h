// SPDX-License-Identifier: Apache-2.0
// Linear assignment: match every row with its own column (or, with fewer columns, every column with its own row) so
// that the sum of the matched entries is smallest, or largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/data/judgments.h"

namespace dorm {

enum class Sense { minimize, maximize };

inline constexpr std::uint32_t kUnassigned = UINT32_MAX;

/// The optimal matching and its certificate. When minimising, matrix[i][j] >= row_dual[i] + column_dual[j] for every
/// entry, with equality where matched; the duals of what stays unmatched are 0, the other duals of that side are <= 0;
/// the value is the sum of all duals. When maximising, every inequality is reversed.
struct Assignment {
  std::vector<std::uint32_t> column_of_row;  // kUnassigned where there are more rows than columns
  std::vector<double> row_dual, column_dual;
  double value = 0;
};

/// Shortest augmenting paths in double precision, O(min(rows, columns)^2 max(rows, columns)). `matrix` is row-major.
/// There is no augmenting-row-reduction phase: on the rank-two costs of ranking it degenerates into price wars. Throws
/// Error(bad_input) on NaN, infinity, an empty matrix or a wrong length.
Assignment assign(std::span<const double> matrix, std::size_t rows, std::size_t columns, Sense sense = Sense::minimize);

// ---- assignment under topic budgets ------------------------------------------------------------------------------

// Lists under topic budgets: the best n documents, each at its position, within the limit of every topic.
//
//   maximise    sum_j value[list[j], j]    over lists of n different documents
//   subject to  sum over the list of weight[document, topic] <= limit[topic]   for every topic
//
// An assignment problem with side constraints, which is no longer solved by sorting or by augmenting paths: an integer
// program. Numbers only. Guide: docs/positions.md.

/// The lists a query may show: `documents` documents of a table, from `first_document` on.
struct TopicBudget {
  const TopicTable& table;
  std::size_t first_document = 0, documents = 0;

  std::span<const TopicShare> shares(std::size_t document) const {
    const std::size_t begin = table.first[first_document + document];
    return std::span(table.shares).subspan(begin, table.first[first_document + document + 1] - begin);
  }
};

struct TopicOptions {
  double seconds = 10;  // for one list; 0: no limit

  void validate() const;  // throws Error(bad_option)
};

enum class TopicStatus {
  optimal,        // no allowed list is better
  limit_reached,  // the best list found; `bound` says how much better another could be
  infeasible,     // no list of n documents keeps the limits
  nothing_found,  // time ran out before any list was found
};
std::string topic_status_name(TopicStatus status);

struct TopicList {
  TopicStatus status = TopicStatus::optimal;
  std::vector<std::uint32_t> documents;  // by position; empty when infeasible or nothing found
  double objective = 0;                  // of these documents
  double bound = 0;                      // no allowed list has more

  /// (bound - objective) / max(|bound|, |objective|).
  double gap() const;
};

/// `values` is row-major, budget.documents x positions, with positions <= documents. Tries the assignment without
/// limits first, then an integer program, its linear relaxation rounded, and a greedy list. A list that is returned
/// keeps every limit to within rounding (1e-9 of it). Deterministic unless the time runs out. Throws Error(bad_input)
/// for numbers that are not finite, negative weights or limits, and sizes that do not fit; Error(unsupported) when the
/// limits bind and the library was built without a solver.
TopicList solve_topics(std::span<const double> values, std::size_t positions, const TopicBudget& budget,
                       const TopicOptions& options = {});

/// Whether a list keeps every limit, to within rounding.
bool keeps_limits(std::span<const std::uint32_t> list, const TopicBudget& budget);

/// Why no list of that many documents exists, naming a topic when one alone rules it out.
std::string explain_infeasible(std::size_t positions, const TopicBudget& budget);

/// Throws Error(bad_input) for limits and weights that are negative or not finite, or arrays that do not fit.
void validate(const TopicTable& table);

/// "HiGHS 1.15.1", "CBC 2.10.8", or "" when the library was built without a solver.
std::string topic_solver();

/// Whether solve_topics() may be called from several threads at once.
bool topic_solver_in_threads();

}  // namespace dorm
