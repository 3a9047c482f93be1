// SPDX-License-Identifier: Apache-2.0
// What callers bring along: rows of their own layout, a measure of their own, a model to begin at, patience.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/early_stopping.h"
#include "learning/train/initial.h"
#include "learning/train/learning_data.h"
#include "learning/train/training_set.h"
#include "support/packed_rows.h"

namespace dorm {
namespace {

using test::mean_of;
using test::web_like;

TEST(Borrowed, PackedRowsGiveTheModelOfPaddedOnesBitForBit) {
  for (const char* scale : {"none", "zscore", "log-query-zscore"}) {
    const Dataset data = web_like(3);
    ASSERT_GT(data.storage().stride, data.num_features());
    TrainOptions options;
    options.scale = scale;
    const Dataset packed = test::packed_rows(data);
    EXPECT_EQ(packed.fingerprint(), data.fingerprint());
    const Model model = train(data, options).model;
    EXPECT_EQ(to_json(train(packed, options).model), to_json(model)) << scale;
    EXPECT_EQ(score(model, packed), score(model, data)) << scale;
  }
}

/// Half of ndcg@10.
class Halved final : public FactoredMeasure {
 public:
  std::string name() const override { return "halved"; }
  Factors factor(Labels labels) const override {
    Factors factors = make_trainable("ndcg@10")->factor(labels);
    for (double& b : factors.b) b /= 2;
    return factors;
  }
};

TEST(Borrowed, AMeasureOfTheCallersOwnIsTrainedForAndValidatedBy) {
  const Dataset data = web_like(5), held_out = web_like(6);
  const Halved halved;
  TrainOptions options;
  options.measure = "no such measure";
  options.own_measure = &halved;
  const TrainResult result = train(data, options, held_out);
  EXPECT_EQ(result.model.measure, "halved");
  Model named = result.model;
  named.measure = "ndcg@10";
  EXPECT_NEAR(result.model.validation, mean_of(named, held_out) / 2, 1e-12);
}

TEST(Borrowed, TheInitialWeightsRankAsTheModelDid) {
  const Dataset data = web_like(7), other = web_like(8);
  for (const char* scale : {"none", "zscore", "minmax", "log-zscore"}) {
    TrainOptions options;
    options.scale = scale;
    options.bound = Bound::best;
    const Model model = train(data, options).model;
    const TrainingSet set(other, scale, 1);
    const std::vector<double> w = initial_weights(model, set.model(std::vector(set.features().dimension(), 0.0)));
    const std::vector<double> before = score(model, other), after = score(set.model(w), other);
    for (std::size_t q = 0; q < other.num_queries(); ++q)
      for (std::size_t i = 1, first = other.first_document(q); i < other.query(q).size(); ++i)
        EXPECT_NEAR(after[first + i] - after[first], before[first + i] - before[first], 1e-4) << scale;
    options.initial = &model;
    const TrainResult warm = train(other, options);
    EXPECT_EQ(warm.model.start, "model");
    EXPECT_EQ(warm.model.certificate.status, "converged");
  }
}

TEST(Borrowed, AnInitialModelOfAnotherScalingIsRefused) {
  const Dataset data = web_like(7);
  TrainOptions options;
  options.scale = "zscore";
  const Model model = train(data, options).model;
  options.scale = "none";
  options.initial = &model;
  EXPECT_THROW(train(data, options), Error);
  options.scale = "zscore";
  options.checkpoint = "unused";
  EXPECT_THROW(train(data, options), Error);
}

TEST(Patience, EndsAfterAsManyEvaluationsWithoutABetterValue) {
  const std::vector<double> first = {1}, second = {2};
  const auto progress = [](const std::vector<double>& w, double primal) {
    Progress p;
    p.best_w = w;
    p.primal = primal;
    p.dual = 1;
    return p;
  };
  EarlyStopping early(2);
  early.note(0.5, progress(first, 4));
  early.note(0.5, progress(second, 3));
  EXPECT_FALSE(early.over());
  early.note(0.4, progress(second, 2));
  EXPECT_TRUE(early.over());
  Fitted fitted;
  fitted.w = second;
  fitted.zero_risk = 8;
  early.keep_best(fitted);
  EXPECT_EQ(fitted.w, first);
  EXPECT_EQ(fitted.report.primal, 4);
  EXPECT_EQ(fitted.report.gap, 0.75);
  EXPECT_EQ(fitted.explained_risk(), 0.5);
  EXPECT_EQ(fitted.status(), "early_stopped");
}

TEST(Patience, KeepsTheWeightsThatValidatedBest) {
  const Dataset data = web_like(9), held_out = web_like(10);
  TrainOptions options;
  options.bound = Bound::best;
  options.C = 1e4;
  double best = 0;
  const TrainObserver watch = [&](const TrainProgress& progress) {
    if (progress.solver.evaluated) best = std::max(best, progress.validation);
    return true;
  };
  options.patience = 1;
  const TrainResult stopped = train(data, options, held_out, watch);
  EXPECT_EQ(stopped.model.certificate.status, "early_stopped");
  EXPECT_EQ(stopped.model.validation, best);
  EXPECT_THROW(train(data, options), Error) << "nothing to judge by";
}

}  // namespace
}  // namespace dorm
