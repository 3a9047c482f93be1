// SPDX-License-Identifier: Apache-2.0
// Many blocks at one w in one call: what it promises, and that solvers do not care who answers.
#include <gtest/gtest.h>

#include <mutex>

#include "learning/solver/oracle_workers.h"
#include "learning/solver/test_risks.h"

namespace dorm {
namespace {

using test::SortRisk;

// Answers a batch as another device would: all planes first, last block first, then the visits.
class ElsewhereRisk : public SortRisk {
 public:
  using SortRisk::SortRisk;
  void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const override {
    const std::size_t count = batch.blocks.size();
    std::vector<Plane> planes(count);
    std::vector<double> values(count);
    const auto scratch = make_workspace();
    for (std::size_t k = count; k-- > 0;) values[k] = linearize(batch.blocks[k], batch.w, planes[k], *scratch);
    workers.run(batch.pieces, [&](std::size_t piece, std::size_t) {
      for (std::size_t k = count * piece / batch.pieces; k < count * (piece + 1) / batch.pieces; ++k)
        visit({k, batch.blocks[k], piece, values[k], planes[k]});
    });
  }
};

TEST(LinearizeAll, VisitsEveryBlockOnceWithItsPlaneInOrderWithinAPiece) {
  const SortRisk risk({.blocks = 23, .dimension = 5});
  const std::vector<double> w = {0.3, -1, 0.2, 0.7, 0.1};
  const auto scratch = risk.make_workspace();
  for (const std::size_t threads : {1u, 3u}) {
    OracleWorkers workers(risk, threads);
    for (const std::size_t pieces : {1u, 4u, 23u}) {
      std::mutex mutex;
      std::vector<std::vector<std::size_t>> visited(pieces);
      risk.linearize_all({workers.blocks(), w, pieces}, workers, [&](const BlockResponse& answer) {
        const std::lock_guard lock(mutex);
        Plane plane;
        EXPECT_EQ(answer.value, risk.linearize(answer.block, w, plane, *scratch));
        EXPECT_EQ(answer.plane, plane);
        visited[answer.piece].push_back(answer.index);
      });
      std::size_t next = 0;
      for (const std::vector<std::size_t>& piece : visited)
        for (const std::size_t index : piece) EXPECT_EQ(index, next++);
      EXPECT_EQ(next, workers.blocks().size());
    }
  }
}

TEST(LinearizeAll, WhoAnswersDoesNotChangeABit) {
  const test::SortRiskOptions problem{.blocks = 150, .dimension = 6};
  const SortRisk here(problem);
  const ElsewhereRisk elsewhere(problem);
  for (const CatalogEntry& solver : solver_catalog()) {
    SolveOptions options;
    options.solver = parse_solver(solver.name);
    options.max_passes = 20;
    const SolveResult expected = solve(here, options);
    for (const std::size_t threads : {1u, 2u, 3u}) {
      const SolveResult result = solve(elsewhere, options, {}, {}, {.threads = threads});
      EXPECT_EQ(result.w, expected.w) << solver.name;
      EXPECT_EQ(result.report.dual, expected.report.dual) << solver.name;
    }
  }
}

TEST(SolverCatalog, NamesAreReadBackAndExplained) {
  for (const CatalogEntry& solver : solver_catalog()) {
    EXPECT_EQ(solver_name(parse_solver(solver.name)), solver.name);
    EXPECT_FALSE(solver.help.empty()) << solver.name;
  }
  EXPECT_EQ(SolveOptions{}.solver, parse_solver("bcda"));
}

}  // namespace
}  // namespace dorm
