// SPDX-License-Identifier: Apache-2.0
// Curves beside lines in the grid of a tuning.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/tune.h"
#include "learning/train/learning_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

/// Relevance is best in the middle of the first feature, and rises with the second.
Dataset middling(std::uint64_t seed, std::size_t queries) {
  Rng rng(seed);
  DatasetBuilder builder;
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = std::to_string(q);
    for (int i = 0; i < 12; ++i) {
      std::vector<float> x(4);
      for (float& value : x) value = static_cast<float>(rng.uniform());
      const float gain = 1 - 4 * (x[0] - 0.5F) * (x[0] - 0.5F) + x[1] + 0.2F * static_cast<float>(rng.normal());
      builder.add({.label = std::floor(std::clamp(gain, 0.0F, 2.0F) * 1.5F), .query_id = id}, x);
    }
  }
  return builder.finish();
}

TuneOptions grid_of_bests() {
  TuneOptions options;
  options.C = {10, 100};
  options.bounds = {Bound::best};
  options.initial_models = {InitialModel::ridge};
  options.folds = 3;
  options.train.solve.tolerance = 1e-2;
  options.train.compute.threads = 1;
  return options;
}

bool has_curves(const TuneResult& result) {
  return std::any_of(result.points.begin(), result.points.end(), [](const auto& p) { return p.curves == "8"; });
}

double measured_on(const Model& model, const Dataset& data) {
  const std::vector<std::string> measures = {model.measure};
  return evaluate(data, score(model, data), measures, {.bootstrap = 0}).measures[0].mean;
}

TEST(TuneCurves, AreTriedBesideLinesAndAveragedIntoOneModel) {
  const Dataset data = middling(1, kCurveQueries), valid = middling(2, 40);
  const TuneResult result = tune(data, grid_of_bests(), valid);
  double lines = 0, curves = 0;
  for (const GridPoint& point : result.points) {
    double& best = point.curves == "none" ? lines : curves;
    best = std::max(best, point.validation);
  }
  EXPECT_GT(lines, 0.0);
  EXPECT_GT(curves, lines + 0.05);
  EXPECT_EQ(result.model.kind(), Model::Kind::curves);
  EXPECT_EQ(result.model.validation, measured_on(model_from_json(to_json(result.model), "m.json"), valid));
}

TEST(TuneCurves, LinesOfAnAverageAreCurvesThatDoNotBend) {
  const Dataset data = test::web_like(1, 40), valid = test::web_like(2, 40);
  TuneOptions options = grid_of_bests();
  options.C = {100};  // with 10 the lines explain too little of the risk to have a share
  options.initial_models = {};
  options.curves = {"none", "8"};
  const TuneResult both = tune(data, options, valid);
  ASSERT_EQ(both.points.size(), 2u);
  ASSERT_GT(both.points[0].share, 0);
  ASSERT_GT(both.points[1].share, 0);
  std::vector<double> sum(valid.num_documents());
  for (const GridPoint& point : both.points) {
    options.curves = {point.curves};
    const Model alone = tune(data, options, valid).model;
    const std::vector<double> trained = score(alone, data), held = score(alone, valid);
    double squares = 0;  // of the scores about the mean of their query
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const std::size_t first = data.first_document(q), size = data.query(q).size();
      double mean = 0;
      for (std::size_t i = 0; i < size; ++i) mean += trained[first + i] / static_cast<double>(size);
      for (std::size_t i = 0; i < size; ++i) squares += (trained[first + i] - mean) * (trained[first + i] - mean);
    }
    const double spread = std::sqrt(squares / static_cast<double>(data.num_documents()));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += point.share / spread * held[i];
  }
  const std::vector<double> scores = score(both.model, valid);
  for (std::size_t i = 0; i < sum.size(); ++i)  // curves of the training data have 16 bits
    EXPECT_NEAR(scores[i] - scores[0], sum[i] - sum[0], 5e-3) << i;
}

TEST(TuneCurves, FoldsAndThreadsGiveOneModelOfCurves) {
  const Dataset data = middling(3, kCurveQueries);
  TuneOptions options = grid_of_bests();
  const TuneResult one = tune(data, options);
  EXPECT_EQ(one.model.kind(), Model::Kind::curves);
  EXPECT_EQ(one.model.folds, 3u);
  options.train.compute.threads = 3;
  EXPECT_EQ(to_json(tune(data, options).model), to_json(one.model));
}

TEST(TuneCurves, AreResumedToTheSameBytes) {
  const Dataset data = middling(3, kCurveQueries), valid = middling(4, 30);
  TuneOptions options = grid_of_bests();
  const std::string whole = to_json(tune(data, options, valid).model);
  const std::string path = ::testing::TempDir() + "/tune_curves.ck";
  std::filesystem::remove(path);
  options.train.checkpoint = path;
  options.train.checkpoint_seconds = 0;
  const TuneResult part =
      tune(data, options, valid, [](const TuneProgress& progress) { return progress.done < progress.total / 2; });
  EXPECT_EQ(part.end, TuneEnd::stopped);
  const TuneResult resumed = tune(data, options, valid);
  EXPECT_GT(resumed.resumed, 0u);
  EXPECT_EQ(to_json(resumed.model), whole);
}

TEST(TuneCurves, StayOutWhereTheyAreRefusedOrCannotBeServed) {
  const Dataset data = middling(5, kCurveQueries), valid = middling(6, 30);
  EXPECT_FALSE(has_curves(tune(middling(5, kCurveQueries - 1), grid_of_bests(), valid)));
  TuneOptions without = grid_of_bests();
  without.curves = {"none"};
  EXPECT_FALSE(has_curves(tune(data, without, valid)));
  TuneOptions kernel = grid_of_bests();
  kernel.train.kernel = "rbf:gamma=1";
  kernel.train.approximation = "nystroem:10";
  EXPECT_FALSE(has_curves(tune(data, kernel, valid)));
  TuneOptions signs = grid_of_bests();
  signs.train.signs.increasing = "2";
  EXPECT_TRUE(has_curves(tune(data, signs, valid)));
  for (const auto& [target, scale, expected] :
       {std::tuple("solr", "auto", false), std::tuple("any", "auto", false), std::tuple("sql", "zscore", true),
        std::tuple("c", "zscore", true), std::tuple("c", "query-minmax", false)}) {
    TuneOptions served = grid_of_bests();
    served.train.target = target;
    served.train.scale = scale;
    EXPECT_EQ(has_curves(tune(data, served, valid)), expected) << target << " " << scale;
  }
}

TEST(TuneCurves, GridsThatMakeNoSingleModelAreRefused) {
  const auto refused = [](std::vector<std::string> curves) {
    TuneOptions options;
    options.curves = std::move(curves);
    return test::message_of([&] { options.validate(); });
  };
  EXPECT_EQ(refused({"8", "16"}), "the grid has the curves 8/16; expected none, curves of one spelling, or none/8");
  EXPECT_EQ(refused({"none", "steps:8"}),
            "lines and the curves steps:8 cannot be averaged into one model; expected curves of lines, or one of them");
}

}  // namespace
}  // namespace dorm
