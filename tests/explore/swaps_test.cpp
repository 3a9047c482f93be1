// SPDX-License-Identifier: Apache-2.0
// Against all pairs, one by one.
#include "serve/explore/swaps.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "dorm/model.h"

namespace dorm::explore {
namespace {

std::vector<std::size_t> places(const std::vector<double>& scores) {
  std::vector<std::size_t> place(scores.size());
  const Ranking order = top_ranking(scores);
  for (std::size_t j = 0; j < order.size(); ++j) place[order[j]] = j;
  return place;
}

struct RandomQuery {
  std::vector<double> one, other;
  std::vector<float> labels;

  RandomQuery(std::size_t size, std::uint64_t kinds, Rng& rng) {
    for (std::size_t i = 0; i < size; ++i) {
      one.push_back(static_cast<double>(rng.below(kinds)));  // with ties
      other.push_back(static_cast<double>(rng.below(kinds)));
      labels.push_back(static_cast<float>(rng.below(4)));
    }
  }
};

TEST(SwapsTest, RankingsAsByEnumeration) {
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const RandomQuery query(1 + rng.below(30), 1 + rng.below(40), rng);
    const std::size_t cutoff = rng.below(12), within = cutoff == 0 ? query.one.size() : cutoff;
    const auto a = places(query.one), b = places(query.other);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const bool counts = a[i] < within || a[k] < within || b[i] < within || b[k] < within;
        expected += counts && (a[i] < a[k]) != (b[i] < b[k]);
      }
    EXPECT_EQ(ranking_swaps(query.one, query.other, cutoff), expected) << round;
  }
}

TEST(SwapsTest, LabelsAsByEnumeration) {
  Rng rng(2);
  for (int round = 0; round < 300; ++round) {
    const RandomQuery query(1 + rng.below(30), 1 + rng.below(40), rng);
    const std::size_t cutoff = rng.below(12), within = cutoff == 0 ? query.one.size() : cutoff;
    const auto a = places(query.one);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < a.size(); ++k)
        expected += a[i] < a[k] && a[i] < within && query.labels[i] < query.labels[k];
    EXPECT_EQ(label_swaps(query.labels, query.one, cutoff), expected) << round;
  }
}

TEST(SwapsTest, HeadsOfRankingsAreThoseOfTheSort) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const RandomQuery query(1 + rng.below(200), 1 + rng.below(60), rng);
    const Ranking all = top_ranking(query.one);
    const std::size_t n = 1 + rng.below(query.one.size());
    EXPECT_EQ(top_ranking(query.one, n), Ranking(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)));
  }
}

}  // namespace
}  // namespace dorm::explore
