// SPDX-License-Identifier: Apache-2.0
// a = kappa c + constant: sum_i c[p(i)] (g_i - kappa b_i) + constant, so sorting by g - kappa b is optimal.
#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {

void rank_proportional(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  const PositionTables& t = *query.tables;
  const double kappa = t.proportional ? t.kappa : 0;
  double* key = reserve(work.key, l);
  for (std::size_t i = 0; i < l; ++i) key[i] = g[i] - kappa * query.b[i];
  sort_descending({key, l}, {work.ranking.data(), l}, work.sort);
}

}  // namespace dorm::oracle
