// SPDX-License-Identifier: Apache-2.0
// The accelerated proximal-point loop of bcda and nslack, at a C so large that it begins.
#include "learning/solver/proximal_point.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/checksum.h"
#include "dorm/error.h"
#include "learning/kinds.h"
#include "learning/solver/test_risks.h"

namespace dorm {
namespace {

using test::loaded;
using test::saved;
using test::SortRisk;
using test::with;

const SolverKind kAccelerated[] = {parse_solver("bcda"), parse_solver("nslack")};

SortRisk coupled(std::uint64_t seed) { return SortRisk({.blocks = 80, .dimension = 6, .weight = 100, .seed = seed}); }

std::vector<double> planes_sum(const StructuredRisk& risk, const SolverState& state, double& offsets) {
  std::vector<double> v(risk.dimension(), 0.0);
  offsets = 0;
  for (const BlockPlanes& held : state.blocks)
    for (std::size_t k = 0; k < held.planes.size(); ++k) {
      offsets += held.alpha[k] * held.planes[k].offset;
      risk.geometry().add(held.alpha[k], held.planes[k], v);
    }
  return v;
}

// A state from within the loop of bcda.
SolverState accelerated_state() {
  SolverState found;
  solve(coupled(3), with(parse_solver("bcda"), 1e-4), [&](const Progress& p) {
    if (p.state && p.state->kappa > 0) found = *p.state;
    return found.empty();
  });
  EXPECT_GT(found.kappa, 0);
  return found;
}

// `oneslack` keeps no planes of blocks and knows no loop: another way to the same optimum.
TEST(ProximalPoint, ReachesTheOptimumOfAnotherSolver) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const SortRisk risk = coupled(seed);
    const SolveReport truth = solve(risk, with(parse_solver("oneslack"), 1e-5)).report;
    ASSERT_EQ(truth.status, SolveStatus::converged);
    for (const SolverKind kind : kAccelerated) {
      bool begun = false;
      const SolveReport report = solve(risk, with(kind, 1e-5), [&](const Progress& p) {
                                   begun = begun || (p.state && p.state->kappa > 0);
                                   return true;
                                 }).report;
      EXPECT_TRUE(begun) << solver_name(kind);
      EXPECT_EQ(report.status, SolveStatus::converged) << solver_name(kind);
      EXPECT_NEAR(report.primal, truth.primal, 2e-5 * truth.primal) << solver_name(kind);
      EXPECT_LE(report.dual, truth.primal * (1 + 1e-8)) << solver_name(kind);
      EXPECT_LE(truth.dual, report.primal * (1 + 1e-8)) << solver_name(kind);
    }
  }
}

TEST(ProximalPoint, BoundsAreThoseOfThePlanesAndNeverCross) {
  const SortRisk risk = coupled(4);
  for (const SolverKind kind : kAccelerated) {
    const double optimum = solve(risk, with(parse_solver("oneslack"), 1e-6)).report.primal;
    std::size_t looks = 0;
    solve(risk, with(kind, 1e-5), [&](const Progress& p) {
      if (!p.state || p.state->kappa == 0) return true;
      ++looks;
      double offsets = 0;
      const std::vector<double> v = planes_sum(risk, *p.state, offsets), told = dual_weights(*p.state);
      const double norm = risk.geometry().inner(v, v), dual = offsets - 0.5 * norm;
      for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(told[j], v[j], 1e-9 * std::sqrt(norm));
      EXPECT_LE(dual, optimum * (1 + 1e-7));
      if (p.evaluated) {
        EXPECT_GE(p.dual, dual - 1e-9 * std::abs(dual));
      }
      return true;
    });
    EXPECT_GT(looks, 1u) << solver_name(kind);
  }
}

TEST(ProximalPoint, OneAndFourThreadsGiveTheSameBits) {
  const SortRisk risk = coupled(5);
  for (const SolverKind kind : kAccelerated) {
    SolveOptions options = with(kind, 1e-3);
    options.batch = 16;
    const SolveResult one = solve(risk, options);
    const SolveResult many = solve(risk, options, {}, {}, {.threads = 4});
    EXPECT_EQ(many.w, one.w) << solver_name(kind);
    EXPECT_EQ(saved(many.state), saved(one.state)) << solver_name(kind);
  }
}

TEST(ProximalPoint, ResumingWithinTheLoopGivesTheSameBits) {
  const SortRisk risk = coupled(6);
  for (const SolverKind kind : kAccelerated) {
    const SolveResult whole = solve(risk, with(kind, 1e-4));
    for (const std::size_t stop_after : {1u, 2u, 4u}) {
      std::string bytes;
      std::size_t calls = 0;
      solve(risk, with(kind, 1e-4), [&](const Progress& p) {
        if (!p.state || p.state->kappa == 0) return true;
        if (++calls == stop_after) bytes = saved(*p.state);
        return calls < stop_after;
      });
      ASSERT_FALSE(bytes.empty()) << solver_name(kind) << " was never " << stop_after << " times in the loop";
      const SolveResult resumed = solve(risk, with(kind, 1e-4), {}, {{}, loaded(bytes)});
      EXPECT_EQ(resumed.w, whole.w) << solver_name(kind) << " stopped after " << stop_after;
      EXPECT_EQ(saved(resumed.state), saved(whole.state)) << solver_name(kind);
    }
  }
}

TEST(ProximalPoint, TheStateKeepsItsCentre) {
  const SolverState state = accelerated_state(), again = loaded(saved(state));
  EXPECT_EQ(again.kappa, state.kappa);
  EXPECT_EQ(again.centre, state.centre);
  EXPECT_EQ(again.last_centred, state.last_centred);
  EXPECT_EQ(saved(again), saved(state));
  SolverState bad = state;
  bad.centre.pop_back();
  EXPECT_THROW(loaded(saved(bad)), Error);
  bad = state;
  bad.kappa = 0;
  EXPECT_THROW(loaded(saved(bad)), Error);
}

TEST(ProximalPoint, AnotherCBeginsWithoutIt) {
  SolverState state = accelerated_state();
  double offsets = 0;
  const std::vector<double> v = planes_sum(coupled(3), state, offsets);
  state.rescale(0.5);
  EXPECT_EQ(state.kappa, 0);
  for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(state.w[j], 0.5 * v[j], 1e-9 * std::abs(v[j]) + 1e-12);
}

// Version 3 ends its numbers with the two bounds and its weights with the best ones.
}  // namespace
}  // namespace dorm
