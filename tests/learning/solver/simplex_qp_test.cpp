// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/simplex_qp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace dorm {
namespace {

struct Problem {
  std::size_t size;
  std::vector<double> gram, b;
  GramView view() const { return {gram.data(), size, size}; }
};

// G = F F' with F of `rank` columns: singular when rank < size.
Problem random_problem(std::size_t size, std::size_t rank, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> factor(size * rank);
  for (double& x : factor) x = 2 * rng.uniform() - 1;
  Problem p{size, std::vector<double>(size * size), std::vector<double>(size)};
  for (double& x : p.b) x = rng.uniform();
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < rank; ++k) p.gram[i * size + j] += factor[i * rank + k] * factor[j * rank + k];
  return p;
}

double objective(const Problem& p, const std::vector<double>& a) {
  double value = 0;
  for (std::size_t i = 0; i < p.size; ++i) {
    value += p.b[i] * a[i];
    for (std::size_t j = 0; j < p.size; ++j) value -= 0.5 * a[i] * a[j] * p.gram[i * p.size + j];
  }
  return value;
}

// The largest violation of the optimality conditions, computed from scratch.
double kkt_violation(const Problem& p, const std::vector<double>& a, bool capped, double total) {
  double highest = capped ? 0 : -INFINITY, lowest = INFINITY;
  for (std::size_t i = 0; i < p.size; ++i) {
    double h = p.b[i];
    for (std::size_t j = 0; j < p.size; ++j) h -= p.gram[i * p.size + j] * a[j];
    highest = std::max(highest, h);
    if (a[i] > 0) lowest = std::min(lowest, h);
  }
  if (capped && std::accumulate(a.begin(), a.end(), 0.0) < total * (1 - 1e-12)) lowest = std::min(lowest, 0.0);
  return highest - lowest;
}

TEST(SimplexQp, SolvesTwoVariablesByHand) {
  // max a1 + a2 - 1/2 (a1^2 + 3 a2^2), a1 + a2 = 1: stationary at a1 = 3 a2.
  const Problem p{2, {1, 0, 0, 3}, {1, 1}};
  std::vector<double> a(2, 0.0);
  solve_simplex_qp(p.view(), p.b, 1.0, a, {.kind = SimplexKind::full});
  EXPECT_NEAR(a[0], 0.75, 1e-9);
  EXPECT_NEAR(a[1], 0.25, 1e-9);
}

TEST(SimplexQp, LeavesSlackWhenTheCapIsLoose) {
  const Problem p{1, {2}, {1}};  // max a - a^2: a = 1/2
  std::vector<double> a(1, 0.0);
  const SimplexQpReport report = solve_simplex_qp(p.view(), p.b, 10.0, a, {});
  EXPECT_NEAR(a[0], 0.5, 1e-12);
  EXPECT_NEAR(report.gain, 0.25, 1e-12);
}

TEST(SimplexQp, PutsNothingOnHarmfulVariables) {
  const Problem p{2, {1, 0, 0, 1}, {-1, -2}};
  std::vector<double> a = {0.3, 0.4};
  solve_simplex_qp(p.view(), p.b, 1.0, a, {});
  EXPECT_NEAR(a[0], 0, 1e-9);
  EXPECT_NEAR(a[1], 0, 1e-9);
}

TEST(SimplexQp, CertifiesRandomProblemsIncludingSingularOnes) {
  for (const std::size_t size : {1u, 2u, 5u, 20u, 60u, 200u})
    for (const std::size_t rank : {1u, 3u, 40u})
      for (const double total : {0.01, 1.0, 100.0})
        for (const SimplexKind kind : {SimplexKind::full, SimplexKind::capped}) {
          const Problem p = random_problem(size, rank, size * 100 + rank);
          std::vector<double> a(size, 0.0);
          const SimplexQpReport report = solve_simplex_qp(p.view(), p.b, total, a, {kind, 1e-10 * total, 1000000});
          const double sum = std::accumulate(a.begin(), a.end(), 0.0);
          EXPECT_LE(report.gap, 1e-10 * total) << size << " " << rank << " " << total;
          EXPECT_LE(sum, total * (1 + 1e-12));
          EXPECT_GE(sum, kind == SimplexKind::full ? total * (1 - 1e-12) : 0.0);
          for (const double x : a) EXPECT_GE(x, 0);
          EXPECT_NEAR(report.residual, kkt_violation(p, a, kind == SimplexKind::capped, total), 1e-9);
        }
}

TEST(SimplexQp, NoFeasiblePointIsBetterThanTheGapAllows) {
  const Problem p = random_problem(8, 4, 7);
  std::vector<double> a(8, 0.0);
  const SimplexQpReport report = solve_simplex_qp(p.view(), p.b, 2.0, a, {.tolerance = 1e-3});
  Rng rng(3);
  double best_seen = -INFINITY;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<double> x(8);
    double sum = 0;
    for (double& v : x) sum += v = -std::log(1 - rng.uniform());
    const double total = 2.0 * rng.uniform();
    for (double& v : x) v *= total / sum;
    best_seen = std::max(best_seen, objective(p, x));
  }
  EXPECT_LE(best_seen, objective(p, a) + report.gap + 1e-12);
}

TEST(SimplexQp, WarmStartAtTheSolutionTakesNoSteps) {
  const Problem p = random_problem(30, 10, 11);
  std::vector<double> a(30, 0.0);
  solve_simplex_qp(p.view(), p.b, 1.0, a, {.tolerance = 1e-9});
  EXPECT_EQ(solve_simplex_qp(p.view(), p.b, 1.0, a, {.tolerance = 2e-9}).steps, 0u);
}

TEST(SimplexQp, RepairsAnInfeasibleStart) {
  const Problem p = random_problem(5, 5, 2);
  std::vector<double> a = {-1, 5, 5, 0, 2};
  solve_simplex_qp(p.view(), p.b, 1.0, a, {.max_steps = 0});
  EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), 1.0, 1e-12);
  EXPECT_EQ(a[0], 0);
}

TEST(SimplexQp, HandlesNoVariablesAndNoWeight) {
  std::vector<double> none;
  EXPECT_EQ(solve_simplex_qp({}, none, 1.0, none, {}).steps, 0u);
  const Problem p{1, {1}, {1}};
  std::vector<double> a(1, 0.0);
  EXPECT_EQ(solve_simplex_qp(p.view(), p.b, 0.0, a, {}).gain, 0.0);
}

}  // namespace
}  // namespace dorm
