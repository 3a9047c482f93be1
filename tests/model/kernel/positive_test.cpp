// SPDX-License-Identifier: Apache-2.0
// Kernels that no rule vouches for: functions and precomputed matrices.
#include <gtest/gtest.h>

#include "dorm/train.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::unique_ptr<const Kernel> pairwise(double (*value)(std::span<const float>, std::span<const float>)) {
  return function_kernel(
      [value](const DenseBlock& left, const DenseBlock& right, float* out) {
        for (std::size_t i = 0; i < left.rows; ++i)
          for (std::size_t j = 0; j < right.rows; ++j)
            out[i * right.rows + j] = static_cast<float>(value({left.data + i * left.features, left.features},
                                                               {right.data + j * right.features, right.features}));
      },
      "mine");
}

TEST(CheckPositive, RefusesWhatIsIndefiniteAsymmetricOrNotFinite) {
  const Documents documents(test::random_data({.lengths = {20, 20}}));
  const auto distance = pairwise(
      [](std::span<const float> x, std::span<const float> y) { return std::fabs(static_cast<double>(x[0] - y[0])); });
  const auto lopsided =
      pairwise([](std::span<const float> x, std::span<const float> y) { return static_cast<double>(x[0] - y[0]) + 9; });
  const auto broken = pairwise(
      [](std::span<const float> x, std::span<const float>) { return std::log(static_cast<double>(x[0]) - 1e9); });
  const auto good = pairwise([](std::span<const float> x, std::span<const float> y) {
    return static_cast<double>(x[0] * y[0] + x[1] * y[1]);
  });
  const auto says = [&](const Kernel& kernel) { return test::message_of([&] { check_positive(kernel, documents); }); };
  EXPECT_NE(says(*distance).find("not positive semidefinite: on a sample of 40 documents"), std::string::npos);
  EXPECT_NE(says(*lopsided).find("not symmetric"), std::string::npos);
  EXPECT_NE(says(*broken).find("not finite"), std::string::npos);
  EXPECT_NO_THROW(check_positive(*good, documents));
}

TEST(CheckPositive, TrainingRefusesAnIndefiniteFunction) {
  const Dataset data = test::random_data({.lengths = {6, 6, 6}});
  const auto distance = pairwise(
      [](std::span<const float> x, std::span<const float> y) { return std::fabs(static_cast<double>(x[0] - y[0])); });
  TrainOptions options{.compute = {.threads = 1}};
  options.kernel_function = distance.get();
  EXPECT_NE(test::message_of([&] { train(data, options); }).find("not positive semidefinite"), std::string::npos);
}

/// A data set whose features are the matrix.
Dataset from_matrix(const std::vector<std::vector<float>>& rows) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < rows.size(); ++i)
    builder.add({static_cast<float>(i % 2), i < rows.size() / 2 ? "1" : "2"}, rows[i]);
  return builder.finish();
}

TEST(CheckPrecomputed, RefusesAWrongShapeAndAsymmetryAndNamesThePlace) {
  EXPECT_NO_THROW(check_precomputed(from_matrix({{2, 1}, {1, 2}})));
  EXPECT_NE(test::message_of([] {
              check_precomputed(from_matrix({{2, 1, 0}, {1, 2, 0}}));
            }).find("2 documents with 3 features; expected a square Gram matrix"),
            std::string::npos);
  EXPECT_NE(test::message_of([] {
              check_precomputed(from_matrix({{2, 1}, {0.5, 2}}));
            }).find("not symmetric: row 2, column 1 is 0.5, row 1, column 2 is 1"),
            std::string::npos);
  TrainOptions options{.compute = {.threads = 1}};
  options.kernel = "precomputed";
  EXPECT_NE(test::message_of([&] {
              train(from_matrix({{1, 2}, {2, 1}, {0, 1}}), options);
            }).find("square"),
            std::string::npos);
  const std::vector<std::vector<float>> indefinite = {{1, 2, 0, 0}, {2, 1, 0, 0}, {0, 0, 1, 2}, {0, 0, 2, 1}};
  EXPECT_NE(test::message_of([&] { train(from_matrix(indefinite), options); }).find("not positive semidefinite"),
            std::string::npos);
}

TEST(MakeKernel, APrecomputedMatrixHasAFeatureForEveryDocument) {
  const Documents documents(from_matrix({{1}, {2}, {3}}));
  EXPECT_NE(test::message_of([&] { make_kernel("precomputed", documents); }).find("3 documents with 1 features"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
