// SPDX-License-Identifier: Apache-2.0
// Every solver on tiny kernel problems with all rankings listed and solved by an independent program
// (make_reference.py).
#include <gtest/gtest.h>

#include <fstream>

#include "dorm/read.h"
#include "learning/kinds.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/learning_data.h"
#include "learning/train/rounds.h"
#include "model/features/kernel_features.h"
#include "model/kernel/kernel_data.h"
#include "support/case_name.h"
#include "support/source_dir.h"

namespace dorm {
namespace {

struct TinyKernel {
  std::string file, kernel, measure, decay, bound;
  double C = 0, primal = 0, dual = 0;
};
void PrintTo(const TinyKernel& shown, std::ostream* out) {
  *out << shown.file.substr(0, shown.file.find('.')) << ' ' << shown.kernel << ' ' << shown.bound;
}

std::vector<TinyKernel> tiny_kernels() {
  std::ifstream in(test::source_dir() + "/tests/model/kernel/data/optima.txt");
  std::vector<TinyKernel> problems;
  for (TinyKernel t; in >> t.file >> t.kernel >> t.measure >> t.decay >> t.bound >> t.C >> t.primal >> t.dual;)
    problems.push_back(t);
  return problems;
}

class TinyKernelProblem : public testing::TestWithParam<TinyKernel> {};

TEST_P(TinyKernelProblem, EverySolverReachesTheOptimum) {
  const TinyKernel& truth = GetParam();
  const Dataset data = read_letor(test::tiny_file(truth.file));
  const auto kernel = make_kernel(truth.kernel, Documents(data));
  const KernelFeatures features(*kernel, data, 1 << 20, 1);
  RankingRisk risk(features, *make_trainable(truth.measure), Decay(truth.decay), 1);
  risk.set_trade_off(truth.C);
  std::vector<double> first_feature(risk.dimension(), 0.0);  // as scores, which stand behind the coefficients
  for (std::size_t i = 0; i < features.documents().size(); ++i)
    first_feature[features.documents().size() + i] = static_cast<double>(test::row_of(features.documents(), i)[0]);
  risk.set_reference(parse_bound(truth.bound), first_feature);
  for (const SolverKind kind : test::kCertified) {
    SolveOptions options;
    options.solver = kind;
    const double accuracy = kind == parse_solver("bcfw") ? 5e-3 : 1e-5;
    options.tolerance = accuracy / 2;
    options.max_passes = kind == parse_solver("bcfw") ? 20000 : 5000;
    const SolveReport report = solve(risk, options).report;
    EXPECT_EQ(report.status, SolveStatus::converged) << solver_name(kind) << " gap " << report.gap;
    EXPECT_NEAR(report.primal, truth.primal, accuracy * truth.primal) << truth.kernel << " " << solver_name(kind);
    EXPECT_NEAR(report.dual, truth.dual, accuracy * truth.dual) << truth.kernel << " " << solver_name(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TinyKernelProblem, testing::ValuesIn(tiny_kernels()), test::case_name);

TEST(TinyKernelProblems, ThereAreSixteen) { EXPECT_EQ(tiny_kernels().size(), 16u); }

}  // namespace
}  // namespace dorm
