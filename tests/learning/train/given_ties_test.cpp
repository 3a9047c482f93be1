// SPDX-License-Identifier: Apache-2.0
// Documents of equal label in the order of a feature in the reference `given`: the loss against its definition, all
// rankings enumerated.
#include <gtest/gtest.h>

#include <limits>

#include "dorm/error.h"
#include "dorm/tune.h"
#include "learning/train/learning_task.h"
#include "ranking/measure/enumerate.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using test::for_each_ranking;
using test::random_data;

constexpr std::size_t kColumn = 1;  // "2"

TrainOptions by_feature(const std::string& feature) {
  TrainOptions options;
  options.measure = "ndcg@3";
  options.decay = "power:0.5";
  options.bound = Bound::given;
  options.given_ties = feature;
  options.scale = "zscore";
  options.compute.threads = 1;
  return options;
}

// Whether document x stands before document y in the reference.
bool stands_before(const Query& query, std::uint32_t x, std::uint32_t y) {
  if (query.labels[x] != query.labels[y]) return query.labels[x] > query.labels[y];
  const float of_x = query.rows.at(x, kColumn), of_y = query.rows.at(y, kColumn);
  return of_x != of_y ? of_x > of_y : x < y;
}

double expected_loss(const Query& query, const TrainOptions& options, const std::vector<double>& scores) {
  const Factors factors = make_trainable(options.measure)->factor(query.labels);
  const std::vector<double> c = Decay(options.decay).values(factors.a);
  const auto score = [&](const Ranking& ranking) {
    double sum = 0;
    for (std::size_t j = 0; j < ranking.size(); ++j) sum += c[j] * scores[ranking[j]];
    return sum;
  };
  double highest = -std::numeric_limits<double>::infinity(), reference = 0;
  std::size_t references = 0;
  for_each_ranking(query.size(), [&](const Ranking& ranking) {
    highest = std::max(highest, ideal_value(factors) - value(factors, ranking) + score(ranking));
    bool sorted = true;
    for (std::size_t j = 1; j < ranking.size(); ++j) sorted &= stands_before(query, ranking[j - 1], ranking[j]);
    if (!sorted) return;
    reference = score(ranking);
    ++references;
  });
  EXPECT_EQ(references, 1u);
  return highest - reference;
}

class GivenTies : public testing::TestWithParam<bool> {};

TEST_P(GivenTies, TheReferenceSortsEqualLabelsByTheFeature) {
  // Few grades and few values: ties of labels, and of the feature among them.
  const Dataset data = random_data({.lengths = {6, 5, 6, 4}, .grades = 2, .density = 0.5, .sparse = GetParam()});
  const TrainOptions options = by_feature(data.feature_name(kColumn));
  const RankingTask task(data);
  const TrainingSet set(data, options.scale, 1);
  const auto risk = task.risk(set, options);
  Rng rng(5);
  std::vector<double> w(set.features().dimension());
  for (double& x : w) x = rng.normal();
  risk->set_reference(Bound::given, w);
  double truth = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<double> scores(query.size());
    set.features().scores(q, w, scores);
    const Factors factors = make_trainable(options.measure)->factor(query.labels);
    if (ideal_value(factors) > 0 && *std::min_element(factors.b.begin(), factors.b.end()) == 0)
      truth += expected_loss(query, options, scores);
  }
  EXPECT_GE(risk->num_blocks(), 3u);
  EXPECT_NEAR(risk->loss(w), truth, 1e-9);
  // Without the feature, ties stand in file order: another loss.
  const auto in_file_order = task.risk(set, by_feature(""));
  in_file_order->set_reference(Bound::given, w);
  EXPECT_GT(std::abs(in_file_order->loss(w) - truth), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(DenseAndCompressed, GivenTies, testing::Bool());

TEST(GivenTies, AFeatureThatOrdersAsTheFileDoesChangesNothing) {
  DatasetBuilder builder;
  Rng rng(3);
  for (int q = 0; q < 20; ++q)
    for (int i = 0; i < 8; ++i) {
      const float label = static_cast<float>(rng.below(3));
      const float row[] = {static_cast<float>(label + rng.normal()), static_cast<float>(rng.normal()),
                           static_cast<float>(-i)};
      builder.add({label, std::to_string(q)}, row);
    }
  const Dataset data = builder.finish();
  const TrainResult by_file = train(data, by_feature(""));
  EXPECT_EQ(train(data, by_feature(data.feature_name(2))).model.weights, by_file.model.weights);
  EXPECT_NE(train(data, by_feature(data.feature_name(0))).model.weights, by_file.model.weights);
}

TEST(GivenTies, UnknownFeaturesAndOtherBoundsAreRefused) {
  const Dataset data = random_data({});
  EXPECT_EQ(test::message_of([&] { train(data, by_feature("bm25")); }, ErrorCode::unknown_name),
            "ties by feature \"bm25\": the data has no such feature; expected one of its 4, " + data.feature_name(0) +
                " to " + data.feature_name(3));
  TrainOptions options = by_feature(data.feature_name(0));
  options.bound = std::nullopt;
  EXPECT_EQ(test::message_of([&] { train(data, options); }, ErrorCode::bad_option),
            "ties by feature \"" + data.feature_name(0) + "\" belong to the bound given, not to auto");
  TuneOptions grid{.train = options};
  EXPECT_THROW(tune(data, grid), Error);
  grid.bounds = {Bound::best, Bound::given};
  EXPECT_NO_THROW(grid.validate());
}

}  // namespace
}  // namespace dorm
