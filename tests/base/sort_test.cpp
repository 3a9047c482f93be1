// SPDX-License-Identifier: Apache-2.0
#include "base/vector/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

void expect_sorted(const std::vector<double>& scores) {
  std::vector<std::uint32_t> wanted(scores.size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  std::stable_sort(wanted.begin(), wanted.end(), [&](auto x, auto y) { return scores[x] > scores[y]; });
  SortWorkspace work;
  for (SimdLevel level : test::simd_levels()) {
    std::vector<std::uint32_t> order(scores.size());
    sort_descending(scores, order, work, level);
    EXPECT_EQ(order, wanted) << "length " << scores.size() << " level " << static_cast<int>(level);
  }
}

TEST(Sort, EqualsAStableSortAtEveryLengthAndLevel) {
  Rng rng(1);
  for (std::size_t l = 0; l <= 400; ++l) {
    std::vector<double> scores(l);
    for (double& x : scores) x = rng.uniform() - 0.5;
    expect_sorted(scores);
    for (double& x : scores) x = std::round(4 * x);  // many ties, 0 and -0 among them
    expect_sorted(scores);
  }
}

TEST(Sort, EqualsAStableSortOnLongLists) {
  Rng rng(2);
  for (std::size_t l : {1000u, 4096u, 4097u, 5000u, 50000u}) {
    std::vector<double> scores(l);
    for (double& x : scores) x = rng.uniform();
    expect_sorted(scores);
    for (double& x : scores) x = std::round(100 * x);
    expect_sorted(scores);
  }
}

TEST(Sort, BearsSkewedAndExtremeScores) {
  Rng rng(3);
  std::vector<double> scores(600);
  for (double& x : scores) x = std::exp(40 * rng.uniform());
  expect_sorted(scores);
  scores[7] = std::numeric_limits<double>::max();
  scores[8] = -std::numeric_limits<double>::max();
  expect_sorted(scores);
  for (double& x : scores) x = std::numeric_limits<double>::denorm_min() * static_cast<double>(rng.below(5));
  expect_sorted(scores);
  expect_sorted(std::vector<double>(300, 2.5));
}

}  // namespace
}  // namespace dorm
