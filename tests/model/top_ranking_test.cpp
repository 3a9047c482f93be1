// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "dorm/model.h"

namespace dorm {
namespace {

TEST(TopRanking, IsTheHeadOfTheFullStableSort) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> scores(1 + rng.below(60));
    for (double& x : scores) x = static_cast<double>(rng.below(8)) - 3;  // many ties
    Ranking full(scores.size());
    std::iota(full.begin(), full.end(), 0u);
    std::stable_sort(full.begin(), full.end(), [&](auto i, auto k) { return scores[i] > scores[k]; });
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, scores.size() / 2, scores.size(), scores.size() + 5}) {
      const std::size_t expected = n == 0 ? full.size() : std::min(n, full.size());
      EXPECT_EQ(top_ranking(scores, n), Ranking(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(expected)));
    }
  }
}

TEST(TopRanking, OfNothingIsNothing) { EXPECT_TRUE(top_ranking({}, 3).empty()); }

}  // namespace
}  // namespace dorm
