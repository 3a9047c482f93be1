// SPDX-License-Identifier: Apache-2.0
// Small ratings and kernels, and the Gram matrix that the library never forms.
#pragma once

#include <vector>

#include "dorm/recommend/joint.h"
#include "support/ratings.h"

namespace dorm::test {

/// K over the ratings in the order of Ratings::first_of_user.
inline std::vector<std::vector<double>> full_gram(const JointKernel& kernel, const Ratings& ratings) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const std::uint32_t item : ratings.of_user(u).index) pairs.emplace_back(u, item);
  std::vector<std::vector<double>> gram(pairs.size(), std::vector<double>(pairs.size()));
  for (std::size_t a = 0; a < pairs.size(); ++a)
    for (std::size_t b = 0; b < pairs.size(); ++b)
      gram[a][b] = kernel.users.at(pairs[a].first, pairs[b].first) * kernel.items.at(pairs[a].second, pairs[b].second);
  return gram;
}

}  // namespace dorm::test
