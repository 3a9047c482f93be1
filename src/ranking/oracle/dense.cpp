// SPDX-License-Identifier: Apache-2.0
// The oracle as a plain dense assignment, which tests compare the others with.
#include "dorm/learning/assignment.h"
#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {

void rank_assignment(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  const std::vector<double>&a = query.tables->a, &c = query.tables->c;
  std::vector<double> benefit(l * l);
  for (std::size_t i = 0; i < l; ++i) {
    for (std::size_t j = 0; j < l; ++j) benefit[i * l + j] = c[j] * g[i] - a[j] * query.b[i];
  }
  const Assignment solved = assign(benefit, l, l, Sense::maximize);
  for (std::size_t i = 0; i < l; ++i) work.ranking[solved.column_of_row[i]] = static_cast<std::uint32_t>(i);
}

}  // namespace dorm::oracle
