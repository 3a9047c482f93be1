// SPDX-License-Identifier: Apache-2.0
// Warm starts along C, and states that are saved, damaged, loaded and resumed.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <sstream>

#include "dorm/error.h"
#include "learning/kinds.h"
#include "learning/solver/test_risks.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::loaded;
using test::saved;
using test::SortRisk;
using test::with;

TEST(WarmStart, APathOfCReachesTheColdOptimum) {
  for (const SolverKind kind : test::kCertified) {
    SortRisk risk({.weight = 0.01, .seed = 3});
    const double tolerance = kind == parse_solver("bcfw") ? 1e-3 : 1e-4;
    SolveResult result = solve(risk, with(kind, tolerance));
    for (const double weight : {0.1, 0.3, 0.03}) {
      result.state.rescale(weight / risk.block_weight(0));
      risk.set_weight(weight);
      result = solve(risk, with(kind, tolerance), {}, {{}, std::move(result.state)});
      const SolveReport cold = solve(risk, with(kind, tolerance)).report;
      EXPECT_EQ(result.report.status, SolveStatus::converged) << solver_name(kind);
      EXPECT_NEAR(result.report.primal, cold.primal, tolerance * cold.primal) << solver_name(kind);
    }
  }
}

TEST(WarmStart, FromTheSolutionTakesFewerPassesThanCold) {
  SortRisk risk({.weight = 1.0, .seed = 5});
  SolveResult first = solve(risk, with(parse_solver("bcda"), 1e-4));
  const std::uint64_t cold = first.report.passes;
  first.state.rescale(1.0);
  const SolveResult again = solve(risk, with(parse_solver("bcda"), 1e-4), {}, {{}, std::move(first.state)});
  EXPECT_LT(again.report.passes, cold / 2);
}

TEST(WarmStart, WorkingSetsPassBetweenBcdaAndNslack) {
  const SortRisk risk({.seed = 6});
  SolveOptions loose = with(parse_solver("bcda"), 1e-2);
  SolveResult first = solve(risk, loose);
  const SolveResult second = solve(risk, with(parse_solver("nslack"), 1e-5), {}, {{}, std::move(first.state)});
  EXPECT_EQ(second.report.status, SolveStatus::converged);
}

TEST(SolverState, ResumingASavedStateGivesTheSameBits) {
  const SortRisk risk({.weight = 1.0, .seed = 7});
  for (const SolverKind kind : {parse_solver("bcda"), parse_solver("nslack"), parse_solver("oneslack")}) {
    const SolveResult whole = solve(risk, with(kind, 1e-3));
    for (const std::size_t stop_after : {1u, 2u, 5u, 6u, 7u}) {
      std::string bytes;
      std::size_t calls = 0;
      solve(risk, with(kind, 1e-3), [&](const Progress& p) {
        if (!p.state) return true;  // bcda: not between the passes, where an evaluation follows
        if (++calls == stop_after) bytes = saved(*p.state);
        return calls < stop_after;
      });
      const SolveResult resumed = solve(risk, with(kind, 1e-3), {}, {{}, loaded(bytes)});
      EXPECT_EQ(resumed.w, whole.w) << solver_name(kind) << " stopped after " << stop_after;
      EXPECT_EQ(resumed.report.dual, whole.report.dual) << solver_name(kind);
      EXPECT_EQ(resumed.report.passes, whole.report.passes) << solver_name(kind);
    }
  }
}

TEST(SolverState, BcfwGoesOnFromTheSameDualPoint) {
  const SortRisk risk({.seed = 8});
  SolveResult first = solve(risk, with(parse_solver("bcfw"), 1e-1));
  const double dual = first.report.dual;
  const SolveResult second = solve(risk, with(parse_solver("bcfw"), 1e-3), {}, {{}, loaded(saved(first.state))});
  EXPECT_EQ(second.report.status, SolveStatus::converged);
  EXPECT_GE(second.report.history.front().dual, dual);
}

TEST(SolverState, EveryDamagedByteAndEveryCutIsRefused) {
  const SortRisk risk({.blocks = 3, .min_documents = 2, .max_documents = 3, .dimension = 2});
  const std::string good = saved(solve(risk, with(parse_solver("bcda"), 1e-2)).state);
  EXPECT_NO_THROW(loaded(good));
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (at >= 12 && at < 16) continue;  // reserved
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_THROW(loaded(bad), Error) << "byte " << at;
    EXPECT_THROW(loaded(good.substr(0, at)), Error) << "cut at " << at;
  }
}

TEST(SolverState, InconsistentContentsAreRefusedWhateverTheChecksum) {
  const SortRisk risk({.blocks = 3});
  const SolverState good = solve(risk, with(parse_solver("bcda"), 1e-2)).state;
  const std::function<void(SolverState&)> changes[] = {
      [](SolverState& s) { s.w.pop_back(); },
      [](SolverState& s) { s.w[0] = NAN; },
      [](SolverState& s) { s.blocks.pop_back(); },
      [](SolverState& s) { s.blocks[0].alpha.push_back(1); },
      [](SolverState& s) { s.blocks[0].alpha.at(0) = -1; },
      [](SolverState& s) { s.blocks[0].planes.at(0).offset = INFINITY; },
      [](SolverState& s) { s.block_weights[1] = -1; },
      [](SolverState& s) { s.aggregate_alpha.push_back(1); },
      [](SolverState& s) { s.best_w.push_back(1); },
  };
  for (const auto& change : changes) {
    SolverState bad = good;
    change(bad);
    EXPECT_THROW(loaded(saved(bad)), Error);
  }
}

TEST(SolverState, StatesOfOtherProblemsAreRefusedWithTheReason) {
  const SortRisk risk({.blocks = 5, .dimension = 4, .weight = 0.5});
  const SolverState state = solve(risk, with(parse_solver("bcda"), 1e-2)).state;
  const auto message = [&](const StructuredRisk& other, SolverKind kind, const SolverState& start) {
    return test::message_of([&] { solve(other, with(kind, 1e-2), {}, {{}, start}); });
  };
  EXPECT_NO_THROW(solve(risk, with(parse_solver("bcda"), 1e-2), {}, {{}, state}));
  EXPECT_EQ(message(risk, parse_solver("oneslack"), state), "solver state: made by bcda, cannot be used by oneslack");
  EXPECT_EQ(message(SortRisk({.blocks = 6, .dimension = 4, .weight = 0.5}), parse_solver("bcda"), state),
            "solver state: made for 5 blocks of dimension 4; expected 6 of dimension 4");
  EXPECT_EQ(message(SortRisk({.blocks = 5, .dimension = 4, .weight = 1.0}), parse_solver("bcda"), state),
            "solver state: block 0 has weight 0.5; expected 1 (rescale the state first)");
  SolverState heavy = state;
  heavy.blocks[2].alpha.assign(heavy.blocks[2].planes.size(), 1.0);
  EXPECT_EQ(message(risk, parse_solver("bcda"), heavy).substr(0, 48),
            "solver state: the dual weights of block 2 add up");
  SolverState foreign = state;
  foreign.blocks[1].planes.at(0).direction.resize(9);
  EXPECT_EQ(message(risk, parse_solver("bcda"), foreign), "solver state: block 1 holds a plane of another problem");
}

TEST(SolverState, AStreamThatRefusesIsAnError) {
  const SortRisk risk({.blocks = 2});
  const SolverState state = solve(risk, with(parse_solver("bcda"), 1e-2)).state;
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW(state.save(out), Error);
}

TEST(SolverState, RescaleRefusesNonsense) {
  SolverState state;
  for (const double factor : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    EXPECT_THROW(state.rescale(factor), Error);
}

}  // namespace
}  // namespace dorm
