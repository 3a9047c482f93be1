// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "dorm/objective.h"
#include "dorm/objective_c.h"

namespace dorm {
namespace {

TEST(ObjectiveInC, GivesTheNumbersOfTheClass) {
  const std::vector<float> labels = {2, 0, 1, 0, 1, 3};
  const std::vector<std::uint64_t> ends = {4, 6};
  const std::vector<double> scores = {0.1, 0.7, -0.2, 0.3, 1.0, 0.9};
  std::array<char, DORM_ERROR_LENGTH> error{};
  dorm_objective* handle = nullptr;
  ASSERT_EQ(dorm_objective_create(labels.data(), 6, ends.data(), 2, nullptr, nullptr, &handle, error.data()), 0);
  std::vector<double> gradient(6), curvature(6), losses(2), wanted_gradient(6), wanted_curvature(6);
  EXPECT_EQ(dorm_objective_gradient(handle, scores.data(), 3, gradient.data(), curvature.data(), error.data()), 0);
  EXPECT_EQ(dorm_objective_losses(handle, scores.data(), losses.data(), error.data()), 0);
  dorm_objective_free(handle);
  const Objective objective(labels, ends);
  objective.gradient(scores, 3, wanted_gradient, wanted_curvature);
  EXPECT_EQ(gradient, wanted_gradient);
  EXPECT_EQ(curvature, wanted_curvature);
  EXPECT_EQ(losses, objective.losses(scores));
}

TEST(ObjectiveInC, FailuresBecomeCodesWithMessages) {
  const std::vector<float> labels = {2, 0};
  const std::vector<std::uint64_t> ends = {5};
  std::array<char, DORM_ERROR_LENGTH> error{};
  dorm_objective* handle = nullptr;
  EXPECT_GT(dorm_objective_create(labels.data(), 2, ends.data(), 1, nullptr, nullptr, &handle, error.data()), 0);
  EXPECT_EQ(std::string(error.data()), "the queries hold 5 documents together, but there are 2 labels");
  EXPECT_EQ(handle, nullptr);
  dorm_objective_options options;
  dorm_objective_defaults(&options);
  const std::string name(2000, 'x');
  options.reference = name.c_str();
  const std::vector<std::uint64_t> right = {2};
  EXPECT_GT(dorm_objective_create(labels.data(), 2, right.data(), 1, nullptr, &options, &handle, error.data()), 0);
  EXPECT_EQ(std::string(error.data()).size(), DORM_ERROR_LENGTH - 1u);
}

TEST(ObjectiveInC, FreeingNothingIsAllowed) { dorm_objective_free(nullptr); }

}  // namespace
}  // namespace dorm
