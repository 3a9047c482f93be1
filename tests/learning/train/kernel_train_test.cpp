// SPDX-License-Identifier: Apache-2.0
// Training in the space of a kernel, end to end.
#include <gtest/gtest.h>

#include <filesystem>

#include "dorm/evaluate.h"
#include "dorm/learning/memory.h"
#include "dorm/synth.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

double ndcg(std::span<const double> scores, const Dataset& data) {
  return evaluate(data, scores, std::vector<std::string>{"ndcg@10"}, {.bootstrap = 0, .threads = 1}).measures[0].mean;
}

TrainOptions with_kernel(const std::string& kernel, double C = 100, double tolerance = 1e-3) {
  TrainOptions options{.C = C, .scale = "none", .solve = {.tolerance = tolerance}, .compute = {.threads = 1}};
  options.kernel = kernel;
  return options;
}

// Every query has two labels, so that both ways start from the same ridge.
Dataset all_usable(std::uint64_t seed) {
  Rng rng(seed);
  DatasetBuilder builder;
  for (int q = 0; q < 40; ++q)
    for (int i = 0; i < 12; ++i) {
      std::vector<float> row;
      for (int j = 0; j < 8; ++j) row.push_back(static_cast<float>(rng.normal()));
      const double label = i == 0 ? 2 : i == 1 ? 0 : static_cast<double>(rng.below(3));
      row[0] += static_cast<float>(label);
      builder.add({static_cast<float>(label), std::to_string(q)}, row);
    }
  return builder.finish();
}

class LinearKernelBounds : public testing::TestWithParam<std::string> {};

TEST_P(LinearKernelBounds, EqualsTheLinearPath) {
  const Dataset data = all_usable(1);
  TrainOptions linear = with_kernel("none", 10, 1e-7), kernel = with_kernel("linear", 10, 1e-7);
  linear.bound = kernel.bound = parse_bound(GetParam());
  linear.start = kernel.start = InitialModel::ridge;
  linear.solve.max_passes = kernel.solve.max_passes = 20000;
  linear.rounds = kernel.rounds = 1;  // later references hang on the last digits of the first answer
  const TrainResult expected = train(data, linear), result = train(data, kernel);
  EXPECT_NEAR(result.model.certificate.primal, expected.model.certificate.primal,
              1e-6 * expected.model.certificate.primal);
  const std::vector<double> a = score(expected.model, data, 1), b = score(result.model, data, 1);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(a[i]));
    difference = std::max(difference, std::fabs(a[i] - b[i]));
  }
  // Within the tolerance the optimum is flat: weights, and so scores, agree to the root of what values do.
  EXPECT_LT(difference, 2e-3 * largest);
  EXPECT_NEAR(ndcg(a, data), ndcg(b, data), 1e-3);
}

// The centre of the proximal-point loop holds coefficients and scores, as all weights of a kernel do.
TEST(LinearKernel, EqualsTheLinearPathWhereSweepsCrawl) {
  const Dataset data = all_usable(3);
  TrainOptions linear = with_kernel("none", 1e4, 1e-4), kernel = with_kernel("linear", 1e4, 1e-4);
  linear.bound = kernel.bound = Bound::average;
  const TrainResult expected = train(data, linear), result = train(data, kernel);
  EXPECT_EQ(result.report.solve.status, SolveStatus::converged);
  EXPECT_NEAR(result.model.certificate.primal, expected.model.certificate.primal,
              1e-4 * expected.model.certificate.primal);
}

TEST(LinearKernel, ItsModelScoresLikeTheWeightsItStandsFor) {
  const Dataset data = all_usable(2);
  const Model model = train(data, with_kernel("linear", 10)).model;
  const Documents support(model.kernel->support), documents(data);
  std::vector<double> w(documents.num_features(), 0.0);
  for (std::size_t j = 0; j < support.size(); ++j) {
    const std::vector<float> row = test::row_of(support, j);
    for (std::size_t k = 0; k < w.size(); ++k) w[k] += model.kernel->coefficients[j] * static_cast<double>(row[k]);
  }
  const std::vector<double> scores = score(model, data, 1);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::vector<float> row = test::row_of(documents, i);
    double exact = 0;
    for (std::size_t k = 0; k < w.size(); ++k) exact += w[k] * static_cast<double>(row[k]);
    EXPECT_NEAR(scores[i], exact, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinearKernelBounds, testing::Values("given", "average", "best", "predicted"),
                         [](const auto& bound) { return bound.param; });

TEST(KernelTraining, RanksRingsThatNoLineCan) {
  const Dataset train_data = test::rings(1), test_data = test::rings(2);
  const Model linear = train(train_data, with_kernel("none")).model;
  const Model rbf = train(train_data, with_kernel("rbf:gamma=0.5")).model;
  EXPECT_LT(ndcg(score(linear, test_data, 1), test_data), 0.6);
  EXPECT_GT(ndcg(score(rbf, test_data, 1), test_data), 0.99);
  for (const char* approximation : {"nystroem:60", "fourier:200", "cholesky:40"}) {
    TrainOptions options = with_kernel("rbf:gamma=0.5");
    options.approximation = approximation;
    EXPECT_GT(ndcg(score(train(train_data, options).model, test_data, 1), test_data), 0.98) << approximation;
  }
}

TEST(KernelTraining, TheModelDoesNotDependOnThreadsOrMemory) {
  const Dataset data = test::rings(3, 20, 15);
  std::vector<std::string> models;
  for (const std::size_t threads : {1u, 3u})
    for (const bool limited : {false, true}) {
      TrainOptions options = with_kernel("rbf:gamma=0.5");
      options.compute.threads = threads;
      if (limited) options.compute.memory = forecast_memory(data, options).total();
      models.push_back(to_json(train(data, options).model));
    }
  for (const std::string& model : models) EXPECT_EQ(model, models[0]);
}

TEST(KernelTraining, ValidationSeesWhatTheModelWillScore) {
  const Dataset data = test::rings(4, 20, 15), valid = test::rings(5, 20, 15);
  for (const char* approximation : {"none", "nystroem:30", "fourier:100"}) {
    TrainOptions options = with_kernel("rbf:gamma=0.5");
    options.approximation = approximation;
    const TrainResult result = train(data, options, valid);
    EXPECT_NEAR(result.model.validation, ndcg(score(result.model, valid, 1), valid), 2e-3) << approximation;
  }
}

TEST(KernelTraining, APrecomputedMatrixTrainsTheSameRankerAsItsKernel) {
  const Dataset data = test::rings(6, 12, 10), other = test::rings(7, 5, 10);
  const Documents documents(data), others(other);
  const auto kernel = make_kernel("rbf:gamma=0.5", documents);
  const auto as_features = [&](const Documents& left) {
    const std::vector<float> gram = test::gram_of(*kernel, left, documents);
    DatasetBuilder builder;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const Query query = left.data().query(left.query_of(i));
      builder.add({query.labels[i - query.first_document], query.id},
                  std::span(gram).subspan(i * documents.size(), documents.size()));
    }
    return builder.finish();
  };
  TrainOptions named = with_kernel("rbf:gamma=0.5"), given = with_kernel("precomputed");
  named.scale = "none";
  const TrainResult expected = train(data, named), result = train(as_features(documents), given);
  EXPECT_NEAR(result.model.certificate.primal, expected.model.certificate.primal,
              1e-5 * expected.model.certificate.primal);
  EXPECT_FALSE(result.model.kernel.has_value());  // kernel values in, so the model is linear in them
  const std::vector<double> a = score(expected.model, other, 1), b = score(result.model, as_features(others), 1);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4 * (1 + std::fabs(a[i])));
}

TEST(KernelTraining, AFunctionTrainsTheSameRankerAsItsText) {
  const Dataset data = test::rings(8, 12, 10);
  const auto function = function_kernel([](const DenseBlock& left, const DenseBlock& right, float* out) {
    for (std::size_t i = 0; i < left.rows; ++i)
      for (std::size_t j = 0; j < right.rows; ++j) {
        double square = 0;
        for (std::size_t k = 0; k < left.features; ++k)
          square += std::pow(static_cast<double>(left.data[i * left.features + k]) -
                                 static_cast<double>(right.data[j * right.features + k]),
                             2);
        out[i * right.rows + j] = static_cast<float>(std::exp(-0.5 * square));
      }
  });
  TrainOptions named = with_kernel("rbf:gamma=0.5", 100, 1e-5), given = with_kernel("none", 100, 1e-5);
  named.rounds = given.rounds = 1;
  given.kernel_function = function.get();
  const TrainResult expected = train(data, named), result = train(data, given);
  EXPECT_NEAR(result.model.certificate.primal, expected.model.certificate.primal,
              1e-4 * expected.model.certificate.primal);
  const std::vector<double> a = score(expected.model, data, 1), b = score(result.model, data, *function, 1);
  EXPECT_NEAR(ndcg(a, data), ndcg(b, data), 1e-3);
}

TEST(KernelTraining, GoesOnFromACheckpoint) {
  const Dataset data = test::rings(9, 25, 12);
  const test::TemporaryDirectory folder;
  TrainOptions options = with_kernel("rbf:gamma=0.5", 1000, 1e-5);
  const TrainResult whole = train(data, options);
  options.checkpoint = folder.path("ck");
  options.checkpoint_seconds = 0;
  int evaluations = 0;
  const TrainResult stopped = train(data, options, {}, [&](const TrainProgress& progress) {
    return !progress.solver.evaluated || ++evaluations < 4;
  });
  EXPECT_EQ(stopped.model.certificate.status, "interrupted");
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
  TrainOptions changed = options;
  changed.kernel = "rbf:gamma=0.6";
  EXPECT_NE(test::message_of([&] { train(data, changed); }).find("other options"), std::string::npos);
  const TrainResult resumed = train(data, options);
  EXPECT_EQ(resumed.model.certificate.status, "converged");
  EXPECT_NEAR(resumed.model.certificate.primal, whole.model.certificate.primal, 2e-5 * whole.model.certificate.primal);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST(KernelTraining, TuningChoosesAmongKernels) {
  const Dataset data = test::rings(10, 20, 12), valid = test::rings(11, 10, 12);
  TuneOptions options;
  options.train = with_kernel("none");
  options.C = {100};
  options.decays = {"measure"};
  options.bounds = {Bound::best};
  options.kernels = {"none", "rbf:gamma=0.5", "rbf:gamma=100"};
  options.initial_models = {};
  for (const Task& validation : {Task(valid), Task()}) {
    const TuneResult result = tune(data, options, validation);
    EXPECT_EQ(result.points.size(), 3u);
    ASSERT_TRUE(result.model.kernel.has_value());
    EXPECT_EQ(result.model.kernel->kernel, "rbf:gamma=0.5");
  }
}

TEST(KernelTraining, FeaturesTooLargeForTheKernelAreSaidToBe) {
  const Dataset data = test::random_data({.lengths = {6, 6}, .factor = 1e8});
  EXPECT_NE(test::message_of([&] { train(data, with_kernel("poly:degree=5,gamma=1")); }).find("not finite"),
            std::string::npos);
}

TEST(KernelTraining, OptionsThatDoNotGoTogetherAreRefused) {
  const Dataset data = test::rings(12, 5, 6);
  TrainOptions options{.compute = {.threads = 1}};
  options.approximation = "nystroem:10";
  EXPECT_NE(test::message_of([&] { train(data, options); }).find("of what?"), std::string::npos);
  options.kernel = "precomputed";
  EXPECT_NE(test::message_of([&] { options.validate(); }).find("taken as it is"), std::string::npos);
  options = with_kernel("rbf:gamma=1");
  options.compute.memory = 10;
  EXPECT_NE(test::message_of([&] { train(data, options); }).find("the limit on memory"), std::string::npos);
}

}  // namespace
}  // namespace dorm
