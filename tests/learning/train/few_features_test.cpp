// SPDX-License-Identifier: Apache-2.0
// The choice of a few features.
#include "dorm/learning/few_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/rng.h"
#include "dorm/evaluate.h"
#include "learning/train/learning_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

/// Labels depend on every `step`-th feature alone.
Dataset few_matter(std::uint64_t seed, std::size_t queries, std::size_t features, std::size_t step) {
  Rng rng(seed);
  DatasetBuilder builder;
  std::vector<float> x(features);
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = std::to_string(q);
    for (int i = 0; i < 20; ++i) {
      double gain = 0.5 * rng.normal();
      for (std::size_t j = 0; j < features; ++j) {
        x[j] = static_cast<float>(rng.normal());
        if (j % step == step - 1) gain += static_cast<double>(x[j]) * (j % 2 == 0 ? 1.0 : -1.0);
      }
      builder.add({.label = static_cast<float>(gain > 1.5) + static_cast<float>(gain > 3), .query_id = id}, x);
    }
  }
  return builder.finish();
}

TrainOptions zscored() {
  TrainOptions options;
  options.scale = "zscore";
  return options;
}

TEST(FewFeatures, AreTheTenThatMatterOf136) {
  const Dataset data = few_matter(1, 60, 136, 13);
  const FeaturePath path = few_features(data, {.budget = 10}, zscored());
  std::vector<std::string> matter;
  for (std::size_t j = 12; j < 136; j += 13) matter.push_back(data.feature_name(j));
  EXPECT_EQ(path.delivered().features, matter);
  EXPECT_EQ(path.steps.front().features.size(), 136u);
  EXPECT_EQ(path.steps.back().features.size(), 1u);
  for (std::size_t k = 1; k < path.steps.size(); ++k) {  // every step is a part of the one before
    const std::vector<std::string>&more = path.steps[k - 1].features, &fewer = path.steps[k].features;
    EXPECT_LT(fewer.size(), more.size());
    for (const std::string& name : fewer) EXPECT_NE(std::find(more.begin(), more.end(), name), more.end());
  }
  EXPECT_GT(path.delivered().validated.mean, path.steps.back().validated.mean + 0.1);
  EXPECT_GT(path.delivered().validated.mean, path.steps.front().validated.mean - 0.01);
}

TEST(FewFeatures, FiguresAreThoseOfTrainingsOnTheFeatures) {
  const Dataset data = few_matter(2, 40, 5, 2), valid = few_matter(3, 30, 5, 2);
  const FeaturePath path = few_features(data, {.budget = 2}, zscored(), &valid);
  ASSERT_EQ(path.steps.size(), 5u);
  for (const FeatureStep& step : path.steps) {
    TrainOptions options = zscored();
    options.bound = Bound::best;
    options.rounds = 1;
    options.solve.tolerance = 1e-2;
    const Model model = train(with_features(data, step.features), options).model;
    EXPECT_EQ(model.features, step.features);
    const std::vector<std::string> measures = {"ndcg@10"};
    const MeasureResult own = evaluate(valid, score(model, valid), measures, {.ties = "expected"}).measures[0];
    EXPECT_NEAR(step.validated.mean, own.mean, 1e-12);
    EXPECT_EQ(step.validated.queries, own.queries);
  }
}

/// The third feature is the first once more.
TEST(FewFeatures, CostsDecideBetweenFeaturesThatSayTheSame) {
  Rng rng(4);
  DatasetBuilder builder;
  for (int q = 0; q < 30; ++q)
    for (int i = 0; i < 15; ++i) {
      const auto a = static_cast<float>(rng.normal()), b = static_cast<float>(rng.normal());
      builder.add({.label = static_cast<float>(a + b > 1), .query_id = std::to_string(q)},
                  std::vector<float>{a, b, a, static_cast<float>(rng.normal())});
    }
  const Dataset data = builder.finish();
  const auto chosen = [&](double first, double third) {
    const std::vector<std::string> names = {data.feature_name(0), data.feature_name(2)};
    const FewFeatures few{.budget = 3, .costs = costs_of({{names[0], first}, {names[1], third}}, data)};
    return few_features(data, few, zscored()).delivered();
  };
  EXPECT_EQ(chosen(5, 1).features, (std::vector{data.feature_name(1), data.feature_name(2)}));
  EXPECT_EQ(chosen(1, 5).features, (std::vector{data.feature_name(0), data.feature_name(1)}));
  EXPECT_EQ(chosen(1, 5).cost, 2);
}

TEST(FewFeatures, WorkWithCurvesAndSigns) {
  const Dataset data = few_matter(5, 40, 8, 4);  // the fourth and the eighth, which lower the gain
  TrainOptions options = zscored();
  options.curves = "4";
  options.signs.decreasing = data.feature_name(3);
  const FeaturePath path = few_features(data, {.budget = 2}, options);
  EXPECT_EQ(path.delivered().features, (std::vector{data.feature_name(3), data.feature_name(7)}));
  const TrainOptions left = with_features(options, path.delivered().features);
  const Model model = train(with_features(data, path.delivered().features), left).model;
  EXPECT_EQ(model.features.size(), 2u);
  EXPECT_LE(model.certificate.gap, 1e-3);
  EXPECT_EQ(model.signs, (std::vector<std::int8_t>{-1, 0}));
}

TEST(FewFeatures, OptionsKeepWhatIsAboutThem) {
  TrainOptions options;
  options.signs.increasing = "a,b,c";
  options.signs.decreasing = "d";
  options.curves = "steps:a=4,d=8";
  const TrainOptions left = with_features(options, std::vector<std::string>{"a", "c"});
  EXPECT_EQ(left.signs.increasing, "a,c");
  EXPECT_EQ(left.signs.decreasing, "");
  EXPECT_EQ(left.curves, "steps:a=4");
  EXPECT_EQ(with_features(options, std::vector<std::string>{"b"}).curves, "none");
}

TEST(FewFeatures, AreTheSameOnAnyNumberOfThreads) {
  const Dataset data = few_matter(6, 30, 12, 4);
  TrainOptions options = zscored();
  options.compute.threads = 1;
  const FeaturePath one = few_features(data, {.budget = 3}, options);
  options.compute.threads = 3;
  const FeaturePath three = few_features(data, {.budget = 3}, options);
  for (std::size_t k = 0; k < one.steps.size(); ++k) {
    EXPECT_EQ(one.steps[k].features, three.steps[k].features);
    EXPECT_EQ(one.steps[k].validated.mean, three.steps[k].validated.mean);
  }
}

TEST(FewFeatures, WhatCannotBeChosenIsRefused) {
  const Dataset data = few_matter(7, 10, 3, 2);
  const auto refused = [&](const FewFeatures& few, const TrainOptions& options = zscored()) {
    return test::message_of([&] { few_features(data, few, options); });
  };
  EXPECT_EQ(refused({.budget = 0.5}), "the number of features is 0.5; expected at least 1");
  EXPECT_EQ(refused({.budget = 1, .costs = {1, 0, 1}}), "the cost of a feature is 0; expected one above 0");
  EXPECT_EQ(refused({.budget = 1, .folds = 11}), "folds is 11; expected at least 2, and no more than queries: 10");
  EXPECT_NE(refused({.budget = 1, .costs = {2, 2, 2}}).find("no feature is within the cost 1"), std::string::npos);
  TrainOptions kernel = zscored();
  kernel.kernel = "rbf:gamma=1";
  EXPECT_NE(refused({.budget = 1}, kernel).find("not of a kernel"), std::string::npos);
  EXPECT_NE(test::message_of([&] { costs_of({{"nothing", 1}}, data); }).find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace dorm
