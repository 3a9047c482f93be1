// SPDX-License-Identifier: Apache-2.0
// Training as a whole: monotone, repeatable, stoppable, resumable, and better than its start at its own task.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/checksum.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "support/case_name.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::quick_options;
using test::tasteful_ratings;

class EveryBound : public testing::TestWithParam<std::tuple<std::string, std::string, bool>> {};

TEST_P(EveryBound, NeverRaisesTheObjective) {
  const auto& [bound, measure, centred] = GetParam();
  const Ratings ratings = tasteful_ratings(80, 40, 15, 5);
  FactorizeOptions options = quick_options();
  options.bound = bound;
  options.measure = measure;
  options.centred = centred;
  options.rounds = 4;
  const FactorizeReport report = factorize(ratings, options).report;
  ASSERT_GE(report.half_steps.size(), 4u);
  double last = INFINITY;
  for (const HalfStep& step : report.half_steps) {
    EXPECT_LE(step.before, last * (1 + 1e-9)) << "round " << step.round;
    EXPECT_LE(step.after, step.before * (1 + 1e-12)) << "round " << step.round;
    EXPECT_TRUE(step.gap <= options.tolerance || step.passes == options.max_passes) << step.gap;
    EXPECT_GE(step.gap, -1e-6);
    last = step.after;
  }
  EXPECT_LT(last, report.half_steps.front().before);
}

INSTANTIATE_TEST_SUITE_P(Factorize, EveryBound,
                         testing::Combine(testing::Values("given", "average", "best", "predicted"),
                                          testing::Values("ndcg@5", "dcg", "mrr:rel=4", "eru"), testing::Bool()),
                         test::case_name);

TEST(Factorize, GivesTheSameBitsForAnyNumberOfThreads) {
  const Ratings ratings = tasteful_ratings(120, 50, 14, 6);
  FactorizeOptions options = quick_options();
  const FactorModel one = factorize(ratings, options).model;
  options.threads = 3;
  const FactorModel three = factorize(ratings, options).model;
  EXPECT_EQ(one.user_factors, three.user_factors);
  EXPECT_EQ(one.item_factors, three.item_factors);
}

TEST(Factorize, ImprovesTheTrainedMeasureOnItsOwnList) {
  const Ratings ratings = tasteful_ratings(100, 60, 25, 7);
  FactorizeOptions options = quick_options();
  options.start_lambda = 15;  // a start that has not learnt the ratings by heart
  const std::string measures[] = {options.measure};
  const auto reached = [&](std::size_t rounds) {
    options.rounds = rounds;
    const FactorModel model = factorize(ratings, options).model;
    return evaluate(ratings, score(model, ratings), measures, {.bootstrap = 0, .threads = 1}).measures[0].mean;
  };
  EXPECT_GT(reached(2), reached(0) + 0.01);
}

TEST(Factorize, KeepsTheRoundThatIsBestOnValidationData) {
  const RatingsSplit split = split_random(tasteful_ratings(100, 60, 25, 7), 0.3, 1);
  FactorizeOptions options = quick_options();
  options.rounds = 6;
  options.lambda = 0.05;  // overfits sooner or later
  FactorizeInputs inputs;
  inputs.validation = &split.test;
  const FactorizeResult result = factorize(split.train, options, inputs);
  double best = 0;
  for (const FactorRound& round : result.report.rounds) best = std::max(best, round.validation);
  EXPECT_EQ(result.model.validation, best);
  const std::string measures[] = {options.measure};
  EXPECT_EQ(
      evaluate(split.test, score(result.model, split.test), measures, {.bootstrap = 0, .threads = 1}).measures[0].mean,
      best);
  EXPECT_LE(result.report.rounds.size(), result.model.rounds + options.patience + 1);
}

TEST(Factorize, ItemFeaturesCarryTasteToItemsNobodyRated) {
  // Two genres; each user likes one. The last two items are new.
  IdTable users, items;
  std::vector<Rating> list;
  SideFeatures genres;
  genres.names = {"red", "blue"};
  for (std::uint32_t j = 0; j < 22; ++j) {
    items.add(fmt::format("i{}", j));
    genres.ids.add(fmt::format("i{}", j));
    genres.values.insert(genres.values.end(), {j % 2 == 0 ? 1.0 : 0.0, j % 2 == 0 ? 0.0 : 1.0});
  }
  for (std::uint32_t u = 0; u < 30; ++u) {
    users.add(fmt::format("u{}", u));
    for (std::uint32_t j = 0; j < 20; ++j)
      if ((u + j) % 3 != 0) list.push_back({u, j, j % 2 == u % 2 ? 5.0f : 1.0f});
  }
  const Ratings ratings(users, items, list);
  FactorizeOptions options = quick_options();
  options.rank = 0;
  FactorizeInputs inputs;
  inputs.item_features = &genres;
  const FactorModel model = factorize(ratings, options, inputs).model;
  for (std::uint32_t u = 0; u < 30; ++u) {
    const auto best = recommend(model, u, 22);
    const auto place = [&](std::uint32_t item) {
      return std::find_if(best.begin(), best.end(), [&](const auto& each) { return each.item == item; });
    };
    EXPECT_LT(place(u % 2 == 0 ? 20 : 21), place(u % 2 == 0 ? 21 : 20));
  }
}

TEST(Factorize, AnObserverStopsItAndTheModelIsWhole) {
  const Ratings ratings = tasteful_ratings(50, 30, 12, 5);
  int calls = 0;
  const FactorizeResult result =
      factorize(ratings, quick_options(), {}, [&](const FactorizeProgress&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(result.report.status, "interrupted");
  EXPECT_EQ(result.model.rounds, 0u);
  EXPECT_EQ(score(result.model, ratings).size(), ratings.size());
}

TEST(Factorize, GoesOnFromACheckpoint) {
  const Ratings ratings = tasteful_ratings(50, 30, 12, 5);
  FactorizeOptions options = quick_options();
  options.rounds = 3;
  options.tolerance = 1e-5;
  const FactorModel whole = factorize(ratings, options).model;
  options.checkpoint = testing::TempDir() + "dorm_factorize_test.ck";
  std::remove(options.checkpoint.c_str());
  std::size_t told = 0;
  factorize(ratings, options, {}, [&](const FactorizeProgress& progress) {
    told = progress.round;
    return progress.round < 2;
  });
  EXPECT_EQ(told, 2u);
  std::size_t first = 0;
  const FactorizeResult resumed = factorize(ratings, options, {}, [&](const FactorizeProgress& progress) {
    if (first == 0) first = progress.round;
    return true;
  });
  EXPECT_GE(first, 2u);
  EXPECT_EQ(resumed.report.rounds.size(), 4u);
  EXPECT_NEAR(resumed.model.objective, whole.objective, 1e-4 * whole.objective);
  std::FILE* left = std::fopen(options.checkpoint.c_str(), "rb");
  EXPECT_EQ(left, nullptr) << "a finished run leaves no checkpoint";
}

TEST(Factorize, RefusesTheCheckpointOfAnotherProblem) {
  FactorizeOptions options = quick_options();
  options.checkpoint = testing::TempDir() + "dorm_factorize_other.ck";
  std::remove(options.checkpoint.c_str());
  const auto stop = [](const FactorizeProgress& progress) { return progress.round < 2; };
  factorize(tasteful_ratings(50, 30, 12, 5), options, {}, stop);
  EXPECT_THROW(factorize(tasteful_ratings(50, 30, 12, 6), options), Error);
  std::remove(options.checkpoint.c_str());
}

// Edits of the same length, with the checksum made good: refused, or a model of the right size. Never a crash.
TEST(Factorize, RefusesACheckpointWhoseNumbersDoNotFit) {
  const test::TemporaryDirectory folder;
  const Ratings ratings = tasteful_ratings(50, 30, 12, 5);
  FactorizeOptions options = quick_options();
  options.rounds = 3;
  options.checkpoint = folder.path("ck");
  factorize(ratings, options, {}, [](const FactorizeProgress& progress) { return progress.round < 2; });
  const std::string good = test::content_of(options.checkpoint);
  const std::pair<std::string, std::string> edits[] = {{"\"best_round\":1", "\"best_round\":9"},
                                                       {"\"history\":[", "\"hist0ry\":["},
                                                       {"\"round\":0", "\"round\":7"},
                                                       {"\"round\":1", "\"round\":0"},
                                                       {"\"round\":1", "\"rounb\":1"},
                                                       {"\"rank\":3", "\"rank\":2"},
                                                       {"\"name\":\"best_users\"", "\"name\":\"user_factors\""},
                                                       {"\"objective\":", "\"objective\"["}};
  for (const auto& [from, to] : edits) {
    std::string bad = good;
    const std::size_t at = bad.rfind(from, bad.find("user_factors") + 4000);
    if (at == std::string::npos || from.size() != to.size()) continue;
    bad.replace(at, from.size(), to);
    const std::uint64_t sum = checksum(std::as_bytes(std::span(bad)).first(bad.size() - sizeof sum));
    std::memcpy(bad.data() + bad.size() - sizeof sum, &sum, sizeof sum);
    folder.write("ck", bad);
    const Error error = test::error_of([&] { factorize(ratings, options); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << from << " -> " << to;
    EXPECT_EQ(error.position().file, options.checkpoint);
  }
  folder.write("ck", good);
  EXPECT_EQ(factorize(ratings, options).report.rounds.size(), 4u);
}

TEST(Factorize, AFinishedCheckpointIsKeptOnRequestAndGivesTheSameModel) {
  const test::TemporaryDirectory folder;
  const Ratings ratings = tasteful_ratings(50, 30, 12, 5);
  RatingsSplit split = split_random(ratings, 0.2, 1);
  for (const bool judged : {false, true}) {
    FactorizeOptions options = quick_options();
    options.rounds = 12;  // more than are made: the objective no longer falls, or validation says so
    options.checkpoint = folder.path("ck");
    options.keep_checkpoint = true;
    const FactorizeInputs inputs{.validation = judged ? &split.test : nullptr};
    const FactorizeResult first = factorize(split.train, options, inputs);
    options.keep_checkpoint = false;
    const FactorizeResult again = factorize(split.train, options, inputs);
    EXPECT_TRUE(again.report.finished && again.report.half_steps.empty());
    EXPECT_EQ(again.report.status, first.report.status);
    EXPECT_EQ(factors_to_bytes(again.model), factors_to_bytes(first.model));
    EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
  }
}

TEST(Factorize, StartsFromAnotherModelMatchedById) {
  const Ratings ratings = tasteful_ratings(50, 30, 12, 5);
  FactorizeOptions options = quick_options();
  const FactorModel first = factorize(ratings, options).model;
  FactorizeInputs inputs;
  inputs.warm = &first;
  options.rounds = 0;
  const FactorModel same = factorize(ratings, options, inputs).model;
  EXPECT_EQ(same.user_factors, first.user_factors);
  EXPECT_EQ(same.item_factors, first.item_factors);
  options.rank = 4;
  EXPECT_THROW(factorize(ratings, options, inputs), Error);
}

TEST(Factorize, UsersWithOneRatingOrOneValueHaveNoOrderButGetRecommendations) {
  IdTable users({"one", "same", "fine"}), items({"a", "b", "c", "d"});
  const Rating list[] = {{0, 0, 5}, {1, 0, 3}, {1, 1, 3}, {2, 0, 5}, {2, 1, 1}, {2, 2, 3}};
  const Ratings ratings(users, items, list);
  const FactorizeResult result = factorize(ratings, quick_options());
  EXPECT_EQ(result.report.users_without_order, 2u);
  EXPECT_EQ(recommend(result.model, 0, 10).size(), 3u);
  EXPECT_EQ(recommend(result.model, 1, 10).size(), 2u);
  EXPECT_EQ(recommend(result.model, 1, 10, true).size(), 4u);
  EXPECT_THROW(recommend(result.model, 3, 10), Error);
}

TEST(Factorize, SaysWhenTheMeasureLeavesNothingToLearn) {
  FactorizeOptions options = quick_options();
  options.measure = "mrr";  // every rating from 1 up is relevant
  const FactorizeResult result = factorize(tasteful_ratings(10, 8, 5, 5), options);
  EXPECT_EQ(result.report.status, "nothing_to_learn");
  EXPECT_EQ(result.report.users_without_order, 10u);
}

TEST(Factorize, RefusesOptionsThatMakeNoSense) {
  const Ratings ratings = tasteful_ratings(10, 8, 5, 5);
  const auto refused = [&](auto change) {
    FactorizeOptions options = quick_options();
    change(options);
    EXPECT_THROW(factorize(ratings, options), Error);
  };
  refused([](auto& o) { o.lambda = 0; });
  refused([](auto& o) { o.margin = -1; });
  refused([](auto& o) { o.bound = "auto"; });
  refused([](auto& o) { o.measure = "map"; });
  refused([](auto& o) { o.tolerance = 1; });
  refused([](auto& o) { o.start_lambda = NAN; });
}

}  // namespace
}  // namespace dorm
