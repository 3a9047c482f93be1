// SPDX-License-Identifier: Apache-2.0
// Learning with kernels whose values a device makes. On the device `host`, and on the one that DORM_TEST_DEVICE names
// (make test-gpu).
#include <gtest/gtest.h>

#include "dorm/train.h"
#include "learning/train/learning_data.h"
#include "learning/train/training_set.h"
#include "support/message_of.h"
#include "support/tested_device.h"

namespace dorm {
namespace {

KernelOptions rbf_options(const char* approximation, const std::string& device) {
  KernelOptions options;
  options.spec = "rbf:gamma=0.1";
  options.approximation = approximation;
  options.cache_bytes = 50'000'000;
  options.place.device = device;
  return options;
}

// Ridge regression and its scores of other data, exact and by features.
TEST(DeviceTrainingSet, RankersAndScoresAreThoseOfTheCpu) {
  const Dataset data = test::web_like(11, 25), other = test::web_like(12, 10);
  for (const char* approximation : {"none", "nystroem:60", "cholesky:40", "fourier:80"}) {
    const TrainingSet here(data, {"zscore", ""}, 2, rbf_options(approximation, "cpu"));
    const TrainingSet there(data, {"zscore", ""}, 2, rbf_options(approximation, test::tested_device()));
    EXPECT_EQ(there.exact_kernel(), here.exact_kernel());
    EXPECT_EQ(there.kernel_note(), here.kernel_note());  // landmarks are chosen by the CPU
    EXPECT_NEAR(there.squared_scale(), here.squared_scale(), 1e-5 * here.squared_scale()) << approximation;
    const std::vector<double> v = here.fit({.C = {10}}).w, w = there.fit({.C = {10}}).w;
    const std::vector<double> expected = here.scorer(other)->scores(v, 1), scores = there.scorer(other)->scores(w, 1);
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 2e-3) << approximation;
    const Model model = there.model(w);
    const std::vector<double> of_model = score(model, other, 1);
    for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(of_model[i], scores[i], 2e-3) << approximation;
  }
}

TEST(DeviceOption, KernelsOnAGpu) {
  if (!test::tested_device().starts_with("cuda")) GTEST_SKIP() << "DORM_TEST_DEVICE names no GPU (make test-gpu)";
  const Dataset data = test::web_like(5, 60), valid = test::web_like(6, 20);
  for (const char* approximation : {"none", "nystroem:40", "cholesky:30", "fourier:60"}) {
    TrainOptions options;
    options.bound = Bound::best;
    options.kernel = "rbf:gamma=0.1";
    options.approximation = approximation;
    const TrainResult here = train(data, options, valid);
    options.compute.device = test::tested_device();
    const TrainResult there = train(data, options, valid), again = train(data, options, valid);
    EXPECT_EQ(to_json(there.model), to_json(again.model)) << approximation;
    EXPECT_LE(there.report.solve.dual, here.report.solve.primal * (1 + 1e-3)) << approximation;
    EXPECT_GE(there.report.solve.primal, here.report.solve.dual * (1 - 1e-3)) << approximation;
  }
}

// An exact kernel keeps the solvers of the CPU; the others are asked for what a device answers.
TEST(DeviceOption, SolversOfKernels) {
  TrainOptions options;
  options.compute.device = "cuda";
  options.kernel = "rbf:gamma=1";
  options.solve.solver = parse_solver("bcfw");
  EXPECT_NO_THROW(options.validate());
  options.approximation = "nystroem:100";
  EXPECT_NE(
      test::message_of([&] { options.validate(); }, ErrorCode::bad_option).find("expected lbfgs, shards or oneslack"),
      std::string::npos);
}

}  // namespace
}  // namespace dorm
