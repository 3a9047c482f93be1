// SPDX-License-Identifier: Apache-2.0
#include "dorm/tune.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "dorm/data/scale.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/train/learning_data.h"

namespace dorm {
namespace {

using test::web_like;

TuneOptions small_grid() {
  TuneOptions options;
  options.curves = {"none"};
  options.C = {10, 1000};
  options.decays = {"measure"};
  options.bounds = {Bound::best};
  options.initial_models = {};
  options.choice = Choice::best;
  options.folds = 3;
  options.train.compute.threads = 1;
  options.train.solve.tolerance = 1e-2;
  return options;
}

std::string text_of(const TuneResult& result) {
  std::string text = to_json(result.model);
  for (const GridPoint& cell : result.points)
    text += std::string(cell.bound ? name_of(*cell.bound) : "none") + cell.decay + std::to_string(cell.C) + " " +
            std::to_string(cell.validation) + "\n";
  return text;
}

double total_share(const TuneResult& result) {
  double total = 0;
  for (const GridPoint& cell : result.points) total += cell.share;
  return total;
}

const GridPoint& largest_share(const TuneResult& result) {
  return *std::max_element(result.points.begin(), result.points.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
}

double judged(const Model& model, const Dataset& data) {
  const std::vector<std::string> measures = {model.measure};
  return evaluate(data, score(model, data), measures, {.bootstrap = 0}).measures[0].mean;
}

TEST(Tune, JudgesBoundsAndCheapRankersOnTheValidationData) {
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  TuneOptions options;
  options.curves = {"none"};
  options.train.solve.tolerance = 1e-2;
  options.C = {10};
  const TuneResult result = tune(data, options, valid);
  EXPECT_EQ(result.points.size(), 3u + 4 + 4 + 3 + 3);  // best, predicted from two starts; ridge twice, pairs twice
  EXPECT_NEAR(total_share(result), 1, 1e-12);
  for (const GridPoint& cell : result.points) EXPECT_EQ(cell.per_query.size(), valid.num_queries());
}

TEST(Tune, OnLinearGainsThereAreNoRankersOnGains) {
  TuneOptions options;
  options.curves = {"none"};
  options.train.convention = "sklearn";
  options.C = {10};
  const Dataset valid = web_like(2, 20);
  EXPECT_EQ(tune(web_like(1, 30), options, valid).points.size(), 3u + 4 + 3);
}

TEST(Tune, TheAverageIsDeliveredAsItWasJudged) {
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  TuneOptions options;
  options.curves = {"none"};
  options.C = {10, 100};
  const TuneResult result = tune(data, options, valid);
  ASSERT_GT(result.model.parts.size(), 1u);
  EXPECT_FALSE(result.refitted);
  EXPECT_EQ(result.model.validation, judged(model_from_json(to_json(result.model), "m.json"), valid));
  EXPECT_EQ(result.model.parts.front().share, largest_share(result).share);
  double shares = 0;
  for (const ModelPart& part : result.model.parts) {
    shares += part.share;
    if (part.bound == "none") continue;
    EXPECT_LE(part.certificate.gap, 1e-3);
    EXPECT_GE(part.explained_risk, kDegenerate);
  }
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(Tune, TheWinnerIsDeliveredAsItWasJudged) {
  const Dataset data = web_like(1, 50), valid = web_like(2, 40);
  TuneOptions options = small_grid();
  options.C = {10};
  const TuneResult result = tune(data, options, valid);
  EXPECT_EQ(result.model.validation, result.points[0].validation);
  EXPECT_EQ(result.model.validation, judged(result.model, valid));
  TrainOptions same = options.train;
  same.C = 10;
  same.bound = Bound::best;
  EXPECT_EQ(train(data, same).model.weights, result.model.weights);  // the first of a path starts as cold
}

/// Labels that no feature says anything about, so that w = 0 is the optimum of a bound with fixed references.
Dataset noise(std::uint64_t seed) {
  Rng rng(seed);
  std::string text;
  for (int q = 0; q < 40; ++q)
    for (int i = 0; i < 12; ++i)
      text += fmt::format("{} qid:{} 1:{:.4f} 2:{:.4f}\n", rng.below(2), q, rng.uniform(), rng.uniform());
  return parse_letor(text, "noise.txt");
}

TEST(Tune, APathIsGivenUpWhereItsBoundCarriesNoInformation) {
  const Dataset data = noise(1), valid = noise(2);
  TuneOptions options = small_grid();
  options.bounds = {Bound::average};
  options.decays = {"power:0.5"};
  options.C = {10, 100, 1000};
  const TuneResult result = tune(data, options, valid);
  ASSERT_LT(result.points.front().explained_risk, kDegenerate);
  EXPECT_EQ(result.points.size(), 1u);
  EXPECT_EQ(result.points.front().share, 1);  // there is no other
}

TEST(Tune, APathEndsWhereALargerCDoesNoBetter) {
  const Dataset data = web_like(5, 50), valid = web_like(6, 40);
  TuneOptions options = small_grid();
  options.C = {1, 10, 100, 1000, 1e4, 1e5};
  const TuneResult result = tune(data, options, valid);
  for (std::size_t k = 2; k < result.points.size(); ++k)
    EXPECT_GT(result.points[k - 1].validation, result.points[k - 2].validation);
  ASSERT_LT(result.points.size(), options.C.size());
  EXPECT_LE(result.points.back().validation, result.points[result.points.size() - 2].validation);
}

TEST(Tune, FoldsJudgeEveryQueryOnceAndTheirMeanIsTheModel) {
  const Dataset data = web_like(3, 45);
  const TuneResult result = tune(data, small_grid());
  ASSERT_GE(result.points.size(), 1u);
  for (const GridPoint& cell : result.points) EXPECT_EQ(cell.per_query.size(), 45u);
  EXPECT_FALSE(result.refitted);
  EXPECT_EQ(result.model.folds, 3u);
  EXPECT_EQ(result.model.validation, largest_share(result).validation);
  EXPECT_EQ(result.model.data.queries, 45u);
  EXPECT_EQ(result.model.data.usable_queries, train(data).model.data.usable_queries);
}

TEST(Tune, FoldsShareOneScaling) {
  TuneOptions options = small_grid();
  options.train.scale = "zscore";
  const Dataset data = web_like(3, 45);
  const Scaling whole = fit_scaling(ScalingKind::zscore, data);
  EXPECT_EQ(tune(data, options).model.scaling.factor, whole.factor);
}

TEST(Tune, DoesNotDependOnThreadsOrTheOrderOfC) {
  const Dataset data = web_like(4, 40);
  TuneOptions options = small_grid();
  options.decays = {"measure", "power:1"};
  options.C = {10, 100, 1000};
  const std::string one = text_of(tune(data, options));
  options.train.compute.threads = 4;
  EXPECT_EQ(text_of(tune(data, options)), one);
  options.C = {1000, 10, 100, 10};
  EXPECT_EQ(text_of(tune(data, options)), one);
}

// Fewer paths than threads, and none that is alike: what a path gets changes while it runs.
TEST(Tune, ThreadsThatAreFreeChangeNothing) {
  const Dataset data = web_like(8, 60), valid = web_like(9, 30);
  TuneOptions options = small_grid();
  options.bounds = {std::nullopt, Bound::average};
  options.initial_models = {InitialModel::ridge, InitialModel::pairwise};
  options.choice = Choice::average;
  const std::string one = text_of(tune(data, options, valid));
  for (const std::size_t threads : {2, 7, 16}) {
    options.train.compute.threads = threads;
    EXPECT_EQ(text_of(tune(data, options, valid)), one) << threads;
  }
}

TEST(Tune, StoppedEarlyItDeliversTheCellsSoFar) {
  const Dataset data = web_like(6, 40), valid = web_like(7, 30);
  TuneOptions options = small_grid();
  options.C = {10, 100, 1000, 10000};
  std::size_t seen = 0;
  const TuneResult result = tune(data, options, valid, [&](const TuneProgress& progress) {
    seen = progress.done;
    EXPECT_EQ(progress.total, 4u);
    return progress.done < 1;
  });
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(result.points.size(), 1u);
  EXPECT_FALSE(result.model.weights.empty());
}

TEST(Tune, StoppedBeforeAnyCellItSaysSo) {
  const auto stop = [](const TuneProgress&) { return false; };
  EXPECT_THROW(tune(web_like(6, 40), small_grid(), {}, stop), Error);
}

TEST(Tune, ValidationWithoutARelevantDocumentIsRefused) {
  const Dataset valid = parse_letor("0 qid:1 1:1 2:1\n0 qid:1 1:2 2:1\n", "valid.txt");
  EXPECT_THROW(tune(web_like(6, 40), small_grid(), valid), Error);
}

TEST(Tune, WrongGridsAreRefused) {
  const Dataset data = web_like(1, 10);
  const auto expect_refused = [&](auto change) {
    TuneOptions options = small_grid();
    change(options);
    EXPECT_THROW(tune(data, options), Error);
  };
  expect_refused([](TuneOptions& o) { o.C = {}; });
  expect_refused([](TuneOptions& o) { o.C = {10, -1}; });
  expect_refused([](TuneOptions& o) { o.decays = {}; });
  expect_refused([](TuneOptions& o) { o.decays = {"nothing"}; });
  expect_refused([](TuneOptions& o) { o.bounds = {}; });
  expect_refused([](TuneOptions& o) { o.measures = {"map"}; });
  expect_refused([](TuneOptions& o) { o.folds = 1; });
  expect_refused([](TuneOptions& o) { o.folds = 11; });
}

}  // namespace
}  // namespace dorm
