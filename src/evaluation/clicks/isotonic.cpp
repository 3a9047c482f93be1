// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "evaluation/clicks/estimators.h"

namespace dorm {

// Pool adjacent violators; the bound by x_0 = 0 is then a cut, which is where the bounded problem has its solution.
void make_isotonic(PositionLogs& logs) {
  struct Pool {
    double weight, sum;
    std::size_t size;
  };
  std::vector<Pool> pools;
  for (std::size_t k = 1; k < logs.x.size(); ++k) {
    const double weight = logs.error[k] > 0 ? 1 / (logs.error[k] * logs.error[k]) : 1;
    pools.push_back({weight, weight * logs.x[k], 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      if (before.sum / before.weight >= last.sum / last.weight) break;
      before = {before.weight + last.weight, before.sum + last.sum, before.size + last.size};
      pools.pop_back();
    }
  }
  std::size_t k = 1;
  for (const Pool& pool : pools)
    for (std::size_t i = 0; i < pool.size; ++i) logs.x[k++] = std::min(0.0, pool.sum / pool.weight);
}

}  // namespace dorm
