// SPDX-License-Identifier: Apache-2.0
// Simulated users against the enumeration of everything that a user can do on a page of four documents.
#include "dorm/clicks/simulate_clicks.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "support/message_of.h"

namespace dorm {
namespace {

constexpr std::size_t kPage = 4;

/// One query; document i has label i, and `order` says where a ranker puts it.
Dataset graded_page(std::size_t documents = kPage) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < documents; ++i) {
    const std::array<float, 1> row = {0};
    builder.add({static_cast<float>(i), "q", "d" + std::to_string(i)}, row);
  }
  return builder.finish();
}

/// P(click at k | the clicks above it), written down from the definitions of the models.
double click_chance(const ClickSimulation& options, std::size_t k, const std::array<bool, kPage>& clicked, double rel) {
  const double attracts = options.noise + (1 - options.noise) * rel;
  const double rank = static_cast<double>(k);
  if (options.model == ClickModel::pbm) return std::pow(rank, -options.eta) * attracts;
  if (options.model == ClickModel::trust)
    return std::pow(rank, -options.eta) * ((1 - (rank + 1) / 100) * rel + options.trust / rank * (1 - rel));
  std::size_t last = 0, clicks = 0;
  for (std::size_t j = 1; j < k; ++j)
    if (clicked[j - 1]) last = j, ++clicks;
  if (options.model == ClickModel::ubm)
    return std::pow(rank * static_cast<double>(k - last), -options.eta / 2) * attracts;
  return attracts;  // cascade, of a user who is still there
}

/// Clicks at each position, by enumeration of all patterns; a cascade may also end behind every click.
std::array<double, kPage> enumerated(const ClickSimulation& options, const std::array<double, kPage>& rel) {
  std::array<double, kPage> total{};
  for (unsigned pattern = 0; pattern < 1u << kPage; ++pattern) {
    std::array<bool, kPage> clicked{};
    for (std::size_t i = 0; i < kPage; ++i) clicked[i] = (pattern >> i & 1u) != 0;
    // P(pattern): a cascade that stopped behind its last click has seen nothing below it.
    double probability = 1, stopped = 0;
    for (std::size_t k = 1; k <= kPage; ++k) {
      const double chance = click_chance(options, k, clicked, rel[k - 1]);
      probability *= clicked[k - 1] ? chance : 1 - chance;
      if (options.model != ClickModel::cascade) continue;
      stopped *= clicked[k - 1] ? 0 : 1;
      if (clicked[k - 1]) {
        stopped = probability * (1 - options.go_on);
        probability *= options.go_on;
      }
    }
    for (std::size_t i = 0; i < kPage; ++i)
      if (clicked[i]) total[i] += probability + stopped;
  }
  return total;
}

class UserModels : public testing::TestWithParam<ClickModel> {};

TEST_P(UserModels, ExpectedCountsAreThoseOfAllPatterns) {
  ClickSimulation options{
      .model = GetParam(), .eta = 0.7, .go_on = 0.4, .trust = 0.5, .sessions = 10, .expected = true};
  const Dataset data = graded_page();
  const std::vector<std::vector<double>> scores = {{2, 4, 1, 3}, {1, 2, 3, 4}};  // 1 3 0 2, and 3 2 1 0
  const std::array<std::array<std::size_t, kPage>, 2> orders = {{{1, 3, 0, 2}, {3, 2, 1, 0}}};
  std::size_t rows = 0;
  simulate_clicks(data, options, scores, [&](const SimulatedClick& shown) {
    const auto& order = orders.at(shown.ranker);
    std::array<double, kPage> rel{};
    for (std::size_t i = 0; i < kPage; ++i) rel[i] = (std::exp2(static_cast<double>(order[i])) - 1) / 7;
    EXPECT_EQ(shown.document, order.at(shown.position - 1));  // who stands where, not where who stands
    EXPECT_EQ(shown.impressions, 5);
    EXPECT_NEAR(shown.clicks, 5 * enumerated(options, rel)[shown.position - 1], 1e-8);
    ++rows;
  });
  EXPECT_EQ(rows, 8u);
}

TEST_P(UserModels, SessionsAgreeWithWhatIsExpected) {
  ClickSimulation options{.model = GetParam(), .sessions = 40000, .rankers = 2, .seed = 3};
  const Dataset data = graded_page();
  std::map<std::pair<std::size_t, std::uint32_t>, std::pair<double, double>> drawn, expected;
  const auto into = [](auto& table) {
    return [&table](const SimulatedClick& shown) {
      auto& [impressions, clicks] = table[{shown.document, shown.ranker}];
      impressions += shown.impressions;
      clicks += shown.clicks;
    };
  };
  simulate_clicks(data, options, {}, into(drawn));
  options.expected = true;
  simulate_clicks(data, options, {}, into(expected));
  ASSERT_EQ(drawn.size(), expected.size());
  for (const auto& [key, counts] : drawn) {
    const double rate = expected[key].second / expected[key].first;
    const double deviation = std::sqrt(rate * (1 - rate) / counts.first) + 1e-12;
    EXPECT_NEAR(counts.second / counts.first, rate, 5 * deviation);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UserModels,
                         testing::Values(ClickModel::pbm, ClickModel::cascade, ClickModel::ubm, ClickModel::trust),
                         [](const auto& model) { return std::string(name_of(model.param)); });

TEST(SimulatedClicks, TheSeedIsAllThereIs) {
  const auto log_of = [](std::uint64_t seed) {
    std::vector<double> clicks;
    simulate_clicks(graded_page(), {.sessions = 50, .seed = seed}, {},
                    [&](const SimulatedClick& shown) { clicks.push_back(shown.clicks); });
    return clicks;
  };
  EXPECT_EQ(log_of(1), log_of(1));
  EXPECT_NE(log_of(1), log_of(2));
}

TEST(SimulatedClicks, PagesEndAndPropensitiesAreTheTruth) {
  const Dataset data = graded_page(6);
  ClickSimulation options{.model = ClickModel::trust, .trust = 0.4, .top = 3, .expected = true};
  std::size_t rows = 0;
  simulate_clicks(data, options, {}, [&](const SimulatedClick&) { ++rows; });
  EXPECT_EQ(rows, 3u);
  const Propensities truth = simulated_propensities(data, options, {});
  EXPECT_EQ(truth.find(4), nullptr);
  EXPECT_DOUBLE_EQ(truth.at(2).propensity, 0.5);
  EXPECT_DOUBLE_EQ(truth.at(2).alpha, 0.5 * (0.97 - 0.2));
  EXPECT_DOUBLE_EQ(truth.at(2).beta, 0.5 * 0.2);
}

TEST(SimulatedClicks, SayWhatIsWrong) {
  const auto run = [](const ClickSimulation& options, const std::vector<std::vector<double>>& scores = {}) {
    return test::message_of([&] { simulate_clicks(graded_page(), options, scores, [](const SimulatedClick&) {}); });
  };
  EXPECT_EQ(run({.noise = 2}), "noise is 2; expected a number from 0 to 1");
  EXPECT_EQ(run({.sessions = 0}), "sessions is 0; expected 1 or more");
  EXPECT_EQ(run({}, {{1, 2}}), "2 scores of a ranker for 4 documents; expected one for each");
  EXPECT_TRUE(test::message_of([] { parse_click_model("pdm"); }, ErrorCode::unknown_name)
                  .starts_with("unknown click model \"pdm\"; did you mean \"pbm\"?"));
}

}  // namespace
}  // namespace dorm
