// SPDX-License-Identifier: Apache-2.0
// Interleaving: fair by enumeration of all lists; the test's power by summing binomial probabilities. The linear
// program of optimised interleaving is held against scipy's in tests/python/test_interleave.py.
#include "dorm/clicks/interleave.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/rng.h"
#include "ranking/topics/integer_program.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using Documents = std::vector<std::uint32_t>;

struct RankingPair {
  Documents a, b;
};

/// Pairs of rankings with some documents in common.
std::vector<RankingPair> some_pairs(std::size_t length) {
  std::vector<RankingPair> pairs;
  Rng rng(length);
  for (int i = 0; i < 20; ++i) {
    Documents a(length + 3), b;
    std::iota(a.begin(), a.end(), 0u);
    b = a;
    rng.shuffle(std::span(a));
    rng.shuffle(std::span(b));
    a.resize(length);
    b.resize(length);
    pairs.push_back({a, b});
  }
  pairs.push_back({pairs[0].a, pairs[0].a});
  return pairs;
}

double total_probability(const std::vector<Interleaving>& lists) {
  double total = 0;
  for (const Interleaving& list : lists) total += list.probability;
  return total;
}

/// The mean credit of a click at each position.
std::vector<double> mean_credit(const std::vector<Interleaving>& lists, std::size_t length) {
  std::vector<double> mean(length, 0.0);
  for (const Interleaving& list : lists)
    for (std::size_t k = 0; k < list.credit.size(); ++k) mean[k] += list.probability * list.credit[k];
  return mean;
}

TEST(Interleave, TeamDraftFavoursNobody) {
  for (const std::size_t length : {1u, 2u, 5u, 6u})
    for (const auto& [a, b] : some_pairs(length)) {
      const std::vector<Interleaving> lists = interleavings(a, b, {.length = length});
      EXPECT_NEAR(total_probability(lists), 1, 1e-12);
      for (const double credit : mean_credit(lists, length)) EXPECT_NEAR(credit, 0, 1e-12);
    }
}

// Of identical rankings every list is the ranking itself, and whatever is clicked counts for both alike.
TEST(Interleave, IdenticalRankersGetTheSameCredit) {
  const Documents ranking = {4, 2, 7, 1, 9};
  const std::vector<Interleaving> lists = interleavings(ranking, ranking, {.length = 5});
  for (const Interleaving& list : lists) EXPECT_EQ(list.documents, ranking);
  for (unsigned clicks = 0; clicks < 32; ++clicks) {
    double credit = 0;
    for (const Interleaving& list : lists)
      for (std::size_t k = 0; k < 5; ++k)
        if ((clicks >> k) & 1) credit += list.probability * list.credit[k];
    EXPECT_NEAR(credit, 0, 1e-12);
  }
}

// A = 1 2 3, B = 2 1 4, two documents: the four drafts of a round, by hand.
TEST(Interleave, TeamDraftByHand) {
  const std::vector<Interleaving> lists = interleavings(Documents{1, 2, 3}, Documents{2, 1, 4}, {.length = 2});
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].documents, (Documents{1, 2}));
  EXPECT_EQ(lists[0].credit, (std::vector<double>{1, -1}));
  EXPECT_EQ(lists[1].documents, (Documents{2, 1}));
  EXPECT_EQ(lists[1].credit, (std::vector<double>{-1, 1}));
  EXPECT_EQ(lists[0].probability, .5);
}

TEST(Interleave, OptimisedFavoursNobody) {
  if (program_solver().empty()) GTEST_SKIP() << "no solver of linear programs is installed";
  for (const char* credit : {"inverse", "linear"})
    for (const std::size_t length : {1u, 3u, 5u})
      for (const auto& [a, b] : some_pairs(length)) {
        const std::vector<Interleaving> lists =
            interleavings(a, b, {.method = "optimised", .credit = credit, .length = length});
        EXPECT_NEAR(total_probability(lists), 1, 1e-9);
        for (const double mean : mean_credit(lists, length)) EXPECT_NEAR(mean, 0, 1e-6);
      }
}

TEST(Interleave, ListsAreDrawnByTheirProbability) {
  const std::vector<Interleaving> lists = {{{1}, {1}, .25}, {{2}, {-1}, .75}};
  EXPECT_EQ(draw_interleaving(lists, 0).documents[0], 1u);
  EXPECT_EQ(draw_interleaving(lists, .2499).documents[0], 1u);
  EXPECT_EQ(draw_interleaving(lists, .25).documents[0], 2u);
  EXPECT_EQ(draw_interleaving(lists, .9999).documents[0], 2u);
}

TEST(Interleave, RefusesWhatMakesNoSense) {
  const Documents ranking = {1, 2};
  const auto message = [&](const InterleaveOptions& options, const Documents& a) {
    return test::message_of([&] { interleavings(a, ranking, options); });
  };
  EXPECT_EQ(message({.length = 21}, ranking), "lists of 21 documents by team-draft; expected 1 to 20");
  EXPECT_EQ(message({.method = "optimised", .length = 13}, ranking),
            "lists of 13 documents by optimised; expected 1 to 12");
  EXPECT_EQ(message({.method = "optimised", .credit = "binary"}, ranking),
            "credit \"binary\"; expected inverse or linear");
  EXPECT_NE(message({.method = "teamdraft"}, ranking).find("did you mean \"team-draft\"?"), std::string::npos);
  EXPECT_EQ(message({}, {1, 1}), "a ranking has a document twice; expected different ones");
}

double binomial(unsigned n, unsigned k, double share) {
  double product = 1;
  for (unsigned i = 0; i < k; ++i) product *= real(n - i) / real(i + 1);
  return product * std::pow(share, k) * std::pow(1 - share, n - k);
}

TEST(Interleave, PowerByEnumeration) {
  for (const unsigned n : {5u, 6u, 20u, 33u})
    for (const double share : {.5, .6, .9}) {
      double power = 0;
      for (unsigned wins = 0; wins <= n; ++wins) {
        double tail = 0;
        for (unsigned k = 0; k <= std::min(wins, n - wins); ++k) tail += binomial(n, k, .5);
        if (2 * tail <= .05) power += binomial(n, wins, share);
      }
      EXPECT_NEAR(sign_test_power(n, share), power, 1e-12) << n << " " << share;
    }
}

// ((1.959964 / 2 + .841621 sqrt(.55 .45)) / .05)^2 = 782.5: by hand.
TEST(Interleave, SessionsNeeded) {
  EXPECT_EQ(decided_sessions_needed(.55), 783);
  EXPECT_EQ(decided_sessions_needed(.45), 783);
  EXPECT_TRUE(std::isinf(decided_sessions_needed(.5)));
  EXPECT_EQ(decided_sessions_needed(1), 6);  // 2^-5 twice is .0625, 2^-6 twice .03125
  EXPECT_NEAR(sign_test_power(783, .55), .8, .02);
}

TEST(Interleave, Analysis) {
  const std::vector<double> credits = {1, 1, 2, -1, 0, 0, 1, 1, 1, 1};  // 7 wins, 1 loss, 2 ties
  const InterleavingResult result = analyse_interleaving(credits);
  EXPECT_EQ(result.test.wins, 7u);
  EXPECT_EQ(result.test.losses, 1u);
  EXPECT_EQ(result.test.ties, 2u);
  EXPECT_NEAR(result.test.p_sign, 18.0 / 256, 1e-12);
  EXPECT_NEAR(result.share, 7.0 / 8, 1e-15);
  EXPECT_NEAR(result.preference, .3, 1e-15);
  EXPECT_NEAR(result.test.mean_difference, .7, 1e-15);
  EXPECT_EQ(result.sessions_needed, std::ceil(decided_sessions_needed(7.0 / 8) * 10 / 8));
  EXPECT_EQ(test::message_of([] { analyse_interleaving({}); }), "no sessions; expected some to analyse");
}

}  // namespace
}  // namespace dorm
