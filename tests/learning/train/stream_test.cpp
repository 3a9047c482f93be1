// SPDX-License-Identifier: Apache-2.0
// Streams: what goes on after saving, new features, and what is refused. The steps themselves are compared with numpy
// in tests/python/package/test_stream.py.
#include "dorm/stream.h"

#include <gtest/gtest.h>

#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

Dataset chunk(std::uint64_t seed, std::size_t features = 6) {
  return test::random_data(
      {.lengths = std::vector<std::size_t>(20, 8), .features = features, .signal = 2, .seed = seed});
}

TEST(Stream, GoesOnAfterSavingAsIfNothingHadHappened) {
  Stream whole, broken;
  for (const std::uint64_t seed : {1, 2, 3}) {
    whole.learn(chunk(seed));
    broken = Stream::load(broken.save());
    broken.learn(chunk(seed));
  }
  EXPECT_EQ(to_json(broken.model()), to_json(whole.model()));
  EXPECT_EQ(whole.queries(), 60u);
  EXPECT_THROW(Stream::load("{}"), Error);
  EXPECT_THROW(Stream::load("not JSON"), Error);
}

TEST(Stream, LearnsToRankAndDescribesItself) {
  Stream stream;
  const TrainOptions options{.measure = "ndcg@5", .C = 100};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) stream.learn(chunk(seed), options);
  const Model model = stream.model(options);
  const Dataset test = chunk(9);
  const std::vector<std::string> measures = {"ndcg@5"};
  const std::vector<double> equal(test.num_documents(), 0.0);
  const double chance = evaluate(test, equal, measures, {.ties = "expected", .bootstrap = 0}).measures[0].mean;
  EXPECT_GT(evaluate(test, score(model, test), measures, {.bootstrap = 0}).measures[0].mean, chance + 0.15);
  EXPECT_EQ(model.measure, "ndcg@5");
  EXPECT_EQ(model.bound, "best");
  EXPECT_EQ(model.start, "stream");
  EXPECT_EQ(model.certificate.status, "none");
  EXPECT_EQ(model.data.queries, 100u);
  EXPECT_EQ(model_from_json(to_json(model), "m").weights, model.weights);
}

TEST(Stream, NumberedFeaturesMayAppearLater) {
  Stream stream;
  stream.learn(chunk(1, 4));
  stream.learn(chunk(2, 6));
  stream.learn(chunk(3, 4));
  EXPECT_EQ(stream.model().features.size(), 6u);
  EXPECT_NE(stream.model().weights[5], 0);
}

TEST(Stream, KeepsTheScalingOfTheModelItBeginsAt) {
  const Dataset data = chunk(1);
  const Model batch = train(data, {.scale = "zscore"}).model;
  Stream stream(&batch);
  EXPECT_EQ(stream.model({.scale = "zscore"}).weights, batch.weights);
  stream.learn(chunk(2), {.scale = "zscore"});
  const Model model = stream.model();
  EXPECT_EQ(model.scaling.kind, ScalingKind::zscore);
  EXPECT_EQ(model.scaling.factor, batch.scaling.factor);
  EXPECT_NE(model.weights, batch.weights);
}

TEST(Stream, StopsWhenToldAndRefusesWhatItCannotDo) {
  Stream stream;
  stream.learn(chunk(1), {}, [](std::uint64_t queries) { return queries < 8; });
  EXPECT_EQ(stream.queries(), 8u);
  const auto refused = [](const TrainOptions& options) {
    return test::message_of([&] { Stream().learn(chunk(1), options); });
  };
  EXPECT_NE(refused({.bound = Bound::given}).find("predicted"), std::string::npos);
  EXPECT_NE(refused({.scale = "zscore"}).find("needs all the data"), std::string::npos);
  EXPECT_NE(refused({.paper_C = true}).find("counts all queries"), std::string::npos);
  EXPECT_NE(refused({.kernel = "rbf:gamma=1"}).find("linear"), std::string::npos);
}

}  // namespace
}  // namespace dorm
