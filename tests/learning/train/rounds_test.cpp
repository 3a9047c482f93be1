// SPDX-License-Identifier: Apache-2.0
// The rounds: a falling objective, one time limit, stopping, and the degenerate optimum.
#include "learning/train/rounds.h"

#include <gtest/gtest.h>

#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/training_set.h"

namespace dorm {
namespace {

struct RoundsProblem {
  TrainingSet set;
  RankingRisk risk;

  explicit RoundsProblem(std::uint64_t seed, double C = 100, const char* measure = "ndcg@5",
                         const char* decay = "measure", double noise = 1)
      : set(synthesize(
                {.queries = 60, .features = 10, .documents_median = 15, .noise = noise, .seed = seed, .threads = 1}),
            "auto", 1),
        risk(set.features(), *make_trainable(measure), Decay(decay), 1) {
    risk.set_trade_off(set.units().trade_off(C, risk.num_blocks()));
  }
};

TEST(Rounds, GoOnAfterTheFirstOnlyWhereItIsHealthyEnough) {
  for (const auto& [C, healthy] : {std::pair(0.1, false), std::pair(1000.0, true)}) {
    RoundsProblem problem(1, C, "ndcg@5", "measure", 0.02);
    const std::vector<double> start = problem.set.fit({.kind = InitialModel::ridge}).w;
    EXPECT_EQ(run_rounds(problem.risk, {Bound::best, 1}, start).explained_risk() >= kConfident, healthy) << C;
    EXPECT_EQ(run_rounds(problem.risk, {Bound::best, 0}, start).objectives.size() > 1, healthy) << C;
    EXPECT_GT(run_rounds(problem.risk, {Bound::best, 4}, start).objectives.size(), 1u) << "asked for";
  }
}

TEST(Rounds, OfBestAndPredictedNeverRaiseTheObjective) {
  for (const Bound bound : {Bound::best, Bound::predicted})
    for (const char* decay : {"measure", "power:0.5"})
      for (const std::uint64_t seed : {1, 2, 3}) {
        RoundsProblem problem(seed, 100, "ndcg@5", decay);
        const RoundsOptions options{bound, 6, {.tolerance = 1e-2}};
        const Fitted result = run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w);
        for (std::size_t r = 1; r < result.objectives.size(); ++r)
          EXPECT_LE(result.objectives[r], result.objectives[r - 1] * (1 + 1e-12)) << decay << " seed " << seed;
        EXPECT_EQ(result.report.primal, result.objectives.back());
        EXPECT_LE(result.report.dual, result.report.primal);
      }
}

TEST(Rounds, OfPredictedGoOnAfterTheFirst) {
  RoundsProblem problem(1);
  const Fitted result = run_rounds(problem.risk, {Bound::predicted, 6, {.tolerance = 1e-3}},
                                   problem.set.fit({.kind = InitialModel::ridge}).w);
  ASSERT_GE(result.objectives.size(), 2u);
  EXPECT_LT(result.objectives.back(), result.objectives.front());
}

TEST(Rounds, AFixedReferenceNeedsOne) {
  RoundsProblem problem(2);
  for (const Bound bound : {Bound::given, Bound::average}) {
    RoundsOptions options;
    options.bound = bound;
    options.rounds = 5;
    EXPECT_EQ(run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w).objectives.size(),
              1u);
  }
}

TEST(Rounds, StopWhenToldEvenIfTheRoundConvergesThen) {
  RoundsProblem problem(3);
  std::size_t calls = 0;
  const RoundsObserver once = [&](const RoundsState& state, const Progress& progress) {
    ++calls;
    EXPECT_EQ(state.round, 1u) << "a later round began";
    return progress.gap > 1e-2;  // says stop once, at or near convergence
  };
  RoundsOptions options;
  options.bound = Bound::predicted;
  options.rounds = 6;
  options.solve.tolerance = 1e-2;
  const Fitted fitted = run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w, once);
  EXPECT_EQ(fitted.status(), "interrupted");
  EXPECT_GT(calls, 0u);
  EXPECT_FALSE(fitted.w.empty());
}

TEST(Rounds, ATimeLimitIsSharedByAllRounds) {
  RoundsProblem problem(4);
  RoundsOptions options;
  options.bound = Bound::predicted;
  options.rounds = 8;
  options.solve.seconds = 1e-9;
  const Fitted fitted = run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w);
  EXPECT_EQ(fitted.objectives.size(), 1u);
  EXPECT_EQ(fitted.status(), "time_limit");
  EXPECT_EQ(fitted.w.size(), problem.risk.dimension());
}

TEST(Fit, KeepsTheFirstStateOnlyWhenAsked) {
  RoundsProblem problem(5);
  RoundsOptions options;
  EXPECT_TRUE(run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w).first_round.empty());
  options.keep_first_round = true;
  EXPECT_FALSE(run_rounds(problem.risk, options, problem.set.fit({.kind = InitialModel::ridge}).w).first_round.empty());
}

// Two documents 6 apart in their only feature, the decay 1/2, 1/3: the wrong order costs 1 + 6 w (1/3 - 1/2), so H(w) =
// max(0, 1 - w) and, with C = 1/4, P(w) = w^2 / 2 + H(w) / 4. P(0) = 1/4; the minimum is P(1/4) = 7/32.
TEST(Fit, HealthIsTheShareOfTheRiskOfZeroThatIsGone) {
  DatasetBuilder builder;
  builder.add({1, "q"}, std::vector<float>{6});
  builder.add({0, "q"}, std::vector<float>{0});
  const LinearFeatures features(builder.finish());
  RankingRisk risk(features, *make_trainable("wta"), Decay("power:1"), 1);
  risk.set_trade_off(0.25);
  RoundsOptions options;
  options.solve.tolerance = 1e-9;
  const Fitted fitted = run_rounds(risk, options, {0});
  EXPECT_NEAR(fitted.w[0], 0.25, 1e-4);
  EXPECT_NEAR(fitted.zero_risk, 0.25, 1e-7);
  EXPECT_NEAR(fitted.explained_risk(), 0.125, 1e-7);
  EXPECT_FALSE(fitted.zero_is_optimal(options.solve.tolerance));
}

// Two queries whose documents lie 1 and 2 from their mean: the mean squared norm is (1 + 1 + 4 + 4) / 4 = 5/2.
TEST(TradeOff, FollowsTheUnitsOfC) {
  DatasetBuilder builder;
  builder.add({1, "a"}, std::vector<float>{3});
  builder.add({0, "a"}, std::vector<float>{1});
  builder.add({1, "b"}, std::vector<float>{4});
  builder.add({0, "b"}, std::vector<float>{0});
  const TrainingSet set(builder.finish(), "none", 1);
  const RankingRisk risk(set.features(), *make_trainable("ndcg"), Decay(), 1);
  EXPECT_DOUBLE_EQ(set.units().trade_off(5, risk.num_blocks()), 1);  // 5 / (5/2) / 2 queries
  EXPECT_DOUBLE_EQ(set.units(true).trade_off(5, risk.num_blocks()), 5);
}

}  // namespace
}  // namespace dorm
