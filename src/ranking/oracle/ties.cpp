// SPDX-License-Identifier: Apache-2.0
#include "ranking/oracle/ties.h"

#include <algorithm>

namespace dorm::oracle {

void settle_ties(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  const std::uint32_t* order = work.order.data();
  std::size_t first = 0;
  while (first + 1 < l && g[order[first]] != g[order[first + 1]]) ++first;
  if (first + 1 >= l) return;

  std::uint32_t *position_of = reserve(work.list, l), *run = reserve(work.list2, l);
  for (std::size_t j = 0; j < l; ++j) position_of[work.ranking[j]] = static_cast<std::uint32_t>(j);
  for (std::size_t last = first; first < l; first = last) {
    for (last = first + 1; last < l && g[order[first]] == g[order[last]]; ++last) {
    }
    if (last - first == 1) continue;
    std::copy(order + first, order + last, run + first);
    // Documents by gain then index, positions by gain then position: the k-th meets the k-th.
    std::sort(run + first, run + last, [&](std::uint32_t x, std::uint32_t y) {
      return query.b[x] != query.b[y] ? query.b[x] < query.b[y] : position_of[x] < position_of[y];
    });
    for (std::size_t k = first; k < last; ++k) run[k] = position_of[run[k]];
    std::uint32_t* document = reserve(work.list3, last - first);
    std::copy(order + first, order + last, document);
    std::sort(document, document + (last - first), [&](std::uint32_t x, std::uint32_t y) {
      return query.b[x] != query.b[y] ? query.b[x] < query.b[y] : x < y;
    });
    for (std::size_t k = first; k < last; ++k) work.ranking[run[k]] = document[k - first];
  }
}

}  // namespace dorm::oracle
