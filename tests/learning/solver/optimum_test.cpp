// SPDX-License-Identifier: Apache-2.0
// Every solver against an independent quadratic programming solver (make_reference.py), all planes listed.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "learning/kinds.h"
#include "learning/solver/test_risks.h"
#include "support/source_dir.h"

namespace dorm {
namespace {

using test::ListedRisk;

struct Reference {
  ListedRisk risk;
  double primal, dual;
};

Reference read_reference(int number) {
  std::ifstream in(test::source_dir() + "/tests/learning/solver/data/tiny" + std::to_string(number) + ".txt");
  std::size_t dimension = 0, blocks = 0;
  double primal = 0, dual = 0;
  in >> dimension >> blocks >> primal >> dual;
  std::vector<double> weights(blocks);
  std::vector<std::vector<Plane>> planes(blocks);
  for (std::size_t q = 0; q < blocks; ++q) {
    std::size_t count = 0;
    in >> weights[q] >> count;
    planes[q].assign(count, {0, std::vector<float>(dimension), {}});
    for (Plane& plane : planes[q]) {
      in >> plane.offset;
      for (float& x : plane.direction) in >> x;
    }
  }
  EXPECT_TRUE(in) << "cannot read problem " << number;
  return {ListedRisk(dimension, std::move(weights), std::move(planes)), primal, dual};
}

double primal_value(const StructuredRisk& risk, std::span<const double> w) {
  const auto workspace = risk.make_workspace();
  Plane plane;
  double sum = 0.5 * risk.geometry().inner(w, w);
  for (std::size_t q = 0; q < risk.num_blocks(); ++q)
    sum += risk.block_weight(q) * risk.linearize(q, w, plane, *workspace);
  return sum;
}

class TinyOptimum : public testing::TestWithParam<std::tuple<SolverKind, int>> {};

TEST_P(TinyOptimum, PrimalAndDualEqualTheReference) {
  const auto [kind, number] = GetParam();
  const Reference reference = read_reference(number);
  SolveOptions options;
  options.solver = kind;
  // Frank-Wolfe steps without memory close the gap like 1/t: they are asked for 1e-6 and given the passes.
  options.tolerance = kind == parse_solver("bcfw") ? 9e-7 : 1e-7;
  options.max_passes = kind == parse_solver("bcfw") ? 3000000 : 5000;
  const SolveResult result = solve(reference.risk, options);
  EXPECT_EQ(result.report.status, SolveStatus::converged) << "gap " << result.report.gap;
  EXPECT_NEAR(result.report.primal, reference.primal, 1e-6 * reference.primal);
  EXPECT_NEAR(result.report.dual, reference.dual, 1e-6 * reference.dual);
  EXPECT_NEAR(primal_value(reference.risk, result.w), result.report.primal, 1e-12 * reference.primal);
}

std::string case_name(const testing::TestParamInfo<std::tuple<SolverKind, int>>& info) {
  return std::string(solver_name(std::get<0>(info.param))) + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, TinyOptimum, testing::Combine(testing::ValuesIn(test::kCertified), testing::Range(1, 8)),
                         case_name);

// The reported gap bounds the true one at every moment, and no dual value passes the optimum.
TEST(Certificate, GapIsNeverBelowTheTrueGap) {
  for (const int number : {2, 3, 4, 6})
    for (const CatalogEntry& solver : solver_catalog()) {
      const Reference reference = read_reference(number);
      SolveOptions options;
      options.solver = parse_solver(solver.name);
      options.tolerance = 1e-4;
      options.max_passes = 400;
      const SolveResult result = solve(reference.risk, options);
      ASSERT_FALSE(result.report.history.empty());
      for (const Progress& p : result.report.history) {
        const double true_gap = (p.primal - reference.primal) / p.primal;
        EXPECT_GE(p.gap, true_gap - 1e-9) << solver.name << " " << number;
        EXPECT_LE(p.dual, reference.primal * (1 + 1e-9)) << solver.name << " " << number;
      }
    }
}

TEST(Certificate, OnlineClosesTheGapWithPasses) {
  for (const int number : {1, 2, 3, 5, 6}) {
    const Reference reference = read_reference(number);
    SolveOptions options;
    options.solver = parse_solver("online");
    options.tolerance = 1e-2;
    options.max_passes = 100000;
    const SolveResult result = solve(reference.risk, options);
    EXPECT_EQ(result.report.status, SolveStatus::converged) << number << " gap " << result.report.gap;
    EXPECT_NEAR(result.report.primal, reference.primal, 1.1e-2 * reference.primal);
  }
}

}  // namespace
}  // namespace dorm
