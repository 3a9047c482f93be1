// SPDX-License-Identifier: Apache-2.0
// Column generation as the paper prints it: what it promises when it ends, with all planes listed.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "learning/solver/test_risks.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::ListedRisk;

using Planes = std::vector<std::vector<Plane>>;

constexpr std::size_t kDimension = 4;

Planes random_planes(std::uint64_t seed) {
  Rng rng(seed);
  Planes planes(12);
  for (std::vector<Plane>& block : planes)
    for (int k = 0; k < 20; ++k) {
      Plane plane{rng.uniform(), std::vector<float>(kDimension), {}};
      for (std::size_t j = 0; j < kDimension; ++j)
        plane.direction[j] = static_cast<float>(rng.normal() + (j == 0 ? 1.0 : 0.0));
      block.push_back(std::move(plane));
    }
  return planes;
}

SolveOptions printed(double epsilon) {
  SolveOptions options;
  options.solver = parse_solver("nslack");
  options.epsilon = epsilon;
  options.max_passes = 10000;
  return options;
}

double highest(const Geometry& geometry, const std::vector<Plane>& planes, std::span<const double> w) {
  double value = 0;
  for (const Plane& plane : planes) value = std::max(value, plane.offset - geometry.dot(w, plane));
  return value;
}

TEST(Epsilon, NoConstraintIsViolatedByMoreAndTheObjectiveIsNearTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const double C : {0.01, 0.3, 10.0}) {
      const Planes planes = random_planes(seed);
      const ListedRisk risk(kDimension, std::vector<double>(planes.size(), C), planes);
      SolveOptions exact;
      exact.tolerance = 1e-8;
      exact.max_passes = 100000;
      const double optimum = solve(risk, exact).report.primal;
      for (const double epsilon : {0.3, 0.05, 0.001}) {
        const SolveResult result = solve(risk, printed(epsilon));
        ASSERT_EQ(result.report.status, SolveStatus::converged);
        double objective = 0.5 * risk.geometry().inner(result.w, result.w);
        std::size_t held = 0;
        for (std::size_t q = 0; q < planes.size(); ++q) {
          const double worst = highest(risk.geometry(), planes[q], result.w);
          const double slack = highest(risk.geometry(), result.state.blocks[q].planes, result.w);
          EXPECT_LE(worst, slack + epsilon + 1e-12);
          objective += C * worst;
          held += result.state.blocks[q].planes.size();
        }
        EXPECT_NEAR(result.report.primal, objective, 1e-9 * objective);
        EXPECT_LE(objective - optimum, 1.01 * epsilon * C * 12 + 1e-6 * optimum);
        EXPECT_LE(result.report.dual, optimum * (1 + 1e-6));
        EXPECT_EQ(result.report.planes, held);
        EXPECT_LE(result.report.support_vectors, held);
      }
    }
}

// The first block's worst plane at w = 0 leaves its w for the second, whose only plane is then not violated.
TEST(Epsilon, BlocksGoInOrderAndTheDualIsSolvedAfterEachPlane) {
  const ListedRisk risk(1, {10, 10}, {{{1, {1}, {}}}, {{0.5, {1}, {}}}});
  const SolveResult first = solve(risk, printed(0.01));
  EXPECT_EQ(first.report.planes, 1u);
  EXPECT_EQ(first.report.oracle_calls, 4u);  // a pass that adds a plane, and one that adds none
  EXPECT_NEAR(first.w[0], 1, 1e-2);
  const ListedRisk turned(1, {10, 10}, {{{0.5, {1}, {}}}, {{1, {1}, {}}}});
  EXPECT_EQ(solve(turned, printed(0.01)).report.planes, 2u);
}

TEST(Epsilon, ALargeOneStaysAtZero) {
  const ListedRisk risk(1, {10}, {{{1, {1}, {}}}});
  const std::vector<double> elsewhere = {5};
  const SolveResult result = solve(risk, printed(1), {}, {elsewhere, {}});  // the start is not asked
  EXPECT_EQ(result.w[0], 0);
  EXPECT_EQ(result.report.planes, 0u);
  EXPECT_EQ(result.report.primal, 10);
}

TEST(Epsilon, AResumedRunEndsInTheSameBits) {
  const Planes planes = random_planes(9);
  const ListedRisk risk(kDimension, std::vector<double>(planes.size(), 1.0), planes);
  const SolveResult whole = solve(risk, printed(0.001));
  SolverState saved;
  const auto stop_after_two = [&](const Progress& progress) {
    if (progress.pass != 2 || progress.evaluated) return true;
    saved = *progress.state;
    return false;
  };
  const SolveResult part = solve(risk, printed(0.001), stop_after_two);
  EXPECT_EQ(part.report.status, SolveStatus::interrupted);
  const SolveResult resumed = solve(risk, printed(0.001), {}, {{}, std::move(saved)});
  EXPECT_EQ(resumed.w, whole.w);
  EXPECT_EQ(resumed.report.primal, whole.report.primal);
}

TEST(Epsilon, LimitsEndItWithACertificate) {
  const Planes planes = random_planes(3);
  const ListedRisk risk(kDimension, std::vector<double>(planes.size(), 1.0), planes);
  SolveOptions options = printed(1e-6);
  options.max_passes = 2;
  const SolveResult result = solve(risk, options);
  EXPECT_EQ(result.report.status, SolveStatus::pass_limit);
  EXPECT_EQ(result.report.passes, 2u);
  EXPECT_GE(result.report.primal, result.report.dual);
}

TEST(Epsilon, IsRefusedByOtherSolvers) {
  SolveOptions options = printed(0.1);
  options.solver = parse_solver("bcda");
  EXPECT_EQ(test::message_of([&] { options.validate(); }, ErrorCode::bad_option),
            "epsilon 0.1 is a rule of the solver nslack, not of bcda; expected 0");
  options = printed(-1);
  EXPECT_EQ(test::message_of([&] { options.validate(); }, ErrorCode::bad_option),
            "epsilon is -1; expected a finite number, 0 for none");
}

}  // namespace
}  // namespace dorm
