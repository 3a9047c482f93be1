// SPDX-License-Identifier: Apache-2.0
// Methods by name: spellings, what every one of them promises, and the parts that are not convex problems.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "learning/baseline/method.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

std::string example_of(const CatalogEntry& entry) {
  if (entry.name == "dorm") return "dorm:ndcg@10";
  if (entry.name == "feature") return "feature:1";
  return std::string(entry.name);
}

double ndcg(const Model& model, const Dataset& data) {
  const std::vector<std::string> measures = {"ndcg@10"};
  return evaluate(data, score(model, data), measures, {.bootstrap = 0}).measures[0].mean;
}

Dataset informative(std::uint64_t seed) {
  return test::random_data({.lengths = std::vector<std::size_t>(30, 15), .grades = 3, .signal = 2, .seed = seed});
}

TEST(Methods, EachBeatsChanceOnNewDataAndNotesItsName) {
  const Dataset train = informative(1), test = informative(2);
  const std::vector<std::string> measures = {"ndcg@10"};
  const std::vector<double> equal(test.num_documents(), 0.0);
  const double chance = evaluate(test, equal, measures, {.ties = "expected", .bootstrap = 0}).measures[0].mean;
  for (const CatalogEntry& entry : method_catalog()) {
    const std::string method = example_of(entry);
    const MethodResult result = train_method(train, method, {.C = 100, .compute = {.threads = 1}});
    EXPECT_EQ(result.model.method, method);
    EXPECT_EQ(model_from_json(to_json(result.model), "m").method, method);
    EXPECT_GT(ndcg(result.model, test), chance + 0.15) << method;
    EXPECT_LE(result.solve.gap, 1e-3) << method;
  }
}

TEST(Methods, DoNotDependOnThreads) {
  const Dataset data = informative(3);
  for (const CatalogEntry& entry : method_catalog()) {
    const std::string method = example_of(entry);
    EXPECT_EQ(train_method(data, method, {.compute = {.threads = 1}}).model.weights,
              train_method(data, method, {.compute = {.threads = 3}}).model.weights)
        << method;
  }
}

TEST(Methods, RefuseWhatTheyCannotReadAndSayWhatTheyExpected) {
  struct {
    const char* spelling;
    const char* said;
  } wrong[] = {{"ranksvn", "did you mean \"ranksvm\""},
               {"ridge:3", "expected ridge"},
               {"feature", "expected feature:NAME"},
               {"roc-svm:gain=exp2", "expected roc-svm[:rel=]"},
               {"roc-svm:rel=bst", "best or a label"},
               {"ridge:gain=log", "exp2 or linear"},
               {"ridge@3", "expected ridge"},
               {"svm:classes=equal", "balanced"},
               {"ridge:classes=balanced", "expected ridge[:rel=|gain=]"},
               {"svm-ir-qp:rel=1", "expected svm-ir-qp"},
               {"precision-svm@3:rel=", "best or a label"},
               {"dorm:ndcg@10~power:1~best~dense", "assignment"},
               {"precision-svm@0", "above 0"},
               {"dorm:map", "ndcg"},
               {"precision-svm@x", "whole number"},
               {"dorm:ndcg@10~powr:1", "power"}};
  for (const auto& [spelling, said] : wrong) {
    SCOPED_TRACE(spelling);
    const std::string message = test::message_of([&typed = spelling] { check_method(typed); });
    EXPECT_NE(message.find(said), std::string::npos) << message;
  }
  EXPECT_NO_THROW(check_method("dorm:ndcg@10~power:0.5~given"));
  EXPECT_THROW(train_method(informative(1), "feature:none"), Error);
}

Dataset labelled(const std::vector<std::vector<float>>& queries) {
  DatasetBuilder builder;
  Rng rng(3);
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (float label : queries[q]) {
      const auto noise = static_cast<float>(rng.normal());
      builder.add({label, std::to_string(q)}, std::vector<float>{label + noise, noise, 1.0f + label * label});
    }
  return builder.finish();
}

// An aim is nothing but other labels: by hand, for two queries whose best labels differ.
TEST(Methods, AimAtWhatTheirSpellingSays) {
  const Dataset graded = labelled({{3, 1, 0, 2, 3}, {0, 2, 1, 1, 0}});
  struct {
    const char *aimed, *plain;
    std::vector<std::vector<float>> labels;
  } cases[] = {
      {"roc-svm:rel=best", "roc-svm", {{1, 0, 0, 0, 1}, {0, 1, 0, 0, 0}}},
      {"roc-svm:rel=2", "ranksvm", {{1, 0, 0, 1, 1}, {0, 1, 0, 0, 0}}},
      {"precision-svm@2:rel=2", "precision-svm@2", {{1, 0, 0, 1, 1}, {0, 1, 0, 0, 0}}},
      {"ap-svm:rel=best", "ap-svm", {{1, 0, 0, 0, 1}, {0, 1, 0, 0, 0}}},
      {"svm:rel=best", "svm", {{1, 0, 0, 0, 1}, {0, 1, 0, 0, 0}}},
      {"crammer-singer:gain=linear", "crammer-singer", {{3, 1, 0, 2, 3}, {0, 2, 1, 1, 0}}},
      {"ridge:gain=exp2", "ridge", {{3, 3 / 7.f, 0, 9 / 7.f, 3}, {0, 9 / 7.f, 3 / 7.f, 3 / 7.f, 0}}},
  };
  for (const auto& [aimed, plain, labels] : cases) {
    SCOPED_TRACE(aimed);
    std::vector<float> numbers;
    for (const auto& query : labels) numbers.insert(numbers.end(), query.begin(), query.end());
    const Model expected = train_method(graded.with_labels(numbers), plain).model;
    const Model found = train_method(graded, aimed).model;
    EXPECT_EQ(found.weights, expected.weights);
    EXPECT_EQ(found.method, aimed);
  }
  EXPECT_NE(train_method(graded, "ridge:gain=exp2").model.weights, train_method(graded, "ridge").model.weights);
}

// As many documents of every class: their weights are 1.
TEST(Methods, BalancedClassesOfTheSameSizeChangeNothing) {
  const Dataset data = labelled({{0, 1, 2, 0, 1, 2}, {2, 1, 0}});
  EXPECT_EQ(train_method(data, "crammer-singer:classes=balanced").model.weights,
            train_method(data, "crammer-singer").model.weights);
}

// Every pair loses 1 at w = 0, every query counts the same: P(0) is C.
TEST(Methods, ExplainedRiskOfPairsIsThatOfTheirPrimal) {
  const Dataset data = informative(5);
  for (const char* method : {"ranksvm", "ranksvm-pairs", "roc-svm"}) {
    const MethodResult trained = train_method(data, method, {.C = 10});
    EXPECT_NEAR(trained.model.explained_risk, 1 - trained.solve.primal / 10, 1e-9) << method;
    EXPECT_GT(trained.model.explained_risk, 0.1) << method;
  }
}

// The optimum of ridge is closed: P(0) - P(w) is C / 2n times what the weights explain, <w, X'y>.
TEST(Methods, ExplainedRiskOfRidgeIsThatOfItsClosedForm) {
  const Dataset data = informative(5);
  MethodOptions options{.C = 3};
  options.scale = "none";
  const MethodResult trained = train_method(data, "ridge", options);
  const std::vector<double> scores = score(trained.model, data);
  double explained = 0, total = 0;
  for (std::size_t q = 0, at = 0; q < data.num_queries(); ++q) {
    const Labels labels = data.query(q).labels;
    double mean = 0;
    for (const float label : labels) mean += static_cast<double>(label) / static_cast<double>(labels.size());
    for (const float label : labels) {
      explained += (static_cast<double>(label) - mean) * scores[at++];
      total += (static_cast<double>(label) - mean) * (static_cast<double>(label) - mean);
    }
  }
  EXPECT_NEAR(trained.model.explained_risk, explained / total, 1e-5);
}

// So that a rival without information is seen for what it is, whichever it is.
TEST(Methods, EachReportsWhatItExplainsAndWhatItsSolverTook) {
  const Dataset data = informative(5);
  for (const CatalogEntry& entry : method_catalog()) {
    const MethodResult trained = train_method(data, example_of(entry), {.C = 10, .compute = {.threads = 1}});
    if (entry.name == "feature" || entry.name == "prank") {  // no optimum of anything
      EXPECT_EQ(trained.solve.primal, 0) << entry.name;
      continue;
    }
    EXPECT_GT(trained.model.explained_risk, 0.05) << entry.name;
    EXPECT_LT(trained.model.explained_risk, 1) << entry.name;
    EXPECT_GT(trained.solve.primal, 0) << entry.name;
    if (entry.name == "ridge") continue;
    EXPECT_GT(trained.solve.passes, 0u) << entry.name;
    EXPECT_GT(trained.solve.support_vectors, 0u) << entry.name;
    EXPECT_LE(trained.solve.qp_seconds, trained.solve.seconds) << entry.name;
    EXPECT_EQ(trained.solve.qp_seconds > 0, entry.name != "ranksvm-pairs") << entry.name;  // descends without one
  }
}

// Nine documents of ten have label 0 and no feature says which: told apart by classes, every document is best called 0.
TEST(Methods, ClassesOfRareGradesAreDegenerateUnlessTheyAreBalanced) {
  std::vector<float> labels(600, 0.0F);
  for (std::size_t i = 0; i < labels.size(); i += 10) labels[i] = 1;
  const Dataset data =
      test::random_data({.lengths = std::vector<std::size_t>(30, 20), .grades = 2, .signal = 0, .seed = 11})
          .with_labels(labels);
  EXPECT_LT(train_method(data, "crammer-singer", {.C = 10}).model.explained_risk, kDegenerate);
  EXPECT_LT(train_method(data, "svm", {.C = 10}).model.explained_risk, kDegenerate);
  const Dataset informed = informative(6);
  for (const char* method : {"crammer-singer:classes=balanced", "svm:classes=balanced"})
    EXPECT_GT(train_method(informed, method, {.C = 10}).model.explained_risk, 0.1) << method;
}

// mslr calls labels from 2 on relevant; an aim of its own is not asked again.
TEST(Methods, AimWhateverTheConventionCallsRelevant) {
  const Dataset data = labelled({{3, 1, 0, 2}, {0, 1, 1, 0}});
  EXPECT_EQ(train_method(data, "roc-svm:rel=best", {.convention = "mslr"}).model.weights,
            train_method(data, "roc-svm:rel=best").model.weights);
}

TEST(PairDescent, FindsTheOptimumOfRankSvm) {
  const Dataset data = informative(5);
  for (double C : {1.0, 100.0}) {
    const MethodOptions options{.C = C, .solve = {.tolerance = 1e-4, .max_passes = 100000}, .compute = {.threads = 1}};
    const SolveReport counted = train_method(data, "ranksvm", options).solve;
    const SolveReport pairs = train_method(data, "ranksvm-pairs", options).solve;
    EXPECT_LE(pairs.gap, 1e-4);
    EXPECT_NEAR(pairs.primal, counted.primal, 2e-4 * counted.primal);
    EXPECT_GT(pairs.support_vectors, 0u);
  }
}

TEST(PairDescent, StopsWhenAsked) {
  MethodOptions options{.solve = {.tolerance = 1e-12}, .compute = {.threads = 1}};
  const auto stop = [](const Progress& progress) { return progress.pass < 3; };
  EXPECT_EQ(train_method(informative(5), "ranksvm-pairs", options, stop).solve.status, SolveStatus::interrupted);
}

TEST(Methods, AnotherOracleFindsTheSameModel) {
  const Dataset data = informative(6);
  const MethodOptions options{.C = 10, .solve = {.tolerance = 1e-6}, .compute = {.threads = 1}};
  const SolveReport fast = train_method(data, "dorm:ndcg@5~power:0.5~best", options).solve;
  const SolveReport dense = train_method(data, "dorm:ndcg@5~power:0.5~best~assignment", options).solve;
  EXPECT_NEAR(dense.primal, fast.primal, 1e-5 * fast.primal);
}

TEST(Methods, RefuseDataWithNothingToLearn) {
  DatasetBuilder builder;
  for (float x : {1.f, 2.f, 3.f}) builder.add({1, "q"}, std::vector<float>{x, 1 - x});
  const Dataset data = builder.finish();
  for (const CatalogEntry& entry : method_catalog())
    if (entry.name != "feature" && entry.name != "svr") {
      EXPECT_THROW(train_method(data, example_of(entry)), Error) << entry.name;
    }
}

TEST(SingleFeature, PointsTheWayTheTrainingDataSays) {
  DatasetBuilder builder;
  for (int i = 0; i < 4; ++i)
    builder.add({static_cast<float>(i % 2), "q"},
                std::vector<float>{static_cast<float>(i % 2), static_cast<float>(-(i % 2))});
  const Dataset data = builder.finish();
  EXPECT_EQ(train_method(data, "feature:1").model.weights, std::vector<double>{1});
  EXPECT_EQ(train_method(data, "feature:2").model.weights, std::vector<double>{-1});
}

// One query, labels 2 1 0 0, gains 3 1 0 0, discounts 1, .63093, .5, .43068, ideal DCG 3.63093.
TEST(SwapCosts, AreTheMeanLossOfASwapInTheIdealRanking) {
  DatasetBuilder builder;
  for (float label : {2.f, 1.f, 0.f, 0.f}) builder.add({label, "q"}, std::vector<float>{label});
  const PairWeights weights = swap_costs(builder.finish(), Convention{});
  const double second = 1 / std::log2(3.0), ideal = 3 + second, low = (0.5 + 1 / std::log2(5.0)) / 2;
  EXPECT_NEAR(weights.at(2, 1), 2 * (1 - second) / ideal, 1e-12);
  EXPECT_NEAR(weights.at(2, 0), 3 * (1 - low) / ideal, 1e-12);
  EXPECT_NEAR(weights.at(1, 0), (second - low) / ideal, 1e-12);
  EXPECT_EQ(weights.at(0, 1), 0);
}

}  // namespace
}  // namespace dorm
