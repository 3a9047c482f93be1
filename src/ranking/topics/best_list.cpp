// SPDX-License-Identifier: Apache-2.0
#include "ranking/topics/best_list.h"

#include "dorm/learning/assignment.h"

namespace dorm {

TopicList best_list(std::span<const double> values, std::size_t positions, const TopicBudget* budget,
                    const TopicOptions& options) {
  if (budget) return solve_topics(values, positions, *budget, options);
  const Assignment best = assign(values, values.size() / positions, positions, Sense::maximize);
  TopicList list;
  list.documents.resize(positions);
  for (std::uint32_t i = 0; i < best.column_of_row.size(); ++i)
    if (best.column_of_row[i] != kUnassigned) list.documents[best.column_of_row[i]] = i;
  for (std::size_t j = 0; j < positions; ++j) list.objective += values[list.documents[j] * positions + j];
  list.bound = list.objective;
  return list;
}

}  // namespace dorm
