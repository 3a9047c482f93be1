// SPDX-License-Identifier: Apache-2.0
// Every way to train leaves minimum, maximum and mean of the features in the model.
#include <gtest/gtest.h>

#include "dorm/learning/baseline.h"
#include "dorm/learning/memory.h"
#include "dorm/read.h"
#include "dorm/stream.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "dorm/write.h"
#include "support/feature_statistics.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

Dataset some_data(std::uint64_t seed = 1, bool sparse = false, std::size_t features = 5) {
  return test::random_data({.lengths = std::vector<std::size_t>(40, 7),
                            .features = features,
                            .density = 0.7,
                            .signal = 2,
                            .seed = seed,
                            .sparse = sparse,
                            .factor = 10});
}

void expect_statistics_of(const Dataset& data, const Model& model) {
  ASSERT_EQ(model.features.size(), data.num_features());
  test::expect_statistics(model.data.statistics, test::plain_statistics(data));
}

TEST(ModelStatistics, OfTrainUnderAnyScalingAndStorage) {
  for (const bool sparse : {false, true})
    for (const CatalogEntry& scaling : scaling_catalog())
      for (const bool tight : {false, true}) {
        const Dataset data = some_data(1, sparse);
        TrainOptions options{.bound = Bound::best, .scale = std::string(scaling.name)};
        if (tight) options.compute.memory = forecast_memory(data, options).least();
        const Model model = train(data, options).model;
        expect_statistics_of(data, model);
        options.compute.threads = 3;
        EXPECT_EQ(to_json(train(data, options).model), to_json(model));
      }
}

TEST(ModelStatistics, OfAMappedFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("data.dorm");
  write_dataset(some_data(), path);
  expect_statistics_of(some_data(), train(read_dataset(path), {.bound = Bound::best}).model);
}

TEST(ModelStatistics, OfKernels) {
  const Dataset data = some_data();
  expect_statistics_of(data, train(data, {.kernel = "rbf:gamma=0.1"}).model);
  expect_statistics_of(data, train(data, {.kernel = "rbf:gamma=0.1", .approximation = "nystroem:10"}).model);
}

TEST(ModelStatistics, OfTuningAreThoseOfAllFolds) {
  const Dataset data = some_data();
  TuneOptions options;
  options.curves = {"none"};
  options.C = {10, 1000};
  options.folds = 3;
  expect_statistics_of(data, tune(data, options).model);
  options.choice = Choice::best;
  expect_statistics_of(data, tune(data, options).model);
}

TEST(ModelStatistics, OfBaselines) {
  const Dataset data = some_data();
  expect_statistics_of(data, train_method(data, "ridge", {}).model);
  expect_statistics_of(data, train_initial_model(data, InitialModel::ridge));
  const FeatureStatistics all = test::plain_statistics(data);
  const Model single = train_method(data, "feature:2", {}).model;
  EXPECT_EQ(single.data.statistics.minimum, std::vector{all.minimum[1]});
  EXPECT_EQ(single.data.statistics.maximum, std::vector{all.maximum[1]});
  EXPECT_EQ(model_from_json(to_json(single), "m").data.statistics.minimum, std::vector{all.minimum[1]});
}

TEST(ModelStatistics, OfShards) {
  const Dataset data = some_data();
  TrainOptions options{.bound = Bound::best};
  options.solve.solver = parse_solver("shards");
  options.shards = 70;  // more than queries: some are empty
  expect_statistics_of(data, train(data, options).model);
}

TEST(ModelStatistics, OfPositions) {
  const Dataset data = some_data();
  const LabelGains gains{2, {0, 1, 2, 3}, {0, 0, 1, 0, 0, 1, 1, 1}};
  expect_statistics_of(data, train(Task::positions(data, gains_of(gains, data)), {.bound = Bound::best}).model);
}

TEST(ModelStatistics, AfterAWarmStartAreThoseOfTheNewData) {
  const Model first = train(some_data(1), {.bound = Bound::best, .scale = "none"}).model;
  TrainOptions options{.bound = Bound::best, .scale = "none"};
  options.initial = &first;
  expect_statistics_of(some_data(2), train(some_data(2), options).model);
}

// Features that a chunk lacks are 0 there.
TEST(ModelStatistics, OfAStreamAreThoseOfAllChunks) {
  Stream stream;
  stream.learn(some_data(1, false, 3));
  stream.learn(some_data(2, false, 5));
  stream = Stream::load(stream.save());
  stream.learn(some_data(3, false, 4));
  const FeatureStatistics found = stream.model().data.statistics;
  FeatureStatistics want;
  std::size_t documents = 0;
  for (const auto& [seed, features] : {std::pair{1, 3}, {2, 5}, {3, 4}}) {
    const Dataset data = some_data(static_cast<std::uint64_t>(seed), false, static_cast<std::size_t>(features));
    FeatureStatistics chunk = test::plain_statistics(data);
    for (std::vector<double>* numbers : {&chunk.minimum, &chunk.maximum, &chunk.mean}) numbers->resize(5, 0.0);
    want.add(documents, chunk, data.num_documents());
    documents += data.num_documents();
  }
  test::expect_statistics(found, want);
  EXPECT_EQ(found.minimum[4], std::min(0.0, found.minimum[4]));
}

}  // namespace
}  // namespace dorm
