// SPDX-License-Identifier: Apache-2.0
// Training from shards: the optimum of other solvers, the same bytes however the shards are spread, and no belief in
// responses that are wrong.
#include "dorm/learning/train_shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/rng.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/shards/message.h"
#include "learning/train/learning_data.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using test::web_like;

TrainOptions shard_options(std::size_t shards, std::size_t threads = 1) {
  TrainOptions options;
  options.bound = Bound::best;
  options.solve.solver = parse_solver("shards");
  options.compute.threads = threads;
  options.shards = shards;
  return options;
}

/// The same documents and queries in another order.
Dataset shuffled(const Dataset& data, std::uint64_t seed) {
  struct Row {
    std::size_t query, document;
  };
  std::vector<Row> rows;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i) rows.push_back({q, i});
  Rng rng(seed);
  rng.shuffle(std::span(rows));
  DatasetBuilder builder;
  std::vector<float> features(data.num_features());
  for (const Row& row : rows) {
    const Query query = data.query(row.query);
    query.rows.load(row.document, features);
    builder.add({query.labels[row.document], query.id}, features);
  }
  return builder.finish();
}

/// The shards of the data in so many hosts, which response last host first.
class Engine {
 public:
  Engine(const Dataset& data, std::size_t shards, std::size_t hosts) {
    std::vector<std::vector<Shard>> held(hosts);
    std::vector<Dataset> parts = split_into_shards(data, shards);
    for (std::size_t s = 0; s < parts.size(); ++s)
      held[s % hosts].push_back({static_cast<std::uint32_t>(s), std::move(parts[s])});
    for (std::vector<Shard>& part : held) hosts_.emplace_back(std::move(part), ComputeOptions{.threads = 1});
  }

  std::vector<std::string> response(std::string_view request) {
    ++asked;
    std::vector<std::string> responses;
    for (std::size_t k = hosts_.size(); k-- > 0;)
      for (std::string& each : hosts_[k].response(request)) responses.push_back(std::move(each));
    if (disturb) disturb(responses, request);
    return responses;
  }
  ShardTransport ask() {
    return [this](std::string_view request) { return response(request); };
  }

  std::function<void(std::vector<std::string>&, std::string_view)> disturb;
  std::size_t asked = 0;

 private:
  std::vector<ShardHost> hosts_;
};

double primal_of(const Dataset& data, const TrainOptions& options) {
  return train(data, options).model.certificate.primal;
}

TEST(TrainShards, FindsTheOptimumWhateverTheNumberOfShards) {
  const Dataset data = web_like(3, 50);
  for (const Bound bound : {Bound::best, Bound::given, Bound::average}) {
    TrainOptions options;
    options.bound = bound;
    options.solve.tolerance = 1e-7;
    options.compute.threads = 1;
    const double optimum = primal_of(data, options);
    for (const std::size_t shards : {1, 4, 64, 100000}) {
      TrainOptions sharded = shard_options(shards);
      sharded.bound = bound;
      sharded.solve.tolerance = 1e-6;
      sharded.start = InitialModel::ridge;
      const TrainResult result = train(data, sharded);
      EXPECT_EQ(result.model.certificate.status, "converged") << shards;
      EXPECT_EQ(result.model.solver, "shards");
      EXPECT_NEAR(result.model.certificate.primal, optimum, 3e-6 * optimum) << shards << name_of(bound);
      EXPECT_LE(result.model.certificate.dual, optimum * (1 + 1e-6));
    }
  }
}

TEST(TrainShards, TheSameBytesOnAnyNumberOfThreadsAndHosts) {
  const Dataset data = web_like(5, 80);
  TrainOptions options = shard_options(16);
  options.bound = std::nullopt;
  const std::string expected = to_json(train(data, options).model);
  for (const std::size_t threads : {2, 3, 7}) {
    options.compute.threads = threads;
    EXPECT_EQ(to_json(train(data, options).model), expected) << threads;
  }
  for (const std::size_t hosts : {1, 2, 4}) {
    Engine engine(data, 16, hosts);
    EXPECT_EQ(to_json(train_shards(engine.ask(), options).model), expected) << hosts;
  }
}

TEST(TrainShards, LbfgsTakesAsManyPassesForAnyNumberOfShards) {
  const Dataset data = web_like(3, 120);
  for (const double C : {10.0, 1000.0}) {
    TrainOptions options;
    options.bound = Bound::best;
    options.start = InitialModel::ridge;
    options.rounds = 1;
    options.C = C;
    options.compute.threads = 1;
    const double optimum = primal_of(data, options);
    options.solve.solver = parse_solver("lbfgs");
    std::uint64_t fewest = 10000, most = 0;
    for (const std::size_t shards : {1, 16, 64}) {
      options.shards = shards;
      const TrainResult result = train(data, options);
      EXPECT_EQ(result.model.solver, "lbfgs");
      EXPECT_EQ(result.model.certificate.status, "converged");
      EXPECT_NEAR(result.model.certificate.primal, optimum, 2e-3 * optimum);
      fewest = std::min(fewest, result.report.solve.passes);
      most = std::max(most, result.report.solve.passes);
    }
    EXPECT_LE(most, fewest + 2) << C;  // sums are rounded in another order
    const std::string expected = to_json(train(data, options).model);
    Engine engine(data, options.shards, 3);
    EXPECT_EQ(to_json(train_shards(engine.ask(), options).model), expected);
  }
}

TEST(TrainShards, TheOrderOfRowsAndQueriesDoesNotMatter) {
  const Dataset data = web_like(6, 40);
  for (const char* scale : {"auto", "none", "zscore", "minmax", "log-zscore", "query-minmax"}) {
    TrainOptions options = shard_options(8);
    options.scale = scale;
    const std::string expected = to_json(train(shuffled(data, 1), options).model);
    for (const std::uint64_t seed : {2, 3}) EXPECT_EQ(to_json(train(shuffled(data, seed), options).model), expected);
  }
}

TEST(TrainShards, ScalingsAreThoseOfOneProcess) {
  const Dataset data = web_like(7, 60);
  for (const char* scale : {"zscore", "minmax", "log-zscore"}) {
    TrainOptions options = shard_options(16);
    options.scale = scale;
    const Scaling here = train(data, options).model.scaling, there = fit_scaling(parse_scaling(scale), data);
    for (std::size_t j = 0; j < data.num_features(); ++j) {
      EXPECT_NEAR(here.shift[j], there.shift[j], 1e-10 * (1 + std::abs(there.shift[j]))) << scale;
      EXPECT_NEAR(here.factor[j], there.factor[j], 1e-10 * there.factor[j]) << scale;
    }
  }
}

/// The weights that the rounds begin at: after one pass there are no others.
std::vector<double> start_of(const Dataset& data, InitialModel start) {
  TrainOptions options = shard_options(8);
  options.start = start;
  options.solve.max_passes = 1;
  return train(data, options).model.weights;
}

double cosine(const std::vector<double>& v, const std::vector<double>& w) {
  const auto product = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  return product(v, w) / std::sqrt(product(v, v) * product(w, w));
}

TEST(TrainShards, StartsAreThoseOfOneProcess) {
  // With 600 features ridge regression goes by conjugate gradients.
  for (const std::uint64_t features : {10, 600}) {
    const Dataset data = web_like(7, 60, features);
    for (const InitialModel start : {InitialModel::ridge, InitialModel::ridge_gain})
      EXPECT_GT(cosine(start_of(data, start), train_initial_model(data, start).weights), 1 - 1e-8) << name_of(start);
    for (const InitialModel start : {InitialModel::pairwise, InitialModel::pairwise_gain})
      EXPECT_GT(cosine(start_of(data, start), train_initial_model(data, start).weights), 0.98) << name_of(start);
  }
}

TEST(TrainShards, CompressedRowsGiveThePlanesOfDenseOnes) {
  test::RandomData shape{.lengths = std::vector<std::size_t>(30, 8), .features = 6, .density = 0.5};
  const double dense = primal_of(test::random_data(shape), shard_options(4));
  shape.sparse = true;
  const Dataset sparse = test::random_data(shape);
  ASSERT_FALSE(sparse.dense());
  EXPECT_NEAR(primal_of(sparse, shard_options(4)), dense, 2e-3 * dense);
}

TEST(TrainShards, HeldOutQueriesAreJudgedAsByEvaluation) {
  const Dataset data = web_like(9, 60), held_out = web_like(10, 47);
  TrainOptions options = shard_options(16);
  options.patience = 3;
  const Model model = train(data, options, held_out).model;
  EXPECT_EQ(model.validation, test::mean_of(model, held_out));
}

TEST(TrainShards, AnInitialModelIsTheStart) {
  const Dataset data = web_like(9, 60);
  const Model model = train(data, shard_options(16)).model;
  TrainOptions options = shard_options(16);
  options.initial = &model;
  EXPECT_EQ(train(data, options).model.start, "model");
}

TEST(TrainShards, GoesOnFromACheckpointToTheSameBytes) {
  const Dataset data = web_like(11, 80);
  TrainOptions options = shard_options(16);
  options.solve.tolerance = 1e-6;
  const std::string expected = to_json(train(data, options).model);
  options.checkpoint = (std::filesystem::temp_directory_path() / "dorm_shards_checkpoint").string();
  options.checkpoint_seconds = 0;
  std::filesystem::remove(options.checkpoint);
  std::size_t told = 0;
  const TrainResult stopped = train(data, options, {}, [&](const TrainProgress&) { return ++told < 4; });
  EXPECT_FALSE(stopped.report.finished);
  TrainOptions others = options;
  others.shards = 8;
  EXPECT_THROW(train(data, others), Error);
  const TrainResult resumed = train(data, options);
  EXPECT_TRUE(resumed.report.resumed);
  EXPECT_EQ(to_json(resumed.model), expected);
}

TEST(TrainShards, WrongAnswersAreAskedForAgainOnceThenRefusedByName) {
  const Dataset data = web_like(12, 40);
  const TrainOptions options = shard_options(8);
  const std::string expected = to_json(train(data, options).model);
  Engine engine(data, 8, 2);
  const auto change = [&](std::vector<std::string>& responses, const std::function<void(ShardResponse&)>& how) {
    ShardResponse response = ShardResponse::parse(responses.front());
    how(response);
    responses.front() = response.bytes();
  };
  struct Fault {
    std::function<void(std::vector<std::string>&)> make;
    std::string said;
  };
  const std::vector<Fault> faults = {
      {[](auto& responses) { responses.front() = "garbage"; }, "response of a shard"},
      {[](auto& responses) { responses.front().resize(40); }, "response of a shard"},
      {[&](auto& responses) { change(responses, [](ShardResponse& a) { a.value = std::nan(""); }); }, "is not finite"},
      {[&](auto& responses) { change(responses, [](ShardResponse& a) { a.request += 1; }); }, "to another request"},
      {[](auto& responses) { responses.pop_back(); }, "has not answered"},
      {[](auto& responses) { responses.push_back(responses.front()); }, "has answered twice"},
      {[&](auto& responses) { change(responses, [](ShardResponse& a) { a.shard = 99; }); }, "shard"},
  };
  for (const Fault& fault : faults) {
    std::size_t left = 0;
    engine.disturb = [&](std::vector<std::string>& responses, std::string_view request) {
      if (ShardRequest::parse(request).topic == Topic::linearize && left > 0 && left-- > 0) fault.make(responses);
    };
    left = 1;
    EXPECT_EQ(to_json(train_shards(engine.ask(), options).model), expected) << fault.said;
    left = 2;
    const std::string message = test::message_of([&] { train_shards(engine.ask(), options); }, ErrorCode::bad_input);
    EXPECT_NE(message.find(fault.said), std::string::npos) << message;
    EXPECT_NE(message.find("asked twice"), std::string::npos) << message;
  }
}

TEST(TrainShards, WhatAShardCannotDoIsSaidWithItsName) {
  const Dataset data = web_like(12, 40);
  Engine engine(data, 8, 2);
  engine.disturb = [](std::vector<std::string>& responses, std::string_view) {
    ShardResponse response = ShardResponse::parse(responses.back());
    response.failed = true;
    response.code = ErrorCode::io;
    response.text = "the disk is on fire";
    responses.back() = response.bytes();
  };
  const std::string message = test::message_of([&] { train_shards(engine.ask(), shard_options(8)); }, ErrorCode::io);
  EXPECT_NE(message.find("the disk is on fire"), std::string::npos) << message;
  EXPECT_EQ(message.rfind("shard ", 0), 0u) << message;
}

TEST(TrainShards, ShardsOfOtherFeaturesAreRefused) {
  ShardHost host({{0, web_like(1, 5, 10)}, {1, web_like(2, 5, 11)}}, {.threads = 1});
  const ShardTransport ask = [&](std::string_view request) { return host.response(request); };
  const std::string message = test::message_of([&] { train_shards(ask, shard_options(2)); }, ErrorCode::bad_input);
  EXPECT_NE(message.find("shard 0 has 10 features"), std::string::npos) << message;
  EXPECT_NE(message.find("shard 1 has 11"), std::string::npos) << message;
}

TEST(TrainShards, OptionsThatNeedTheDocumentsAreRefused) {
  const Dataset data = web_like(1, 10);
  TrainOptions kernel = shard_options(2), patience = shard_options(2), solver = shard_options(2);
  kernel.kernel = "rbf:gamma=median";
  patience.patience = 2;
  solver.solve.solver = parse_solver("bcda");
  EXPECT_THROW(train(data, kernel), Error);
  EXPECT_THROW(train(data, patience), Error);
  Engine engine(data, 2, 1);
  EXPECT_THROW(train_shards(engine.ask(), solver), Error);
  const ShardTransport nobody = [](std::string_view) { return std::vector<std::string>(); };
  EXPECT_THROW(train_shards(nobody, shard_options(2)), Error);
}

TEST(TrainShards, QueriesWithNothingToLearnLeaveShardsThatAreNeverAsked) {
  DatasetBuilder builder;
  Rng rng(4);
  for (std::size_t q = 0; q < 12; ++q)
    for (std::size_t i = 0; i < 5; ++i)
      builder.add({q % 3 == 0 ? static_cast<float>(i % 2) : 0.0f, "q" + std::to_string(q)},
                  std::vector<float>{static_cast<float>(rng.normal()), static_cast<float>(rng.normal())});
  const Dataset data = builder.finish();
  TrainOptions options;
  options.bound = Bound::best;
  const double expected = primal_of(data, options);
  const TrainResult result = train(data, shard_options(1000));
  EXPECT_NEAR(result.model.certificate.primal, expected, 2e-3 * expected);
  EXPECT_EQ(result.report.dropped_queries, 8u);
}

TEST(TrainShards, TheirNumberFollowsQueriesAndFeatures) {
  EXPECT_EQ(default_shards(1, 136), 1u);
  EXPECT_EQ(default_shards(50, 136), 50u);
  EXPECT_EQ(default_shards(100, 136), 64u);
  EXPECT_EQ(default_shards(1000, 136), 500u);
  EXPECT_EQ(default_shards(1000000, 136), 2048u);
  EXPECT_EQ(default_shards(1000000, 10000000), 8u);
}

}  // namespace
}  // namespace dorm
