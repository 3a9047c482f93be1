// SPDX-License-Identifier: Apache-2.0
// The risk on a device against the risk on threads, list by list, for every measure, decay and bound. On the device
// `host`, and on the one that DORM_TEST_DEVICE names (make test-gpu).
#include "learning/device/device_risk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dorm/measure.h"
#include "dorm/stream.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "learning/kinds.h"
#include "learning/train/learning_data.h"
#include "model/features/device_rows.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/tested_device.h"

namespace dorm {
namespace {

using test::random_data;
using test::RandomData;
using test::tested_device;

std::vector<std::string> measures_of_device() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : measure_catalog())
    if (entry.trainable) names.emplace_back(entry.example);
  return names;
}

std::unique_ptr<RankingRisk> lists_of(const LinearFeatures& features, const std::string& measure,
                                      const std::string& decay = "measure") {
  return std::make_unique<RankingRisk>(features, *make_trainable(measure, make_convention("standard")), Decay(decay),
                                       1);
}

/// A risk with its rows on the device.
struct OnDevice {
  std::unique_ptr<RowDevice> rows;
  DeviceRisk risk;

  OnDevice(std::unique_ptr<RankingRisk> lists, const LinearFeatures& features, std::size_t groups,
           std::uint64_t bytes = 0)
      : rows(rows_on_device(features, {.threads = 2, .device = tested_device(), .memory = bytes})),
        risk(std::move(lists), *rows, groups, 2) {}
};

std::vector<double> some_weights(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> w(size);
  for (double& x : w) x = rng.normal();
  return w;
}

/// Blocks of `there` are consecutive blocks of `here`: values, offsets and directions are their weighted means.
void expect_means(const RankingRisk& here, const DeviceRisk& there, std::span<const double> w,
                  const std::string& name) {
  const auto workspace = here.make_workspace();
  std::size_t first = 0;
  for (std::size_t group = 0; group < there.num_blocks(); ++group) {
    const std::size_t last = here.num_blocks() * (group + 1) / there.num_blocks();
    double weight = 0, value = 0, offset = 0;
    std::vector<double> direction(here.dimension(), 0.0);
    Plane plane;
    for (std::size_t block = first; block < last; ++block) {
      const double share = here.block_weight(block);
      weight += share;
      value += share * here.linearize(block, w, plane, *workspace);
      offset += share * plane.offset;
      here.geometry().add(share, plane, direction);
    }
    first = last;
    EXPECT_NEAR(there.block_weight(group), weight, 1e-12 * weight) << name;
    EXPECT_NEAR(there.linearize(group, w, plane, *workspace), value / weight, 1e-9) << name;
    EXPECT_NEAR(plane.offset, offset / weight, 1e-9) << name;
    ASSERT_EQ(plane.direction.size(), direction.size());
    for (std::size_t j = 0; j < direction.size(); ++j)
      EXPECT_NEAR(plane.direction[j], direction[j] / weight, 1e-5) << name << " " << j;
  }
}

TEST(DeviceRisk, EveryMeasureDecayAndBound) {
  const Dataset data = random_data({.lengths = {5, 14, 1, 30, 3, 8, 21, 2}, .features = 6, .seed = 4});
  const LinearFeatures features(data);
  const std::vector<double> w = some_weights(6, 9), reference = some_weights(6, 10);
  for (const std::string& measure : measures_of_device())
    for (const char* decay : {"measure", "power:0.5", "discount"})
      for (const Bound bound : test::kBounds) {
        const auto here = lists_of(features, measure, decay);
        OnDevice device(lists_of(features, measure, decay), features, 3);
        DeviceRisk& there = device.risk;
        here->set_trade_off(2);
        there.set_trade_off(2);
        here->set_reference(bound, reference);
        there.set_reference(bound, reference);
        const std::string name = measure + " " + decay + " " + std::string(name_of(bound));
        expect_means(*here, there, w, name);
        EXPECT_NEAR(there.loss(w), here->loss(w), 1e-9 * std::abs(here->loss(w)) + 1e-12) << name;
      }
}

TEST(DeviceRisk, SortsThereWhereTheDecayIsTheMeasures) {
  const Dataset data = random_data({});
  const LinearFeatures features(data);
  const auto sorts = [&](const char* measure, const char* decay) {
    return OnDevice(lists_of(features, measure, decay), features, 1).risk.sorts_there();
  };
  EXPECT_TRUE(sorts("ndcg@3", "measure"));
  EXPECT_TRUE(sorts("precision@2", "measure"));
  EXPECT_FALSE(sorts("ndcg@3", "power:0.5"));
  EXPECT_FALSE(sorts("mrr", "measure"));
}

// Rows that are no whole number of 16 bytes, more columns than a block has threads, lists longer than shared memory
// takes, many pieces.
TEST(DeviceRisk, ManyShapes) {
  const std::vector<RandomData> shapes = {{.lengths = std::vector<std::size_t>(300, 40), .features = 7, .seed = 1},
                                          {.lengths = {50, 2000, 3, 1500}, .features = 33, .seed = 2},
                                          {.lengths = {40, 60, 80}, .features = 600, .seed = 3},
                                          {.lengths = {30, 30}, .features = 1, .seed = 4},
                                          {.lengths = std::vector<std::size_t>(60, 25), .features = 136, .seed = 5}};
  for (const RandomData& shape : shapes)
    for (const char* measure : {"ndcg@10", "ndcg"}) {
      const Dataset data = random_data(shape);
      const LinearFeatures features(data);
      const auto here = lists_of(features, measure);
      OnDevice device(lists_of(features, measure), features, 5);
      DeviceRisk& there = device.risk;
      const std::vector<double> w = some_weights(shape.features, shape.seed);
      here->set_reference(Bound::best, w);
      there.set_reference(Bound::best, w);
      expect_means(*here, there, some_weights(shape.features, 77),
                   std::string(measure) + " of " + std::to_string(shape.features) + " features");
    }
}

TEST(DeviceRisk, TheSameBitsAgainAndInParts) {
  const Dataset data = random_data({.lengths = std::vector<std::size_t>(200, 50), .features = 20, .seed = 6});
  const LinearFeatures features(data);
  const std::vector<double> w = some_weights(20, 1);
  const auto planes = [&](std::uint64_t bytes, const char* decay) {
    OnDevice device(lists_of(features, "ndcg@10", decay), features, 4, bytes);
    DeviceRisk& risk = device.risk;
    risk.set_reference(Bound::best, w);
    const auto workspace = risk.make_workspace();
    std::vector<Plane> found(risk.num_blocks());
    for (std::size_t group = 0; group < found.size(); ++group) risk.linearize(group, w, found[group], *workspace);
    return found;
  };
  for (const char* decay : {"measure", "power:1"}) {
    const std::vector<Plane> once = planes(0, decay);
    EXPECT_EQ(planes(0, decay), once) << decay;
    EXPECT_EQ(planes(800'000, decay), once) << decay;  // rows alone are 800,000 bytes: on a GPU, some are sent again
  }
}

TEST(DeviceRisk, TheOptimumIsThatOfThreads) {
  const Dataset data = test::web_like(7, 60);
  const LinearFeatures features(data);
  for (const char* decay : {"measure", "power:0.5"})
    for (const char* solver : {"lbfgs", "shards", "oneslack"}) {
      const auto here = lists_of(features, "ndcg@5", decay);
      OnDevice device(lists_of(features, "ndcg@5", decay), features, 16);
      DeviceRisk& there = device.risk;
      for (ReferencedRisk* risk : {static_cast<ReferencedRisk*>(here.get()), static_cast<ReferencedRisk*>(&there)}) {
        risk->set_trade_off(0.1);
        risk->set_reference(Bound::best, some_weights(risk->dimension(), 3));
      }
      const SolveReport one = solve(*here, {.tolerance = 1e-4}).report;
      const SolveReport two = solve(there, {.solver = parse_solver(solver), .tolerance = 1e-4}).report;
      EXPECT_EQ(two.status, SolveStatus::converged) << solver << " " << decay;
      EXPECT_LE(two.dual, one.primal * (1 + 1e-8)) << solver << " " << decay;
      EXPECT_GE(two.primal, one.dual * (1 - 1e-8)) << solver << " " << decay;
    }
}

// Queries in which no ranking is better than another stay among the rows, between lists.
TEST(DeviceRisk, QueriesWithoutListsLieBetween) {
  Dataset data = random_data({.lengths = {9, 1, 12, 1, 1, 7, 2000, 1, 30}, .features = 5, .seed = 8});
  const LinearFeatures features(data);
  const auto here = lists_of(features, "ndcg@4");
  ASSERT_LT(here->num_blocks(), data.num_queries());
  OnDevice device(lists_of(features, "ndcg@4"), features, 2);
  const std::vector<double> w = some_weights(5, 2);
  here->set_reference(Bound::best, w);
  device.risk.set_reference(Bound::best, w);
  expect_means(*here, device.risk, some_weights(5, 3), "ndcg@4");
}

// How many references change, and that they are those of the CPU.
TEST(DeviceRisk, CountsReferencesThatChange) {
  const Dataset data = test::web_like(4, 50);
  const LinearFeatures features(data);
  for (const Bound bound : {Bound::best, Bound::predicted}) {
    const auto here = lists_of(features, "ndcg@5");
    OnDevice device(lists_of(features, "ndcg@5"), features, 4);
    for (const std::uint64_t seed : {1, 2, 2, 3}) {
      const std::vector<double> w = some_weights(features.dimension(), seed);
      EXPECT_EQ(device.risk.set_reference(bound, w), here->set_reference(bound, w)) << name_of(bound) << seed;
    }
  }
}

// A device that scales rows gives those of the CPU, to the rounding of 32 bits.
TEST(DeviceRows, EveryScaling) {
  const Dataset data = test::web_like(6, 40);
  for (const CatalogEntry& entry : scaling_catalog()) {
    if (entry.name == "auto") continue;
    const Scaling scaling = fit_scaling(parse_scaling(entry.name), data);
    const LinearFeatures features(data, scaling, 0, 1);
    const auto rows = rows_on_device(features, {.threads = 3, .device = tested_device()});
    const std::vector<double> w = some_weights(features.dimension(), 5);
    std::vector<double> found(data.num_documents()), expected(data.num_documents());
    ASSERT_EQ(rows->scores(w, found), "");
    double squares = 0, largest = 0;
    ASSERT_EQ(rows->centred_squares(squares), "");
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      features.scores(q, w, std::span(expected).subspan(data.first_document(q), data.query(q).size()));
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-6 * largest) << entry.name;
    const double norm = features.centred_norm(1) * static_cast<double>(data.num_documents());
    EXPECT_NEAR(squares, norm, 1e-6 * norm) << entry.name;
  }
}

// What is told of the data while rows are visited, of queries that a device does not hold, too.
TEST(DeviceRows, TheSurveySeesAllQueries) {
  const Dataset data = random_data({.lengths = std::vector<std::size_t>(90, 40), .features = 12, .seed = 3});
  Survey here(data);
  here.add_all(1);
  const LinearFeatures features(data);
  for (const std::uint64_t bytes : {0, 500'000}) {
    Survey there(data);
    const auto rows = rows_on_device(features, {.threads = 2, .device = tested_device(), .memory = bytes}, &there);
    EXPECT_EQ(there.fingerprint(), here.fingerprint()) << bytes;
    EXPECT_EQ(there.statistics().mean, here.statistics().mean) << bytes;
    EXPECT_EQ(there.statistics().minimum, here.statistics().minimum) << bytes;
    EXPECT_EQ(there.statistics().maximum, here.statistics().maximum) << bytes;
  }
}

TEST(DeviceRisk, CompressedRowsAreRefused) {
  const Dataset data = random_data({.sparse = true});
  const LinearFeatures features(data);
  EXPECT_EQ(test::message_of([&] { rows_on_device(features, {.device = tested_device()}); }, ErrorCode::unsupported),
            "a device holds dense rows, but these features are compressed (mostly zero); expected the device cpu");
}

TEST(DeviceOption, WhatADeviceIsNotFor) {
  const Dataset data = test::web_like(3, 20);
  TrainOptions options;
  options.compute.device = "gpu";
  EXPECT_EQ(test::message_of([&] { train(data, options); }, ErrorCode::bad_option),
            "device \"gpu\"; expected cpu, cuda or cuda:N (N: 0, 1 ...)");
  options.compute.device = "cuda";
  options.solve.solver = parse_solver("bcfw");
  EXPECT_EQ(test::message_of([&] { train(data, options); }, ErrorCode::bad_option),
            "the solver bcfw does not ask for all queries at once, as the device cuda answers; expected lbfgs, "
            "shards or oneslack");
  options.solve.solver = {};
  Stream stream;
  EXPECT_EQ(test::message_of([&] { stream.learn(data, options); }, ErrorCode::unsupported),
            "streams are not learnt on the device cuda; expected the device cpu");
}

// Whole trainings on a GPU: the same bytes again, the optimum of the CPU within the gap, tuning.
TEST(DeviceOption, TrainsOnAGpu) {
  if (!tested_device().starts_with("cuda")) GTEST_SKIP() << "DORM_TEST_DEVICE names no GPU (make test-gpu)";
  const Dataset data = test::web_like(5, 120);
  TrainOptions options;
  options.bound = Bound::best;
  const TrainResult here = train(data, options);
  options.compute.device = tested_device();
  const TrainResult there = train(data, options), again = train(data, options);
  EXPECT_EQ(to_json(there.model), to_json(again.model));
  EXPECT_LE(there.report.solve.dual, here.report.solve.primal * (1 + 1e-6));
  EXPECT_GE(there.report.solve.primal, here.report.solve.dual * (1 - 1e-6));
  TuneOptions grid{.train = options, .C = {1, 100}, .initial_models = {}, .folds = 2};
  EXPECT_EQ(tune(data, grid).points.size(), 4U);  // two bounds
}

}  // namespace
}  // namespace dorm
