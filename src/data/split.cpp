// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "base/rng.h"
#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {

std::vector<std::vector<std::size_t>> folds(const Dataset& data, std::size_t k, std::uint64_t seed) {
  const std::size_t n = data.num_queries();
  if (k < 2 || k > n)
    throw Error(ErrorCode::bad_option,
                fmt::format("{} folds of {} queries; expected at least 2 and at most one per query", k, n));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng(seed).shuffle(std::span(order));
  std::vector<std::vector<std::size_t>> parts(k);
  for (std::size_t i = 0; i < n; ++i) parts[i % k].push_back(order[i]);
  return parts;
}

}  // namespace dorm
