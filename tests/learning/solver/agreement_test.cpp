// SPDX-License-Identifier: Apache-2.0
// Medium problems with a real ranking oracle: solvers agree, duals never fall, threads do not matter.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "learning/kinds.h"
#include "learning/solver/test_risks.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::SortRisk;
using test::SortRiskOptions;
using test::with;

std::vector<SortRiskOptions> medium_problems() {
  return {{.seed = 1},
          {.weight = 1.0, .seed = 2},
          {.weight = 0.01, .seed = 3},
          {.blocks = 100, .dimension = 5, .seed = 4},
          {.blocks = 80, .dimension = 30, .seed = 5},
          {.cutoff = 3, .noise = 1.0, .seed = 6},
          {.dimension = 16, .sparse = true, .seed = 7},
          {.blocks = 50, .min_documents = 30, .max_documents = 40, .seed = 8},
          {.blocks = 100, .min_documents = 2, .max_documents = 4, .weight = 0.5, .seed = 9},
          {.dimension = 1, .seed = 10}};
}

TEST(Agreement, AllSolversAgreeWithinTheirGaps) {
  for (const SortRiskOptions& problem : medium_problems()) {
    const SortRisk risk(problem);
    const SolveReport best = solve(risk, with(parse_solver("bcda"), 1e-6)).report;
    ASSERT_EQ(best.status, SolveStatus::converged);
    for (const SolverKind kind : test::kCertified) {
      const SolveReport report = solve(risk, with(kind, 1e-3)).report;
      EXPECT_EQ(report.status, SolveStatus::converged) << solver_name(kind) << " seed " << problem.seed;
      EXPECT_LE(report.dual, best.primal * (1 + 1e-8)) << solver_name(kind) << " seed " << problem.seed;
      EXPECT_GE(report.primal, best.dual * (1 - 1e-8)) << solver_name(kind) << " seed " << problem.seed;
    }
    for (const char* name : {"online", "fw"}) {
      SolveOptions loose = with(parse_solver(name), 1e-3);
      loose.max_passes = 50;
      const SolveReport report = solve(risk, loose).report;
      EXPECT_LE(report.dual, best.primal * (1 + 1e-8)) << name << ", seed " << problem.seed;
      EXPECT_GE(report.primal, best.dual * (1 - 1e-8)) << name << ", seed " << problem.seed;
    }
  }
}

// The observer sees the best dual, which never falls by construction: so the dual point itself is examined.
double dual_of(const StructuredRisk& risk, const SolverState& state) {
  double sum = 0;
  std::vector<double> v = state.w;
  if (!state.blocks.empty()) v.assign(v.size(), 0.0);
  for (const BlockPlanes& held : state.blocks)
    for (std::size_t k = 0; k < held.planes.size(); ++k) {
      sum += held.alpha[k] * held.planes[k].offset;
      risk.geometry().add(held.alpha[k], held.planes[k], v);
    }
  for (std::size_t k = 0; k < state.aggregates.size(); ++k)
    sum += state.aggregates[k].offset * (state.aggregate_alpha.empty() ? 1.0 : state.aggregate_alpha[k]);
  return sum - 0.5 * risk.geometry().inner(v, v);
}

TEST(Agreement, TheDualNeverFalls) {
  for (const SortRiskOptions& problem : medium_problems()) {
    const SortRisk risk(problem);
    for (const SolverKind kind : test::kCertified) {
      double last = 0;
      solve(risk, with(kind, 1e-3), [&](const Progress& p) {
        if (!p.evaluated) return true;
        const double dual = dual_of(risk, *p.state);
        EXPECT_GE(dual, last - 1e-7 * std::abs(last)) << solver_name(kind) << " seed " << problem.seed;
        last = dual;
        return true;
      });
      EXPECT_GT(last, 0);
    }
  }
}

TEST(Determinism, OneTwoAndFourThreadsGiveTheSameBits) {
  const SortRisk risk({.blocks = 120, .weight = 0.3, .seed = 12});
  for (const CatalogEntry& solver : solver_catalog()) {
    SolveOptions options = with(parse_solver(solver.name), 1e-3);
    options.max_passes = 25;
    options.batch = 16;
    const SolveResult one = solve(risk, options);
    for (const std::size_t threads : {2u, 4u}) {
      const SolveResult many = solve(risk, options, {}, {}, {.threads = threads});
      EXPECT_EQ(many.w, one.w) << solver.name << " with " << threads << " threads";
      EXPECT_EQ(many.report.dual, one.report.dual);
      EXPECT_EQ(many.report.passes, one.report.passes);
    }
  }
}

TEST(Determinism, TheSeedSetsTheOrder) {
  const SortRisk risk({.seed = 13});
  SolveOptions options = with(parse_solver("bcda"), 1e-2);
  const std::vector<double> first = solve(risk, options).w;
  EXPECT_EQ(solve(risk, options).w, first);
  options.seed = 2;
  EXPECT_NE(solve(risk, options).w, first);
}

TEST(Eviction, TinyCapsStillConverge) {
  const SortRisk risk({.weight = 1.0, .seed = 14});
  const double optimum = solve(risk, with(parse_solver("bcda"), 1e-6)).report.primal;
  for (const SolverKind kind : {parse_solver("bcda"), parse_solver("nslack")}) {
    SolveOptions options = with(kind, 1e-3);
    options.planes_per_block = 2;
    const SolveResult result = solve(risk, options);
    EXPECT_EQ(result.report.status, SolveStatus::converged);
    EXPECT_NEAR(result.report.primal, optimum, 1e-3 * optimum);
  }
}

TEST(Eviction, MemoryLimitHoldsFewerPlanesAndConverges) {
  const SortRisk risk({.weight = 1.0, .seed = 15});
  const SolveResult free = solve(risk, with(parse_solver("nslack"), 1e-3));
  const SolveOptions options = with(parse_solver("bcda"), 1e-3);
  std::uint64_t most = 0;
  const Observer counting = [&](const Progress& p) {
    most = std::max(most, p.planes);
    return true;
  };
  const SolveResult tight = solve(risk, options, counting, {}, {.threads = 1, .memory = 1});
  EXPECT_EQ(tight.report.status, SolveStatus::converged);
  EXPECT_LT(most, free.report.planes);
  EXPECT_NEAR(tight.report.primal, free.report.primal, 2e-3 * free.report.primal);
}

TEST(Options, BadOnesAreRefusedByName) {
  const SortRisk risk({.blocks = 2});
  const auto message = [&](auto change) {
    SolveOptions options;
    change(options);
    return test::message_of([&] { solve(risk, options); });
  };
  EXPECT_EQ(message([](SolveOptions& o) { o.tolerance = -1; }), "tolerance is -1; expected a number in [0, 1)");
  EXPECT_EQ(message([](SolveOptions& o) { o.max_passes = 0; }), "max_passes is 0; expected at least 1");
  EXPECT_EQ(message([](SolveOptions& o) { o.seconds = -2; }), "seconds is -2; expected at least 0 (0: no limit)");
  EXPECT_EQ(message([](SolveOptions& o) { o.planes_per_block = 1; }), "planes_per_block is 1; expected at least 2");
  EXPECT_THROW(parse_solver("sgd"), Error);
}

}  // namespace
}  // namespace dorm
