// SPDX-License-Identifier: Apache-2.0
// Propensities: exact on expected counts, by hand on small ones, with intervals that cover. Equality with
// ultr-bias-toolkit is in tests/torch/test_propensity.py.
#include "dorm/clicks/propensity.h"

#include <gtest/gtest.h>

#include "base/numeric.h"
#include "evaluation/clicks/click_worlds.h"
#include "evaluation/clicks/estimators.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::ClickWorld;
using test::log_of;
using test::message_of;

PropensityEstimate by_method(const ClickCounts& counts, const std::string& method) {
  PropensityOptions options;
  options.method = method;
  options.threads = 1;
  return estimate_propensities(counts, options);
}

TEST(Propensity, ExpectedCountsGiveTheTruth) {
  ClickWorld world;
  world.expected = true;
  world.documents = 10;
  world.queries = 60;
  world.propensity.clear();
  for (int k = 1; k <= 10; ++k) world.propensity.push_back(std::pow(k, -1.3));
  const ClickCounts counts = log_of(world);
  for (const char* method : {"allpairs", "pivot", "adjacent"}) {
    const PropensityEstimate found = by_method(counts, method);
    for (std::uint32_t k = 1; k <= 10; ++k) {
      EXPECT_NEAR(found.propensities.at(k).propensity, world.propensity[k - 1], 1e-12) << method << k;
      EXPECT_LT(found.propensities.at(k).error, 1e-12) << method << k;
    }
  }
}

TEST(Propensity, ExpectedCountsOfSwapsGiveTheTruth) {
  const std::vector<double> truth = {1, .5, .3};
  ClickCounter counter;
  // Positions 1 and 2, then 1 and 3, changed places in half of the sessions; position 3 (2) stayed as it was.
  const auto add = [&](const char* document, std::uint32_t position, const char* swap, double relevance) {
    counter.add({.query = "q",
                 .document = document,
                 .position = position,
                 .context = swap,
                 .impressions = 50,
                 .clicks = 50 * truth[position - 1] * relevance});
  };
  for (const char* swap : {"1-2", "1-3"}) {
    const std::uint32_t other = swap[2] == '2' ? 2 : 3;
    add("a", 1, swap, .9);
    add("b", other, swap, .2);
    add("b", 1, swap, .2);
    add("a", other, swap, .9);
  }
  add("c", 3, "1-2", .7);
  add("c", 2, "none", .01);
  const PropensityEstimate found = by_method(counter.finish(), "swaps");
  for (std::uint32_t k = 1; k <= 3; ++k) EXPECT_NEAR(found.propensities.at(k).propensity, truth[k - 1], 1e-12) << k;
}

TEST(Propensity, RegressionEmFindsTheTruthOfExpectedCounts) {
  ClickWorld world;
  world.expected = true;
  const PropensityEstimate found = by_method(log_of(world), "regression-em");
  for (std::uint32_t k = 1; k <= 5; ++k)
    EXPECT_NEAR(found.propensities.at(k).propensity, world.propensity[k - 1], 1e-3) << k;
}

// One feature is the logit of relevance: then the model of features is right, and one ranker is enough.
TEST(Propensity, RegressionEmLearnsRelevanceFromFeatures) {
  ClickWorld world;
  world.expected = true;
  world.rankers = 1;
  world.queries = 200;
  DatasetBuilder builder;
  for (std::size_t q = 0; q < world.queries; ++q)
    for (std::size_t d = 0; d < world.documents; ++d) {
      const double r = test::relevance_of(q, d);
      const std::string query = test::numbered("q", q), document = test::numbered("d", d);
      const float logit = static_cast<float>(std::log(r / (1 - r)));
      builder.add({.query_id = query, .document_id = document}, std::span(&logit, 1));
    }
  const Dataset features = builder.finish();
  PropensityOptions options;
  options.method = "regression-em";
  options.bootstrap = 0;
  options.threads = 1;
  const PropensityEstimate found = estimate_propensities(log_of(world), options, &features);
  for (std::uint32_t k = 1; k <= 5; ++k)
    EXPECT_NEAR(found.propensities.at(k).propensity, world.propensity[k - 1], 0.01) << k;
}

ClickCounts hand_log() {
  ClickCounter counter;
  const auto add = [&](const char* query, const char* document, std::uint32_t position, double shown, double clicks) {
    counter.add({.query = query, .document = document, .position = position, .impressions = shown, .clicks = clicks});
  };
  add("q", "a", 1, 10, 5);
  add("q", "a", 2, 5, 2);
  add("q", "b", 2, 4, 3);
  add("q", "b", 3, 10, 1);
  add("r", "a", 1, 2, 2);
  add("r", "a", 2, 4, 1);
  add("r", "a", 3, 4, 1);
  add("r", "z", 1, 9, 9);  // seen at one position: says nothing
  return counter.finish();
}

// Rates at 1, 2, 3: q/a .5 .4 -; q/b - .75 .1; r/a 1 .25 .25.
TEST(Propensity, AdjacentAndPivotByHand) {
  const Propensities chain = by_method(hand_log(), "adjacent").propensities;
  const double p2 = (.4 + .25) / (.5 + 1), p3 = p2 * (.1 + .25) / (.75 + .25);
  EXPECT_NEAR(chain.at(2).propensity, p2, 1e-15);
  EXPECT_NEAR(chain.at(3).propensity, p3, 1e-15);
  const Propensities star = by_method(hand_log(), "pivot").propensities;
  EXPECT_NEAR(star.at(2).propensity, p2, 1e-15);
  EXPECT_NEAR(star.at(3).propensity, .25 / 1, 1e-15);
}

// The normal equations of the three pairs, solved by hand.
TEST(Propensity, AllPairsByHand) {
  const auto weight = [](double a, double b) { return 1 / (1 / a + 1 / b); };
  const double w12 = weight(1.5, .65), w23 = weight(1, .35), w13 = weight(1, .25);
  const double y12 = std::log(.65 / 1.5), y23 = std::log(.35), y13 = std::log(.25);
  // (w12 + w23) x2 - w23 x3 = w12 y12 - w23 y23; -w23 x2 + (w13 + w23) x3 = w13 y13 + w23 y23
  const double det = (w12 + w23) * (w13 + w23) - w23 * w23;
  const double r2 = w12 * y12 - w23 * y23, r3 = w13 * y13 + w23 * y23;
  const Propensities found = by_method(hand_log(), "allpairs").propensities;
  EXPECT_NEAR(found.at(2).propensity, std::exp(((w13 + w23) * r2 + w23 * r3) / det), 1e-14);
  EXPECT_NEAR(found.at(3).propensity, std::exp((w23 * r2 + (w12 + w23) * r3) / det), 1e-14);
}

TEST(Propensity, NamesPositionsThatNothingConnects) {
  ClickCounter counter;
  for (std::uint32_t k = 1; k <= 4; ++k)
    counter.add({.query = "q", .document = k < 3 ? "a" : "b", .position = k, .impressions = 2, .clicks = 1});
  const ClickCounts counts = counter.finish();
  EXPECT_EQ(
      message_of([&] { by_method(counts, "allpairs"); }, ErrorCode::bad_input),
      "positions 3, 4 are not connected with position 1: no chain of documents that were seen, and clicked, at two "
      "positions leads there; expected a log of rankers that differ more, or fewer positions");
  PropensityOptions options;
  options.method = "pivot";
  options.pivot = 9;
  EXPECT_EQ(message_of([&] { estimate_propensities(counts, options); }, ErrorCode::bad_input),
            "nothing was shown at position 9, the pivot");
  EXPECT_EQ(message_of([&] { by_method(counts, "alpairs"); }, ErrorCode::unknown_name),
            "unknown method to estimate propensities \"alpairs\"; did you mean \"allpairs\"? known: allpairs, pivot, "
            "adjacent, swaps, regression-em");
}

// Seen at both positions, but never clicked at one: no ratio.
TEST(Propensity, APositionWithoutClicksIsNotConnected) {
  ClickCounter counter;
  counter.add({.query = "q", .document = "a", .position = 1, .impressions = 9, .clicks = 3});
  counter.add({.query = "q", .document = "a", .position = 2, .impressions = 9, .clicks = 0});
  const ClickCounts counts = counter.finish();
  EXPECT_NE(message_of([&] { by_method(counts, "adjacent"); }).find("position 2 is not connected with position 1"),
            std::string::npos);
  EXPECT_NE(message_of([&] { by_method(counts, "regression-em"); }).find("nothing was clicked at position 2"),
            std::string::npos);
}

TEST(Propensity, WordsOfSwaps) {
  std::vector<std::uint32_t> positions;
  for (const char* none : {"", "0", "none"}) EXPECT_FALSE(parse_swap(none, positions));
  EXPECT_TRUE(parse_swap("all", positions));
  EXPECT_TRUE(positions.empty());
  EXPECT_TRUE(parse_swap("4-1", positions));
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{1, 4}));
  for (const char* bad : {"4", "1-", "1-1", "a-b", "1-0", "1,4"})
    EXPECT_NE(message_of([&] { parse_swap(bad, positions); }, ErrorCode::bad_input).find("expected two or more"),
              std::string::npos);
}

TEST(Propensity, ContextsAreEstimatedApart) {
  ClickCounter counter;
  for (const double factor : {1.0, 0.5})
    for (std::uint32_t k = 1; k <= 2; ++k)
      counter.add({.query = "q",
                   .document = "a",
                   .position = k,
                   .context = factor == 1 ? "desk" : "phone",
                   .impressions = 10,
                   .clicks = k == 1 ? 8 : 8 * factor});
  const PropensityEstimate found = by_method(counter.finish(), "allpairs");
  EXPECT_NEAR(found.propensities.at(2, "desk").propensity, 1, 1e-15);
  EXPECT_NEAR(found.propensities.at(2, "phone").propensity, .5, 1e-15);
  EXPECT_EQ(found.evidence.size(), 2u);
}

// Nearest by weights 1 / error^2: (-.5 / .01 - .1 / .04) / (1 / .01 + 1 / .04) = -.42.
TEST(Propensity, IsotonicPoolsWhatIncreases) {
  PositionLogs logs{{0, .2, -.5, -.1, -2}, {0, .1, .1, .2, .1}};
  make_isotonic(logs);
  const std::vector<double> expected = {0, 0, -.42, -.42, -2};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(logs.x[k], expected[k], 1e-12) << k;
}

// 95 % intervals, p exp(+-1.96 error / p), over 200 logs.
TEST(Propensity, IntervalsCover) {
  ClickWorld world;
  world.queries = 100;
  world.sessions = 10;
  std::size_t covered = 0, all = 0;
  for (world.seed = 0; world.seed < 200; ++world.seed) {
    const Propensities found = by_method(log_of(world), "allpairs").propensities;
    for (std::uint32_t k = 2; k <= 5; ++k) {
      const PositionPropensity& row = found.at(k);
      const double away = std::abs(std::log(row.propensity / world.propensity[k - 1]));
      covered += away <= 1.959964 * row.error / row.propensity;
      ++all;
    }
  }
  const double share = real(covered) / real(all);
  RecordProperty("covered", std::to_string(share));
  EXPECT_GE(share, .92);
  EXPECT_LE(share, .98);
}

}  // namespace
}  // namespace dorm
