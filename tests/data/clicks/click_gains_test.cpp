// SPDX-License-Identifier: Apache-2.0
// Gains from clicks. The truth comes from enumeration: every pattern of clicks on a page, times its probability.
#include "dorm/clicks/click_gains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "support/message_of.h"

namespace dorm {
namespace {

constexpr std::size_t kShown = 5;
using PageNumbers = std::array<double, kShown>;

constexpr PageNumbers kRelevance = {0.9, 0.05, 0.6, 0.3, 0.45};

Propensities inverse_ranks(bool trust = false) {
  Propensities out;
  for (std::uint32_t k = 1; k <= kShown; ++k) {
    PositionPropensity row{.position = k, .propensity = 1.0 / k};
    if (trust) {
      row.alpha = (0.97 - 0.3 / k) / k;
      row.beta = 0.3 / (k * k);
    }
    out.add({}, row);
  }
  return out;
}

/// What a page says where pattern has a bit for each clicked position: document i stands at position i + 1.
ClickCounts one_page(unsigned pattern) {
  ClickCounter counter;
  for (std::uint32_t i = 0; i < kShown; ++i) {
    const std::string document(1, static_cast<char>('a' + i));
    counter.add(
        {.query = "q", .document = document, .position = i + 1, .clicks = (pattern >> i & 1u) != 0 ? 1.0 : 0.0});
  }
  return counter.finish();
}

/// The expectation over all patterns of what `value` makes of the gains.
double expected_over_patterns(const Propensities& propensities, const ClickGainOptions& options,
                              const std::function<double(const ClickGains&)>& value) {
  double sum = 0;
  for (unsigned pattern = 0; pattern < 1u << kShown; ++pattern) {
    double probability = 1;
    for (std::uint32_t i = 0; i < kShown; ++i) {
      const PositionPropensity& row = propensities.at(i + 1);
      const double click = row.slope() * kRelevance[i] + row.beta;
      probability *= (pattern >> i & 1u) != 0 ? click : 1 - click;
    }
    sum += probability * value(estimate_gains(one_page(pattern), propensities, options));
  }
  return sum;
}

double dcg_of(const std::array<std::size_t, kShown>& ranking, const std::function<double(std::size_t)>& gain) {
  double sum = 0;
  for (std::size_t j = 0; j < kShown; ++j) sum += gain(ranking[j]) / std::log2(2 + static_cast<double>(j));
  return sum;
}

TEST(ClickGains, EveryRankingIsEstimatedWithoutBias) {
  const Propensities propensities = inverse_ranks();
  std::array<std::size_t, kShown> ranking{};
  std::iota(ranking.begin(), ranking.end(), std::size_t{0});
  std::size_t rankings = 0;
  double worst = 0;
  do {
    const double truth = dcg_of(ranking, [](std::size_t i) { return kRelevance[i]; });
    const double estimate = expected_over_patterns(propensities, {.clip = 0}, [&](const ClickGains& gains) {
      return dcg_of(ranking, [&](std::size_t i) { return gains.rows[i].gain; });
    });
    worst = std::max(worst, std::abs(estimate - truth));
    ++rankings;
  } while (std::next_permutation(ranking.begin(), ranking.end()));
  EXPECT_EQ(rankings, 120u);
  EXPECT_LT(worst, 1e-12);
}

// A shift changes the value of every ranking by the same amount: differences are what stays without bias.
TEST(ClickGains, DifferencesOfRankingsAreUnbiasedUnderTrustBias) {
  const Propensities propensities = inverse_ranks(true);
  const std::array<std::size_t, kShown> first = {0, 1, 2, 3, 4};
  std::array<std::size_t, kShown> ranking = first;
  const auto truth_of = [](std::size_t i) { return kRelevance[i]; };
  double worst = 0, smallest = 0;
  do {
    const double truth = dcg_of(ranking, truth_of) - dcg_of(first, truth_of);
    const double estimate = expected_over_patterns(propensities, {.clip = 0}, [&](const ClickGains& gains) {
      for (const ClickGain& row : gains.rows) smallest = std::min(smallest, row.gain);
      const auto gain = [&](std::size_t i) { return gains.rows[i].gain; };
      return dcg_of(ranking, gain) - dcg_of(first, gain);
    });
    worst = std::max(worst, std::abs(estimate - truth));
  } while (std::next_permutation(ranking.begin(), ranking.end()));
  EXPECT_LT(worst, 1e-12);
  EXPECT_EQ(smallest, 0);  // none below
}

TEST(ClickGains, ClippingIsSaid) {
  // Clicks at positions 1, 4 and 5; propensities 1, 1/4 and 1/5, clipped at 1/4 or 1/2.
  const ClickGains gains = estimate_gains(one_page(0b11001), inverse_ranks(), {.clip = 0.5});
  EXPECT_DOUBLE_EQ(gains.rows[0].gain, 1);
  EXPECT_DOUBLE_EQ(gains.rows[1].gain, 0);
  EXPECT_DOUBLE_EQ(gains.rows[3].gain, 2);
  EXPECT_DOUBLE_EQ(gains.rows[4].gain, 2);
  EXPECT_DOUBLE_EQ(gains.clicks, 3);
  EXPECT_DOUBLE_EQ(gains.impressions, 5);
  EXPECT_DOUBLE_EQ(gains.clipped_clicks, 2);
  EXPECT_DOUBLE_EQ(gains.clipped_share, 1 - 5.0 / 10);  // weights 1 + 2 + 2 of 1 + 4 + 5
  EXPECT_DOUBLE_EQ(gains.effective_clicks, 25.0 / 9);   // (1 + 2 + 2)^2 / (1 + 4 + 4)
  const ClickGains naive = estimate_gains(one_page(0b11001), {}, {});
  EXPECT_DOUBLE_EQ(naive.rows[4].gain, 1);
  EXPECT_DOUBLE_EQ(naive.effective_clicks, 3);
  EXPECT_DOUBLE_EQ(naive.clipped_clicks, 0);
}

TEST(ClickGains, AreMeansOverPagesOrOverPagesThatShowTheDocument) {
  ClickCounter counter;
  counter.add({.query = "q", .document = "a", .position = 1, .impressions = 4, .clicks = 2});
  counter.add({.query = "q", .document = "b", .position = 2, .impressions = 1, .clicks = 1});
  counter.add({.query = "q", .document = "c", .position = 2, .impressions = 3, .clicks = 1});
  const ClickCounts counts = counter.finish();
  const auto gains = [&](ClickGainOptions::Per per) {
    std::vector<double> out;
    for (const ClickGain& row : estimate_gains(counts, inverse_ranks(), {.clip = 0, .per = per}).rows)
      out.push_back(row.gain);
    return out;
  };
  EXPECT_EQ(gains(ClickGainOptions::Per::pages), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(gains(ClickGainOptions::Per::shown), (std::vector<double>{0.5, 2, 2.0 / 3}));
}

TEST(ClickGains, NothingNegativeOrInfiniteLeaves) {
  Propensities tiny;
  tiny.add({}, {.position = 1, .propensity = 1e-300});
  ClickCounter counter;
  counter.add({.query = "q", .document = "a", .position = 1, .clicks = 1});
  const ClickCounts counts = counter.finish();
  EXPECT_EQ(test::message_of([&] { estimate_gains(counts, tiny, {.clip = 0}); }, ErrorCode::bad_input),
            "the gain of document 'a' of query 'q' is 1e+300; expected propensities that are not so small, or a clip "
            "above 0");
  EXPECT_DOUBLE_EQ(estimate_gains(counts, tiny, {.clip = 0.1}).rows[0].gain, 10);
  EXPECT_EQ(test::message_of([&] { estimate_gains(counts, tiny, {.clip = 2}); }, ErrorCode::bad_option),
            "clip is 2; expected a number from 0 to 1");
}

TEST(ClickGains, NamePositionsWithoutPropensity) {
  Propensities two;
  two.add({}, {.position = 1});
  two.add({}, {.position = 2});
  EXPECT_EQ(test::message_of([&] { estimate_gains(one_page(0), two, {}); }, ErrorCode::bad_input),
            "the log has clicks and impressions at positions 3, 4, 5, which have no propensity; expected one for every "
            "position, or a log that ends above them");
}

Dataset three_documents() {
  DatasetBuilder builder;
  for (const auto& [query, document] : {std::pair("q", "a"), {"q", "b"}, {"q", "x"}, {"other", "a"}}) {
    const std::array<float, 1> row = {query[0] == 'q' ? 1.0f : 2.0f};
    builder.add({0, query, document}, row);
  }
  return builder.finish();
}

TEST(ClickGains, FindTheirDocuments) {
  const ClickCounts counts = one_page(0b00010);  // b, at position 2
  const ClickGains gains = estimate_gains(counts, inverse_ranks(), {});
  const JudgedByClicks judged = join_gains(counts, gains, three_documents());
  ASSERT_EQ(judged.data.num_queries(), 1u);
  EXPECT_TRUE(judged.data.input().of_clicks());
  const Query query = judged.data.query(0);
  EXPECT_EQ((std::vector<float>(query.labels.begin(), query.labels.end())), (std::vector<float>{0, 2, 0}));
  EXPECT_EQ(judged.never_shown, 1u);       // x
  EXPECT_EQ(judged.without_features, 3u);  // c, d, e
  EXPECT_EQ(judged.queries_not_logged, 1u);
  EXPECT_EQ(judged.queries_without_features, 0u);
}

TEST(ClickGains, PagesAreListsOfTheirOwn) {
  ClickCounter counter;
  counter.add({.query = "q/1", .document = "a", .position = 1, .clicks = 1});
  counter.add({.query = "q/2", .document = "b", .position = 1, .clicks = 1});
  counter.add({.query = "lost/3", .document = "b", .position = 1, .clicks = 1});
  const ClickCounts counts = counter.finish();
  const JudgedByClicks judged =
      join_gains(counts, estimate_gains(counts, {}, {}), three_documents(), {"q", "q", "lost"});
  ASSERT_EQ(judged.data.num_queries(), 2u);
  EXPECT_EQ(judged.data.query(1).id, "q/2");
  EXPECT_EQ(judged.data.query(1).labels[1], 1);
  EXPECT_EQ(judged.data.query(0).rows.at(2, 0), 1);
  EXPECT_EQ(judged.never_shown, 4u);
  EXPECT_EQ(judged.queries_without_features, 1u);
  EXPECT_EQ(judged.queries_not_logged, 1u);
}

TEST(ClickGains, WithoutACommonDocumentAreRefused) {
  ClickCounter counter;
  counter.add({.query = "q", .document = "nobody", .position = 1, .clicks = 1});
  const ClickCounts counts = counter.finish();
  EXPECT_EQ(test::message_of([&] { join_gains(counts, estimate_gains(counts, {}, {}), three_documents()); },
                             ErrorCode::bad_input),
            "no document of the log has features: the log has document 'nobody' of query 'q', the features have 'a' of "
            "'q'; expected the same ids in both");
}

}  // namespace
}  // namespace dorm
