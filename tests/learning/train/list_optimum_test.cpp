// SPDX-License-Identifier: Apache-2.0
// Lists by position and under topic budgets: every solver against tiny problems with all lists written out and solved
// by an independent program (make_list_reference.py), and a certificate that holds when oracles are cut short.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "dorm/read.h"
#include "learning/kinds.h"
#include "learning/risk/position_risk.h"
#include "learning/train/learning_data.h"
#include "learning/train/rounds.h"
#include "support/case_name.h"
#include "support/random_data.h"

namespace dorm {
namespace {

constexpr double kGainOf[3][3] = {{0, 0, 0.2}, {1, 0.2, 0}, {0.3, 0.9, 0.5}};  // by label, position

struct TinyList {
  std::string file, bound;
  std::size_t positions = 0;
  bool per_position = false, topics = false;
  double C = 0, primal = 0, dual = 0;
};
void PrintTo(const TinyList& shown, std::ostream* out) {
  *out << shown.file.substr(0, shown.file.find('.')) << "At" << shown.positions << shown.bound
       << (shown.topics ? "Topics" : "");
}

std::vector<TinyList> tiny_lists() {
  std::ifstream in(test::tiny_file("list_optima.txt"));
  std::vector<TinyList> problems;
  for (TinyList t; in >> t.file >> t.positions >> t.per_position >> t.topics >> t.bound >> t.C >> t.primal >> t.dual;)
    problems.push_back(t);
  return problems;
}

struct ListedProblem {
  explicit ListedProblem(const TinyList& tiny) : features(read_letor(test::tiny_file(tiny.file))) {
    table = {{"a", "b"}, {1.3, 2.0}, {0}, {}};
    for (std::size_t q = 0; q < features.data().num_queries(); ++q) {
      const Query query = features.data().query(q);
      for (std::size_t i = 0; i < query.size(); ++i) {
        for (std::size_t j = 0; j < tiny.positions; ++j)
          gains.push_back(kGainOf[static_cast<std::size_t>(query.labels[i])][j]);
        table.shares.push_back({0, 0.2 + 0.3 * static_cast<double>(i % 3)});
        if (i % 2 == 0) table.shares.push_back({1, 1.0});
        table.first.push_back(table.shares.size());
      }
    }
    lists = {tiny.positions, gains, {}, tiny.per_position};
    for (std::size_t j = 0; j < tiny.positions; ++j) lists.decay.push_back(1 / std::log2(static_cast<double>(j) + 2));
    if (tiny.topics) lists.topics = &table;
  }

  LinearFeatures features;
  std::vector<double> gains;
  TopicTable table;
  PositionProblem lists;
};

void fix_references(PositionRisk& risk, const TinyList& tiny) {
  std::vector<double> first_feature(risk.dimension(), 0.0);
  first_feature[0] = 1;
  risk.set_trade_off(tiny.C);
  risk.set_reference(parse_bound(tiny.bound), first_feature);
}

class TinyLists : public testing::TestWithParam<TinyList> {
 protected:
  const TinyList& truth_ = GetParam();
  void SetUp() override {
    if (truth_.topics && topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  }
};

TEST_P(TinyLists, EverySolverReachesTheOptimum) {
  const ListedProblem problem(truth_);
  PositionRisk risk(problem.features, problem.lists, 1);
  fix_references(risk, truth_);
  for (const SolverKind kind : test::kCertified) {
    SolveOptions options;
    options.solver = kind;
    options.tolerance = kind == parse_solver("bcfw") ? 3e-3 : truth_.topics ? 1e-5 : 2e-7;
    options.max_passes = kind == parse_solver("bcfw") ? 20000 : 5000;
    if (truth_.topics && kind == parse_solver("bcfw")) continue;  // too many integer programs
    const SolveReport report = solve(risk, options).report;
    EXPECT_EQ(report.status, SolveStatus::converged) << solver_name(kind) << " gap " << report.gap;
    EXPECT_NEAR(report.primal, truth_.primal, 2 * options.tolerance * truth_.primal) << solver_name(kind);
    EXPECT_NEAR(report.dual, truth_.dual, 2 * options.tolerance * truth_.dual) << solver_name(kind);
  }
  EXPECT_EQ(risk.unproven(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, TinyLists, testing::ValuesIn(tiny_lists()), test::case_name);

// Lists of 4 of 14 documents whose relaxation is not whole, so that a hasty oracle is not exact.
TEST(ListProblems, ACertificateHoldsWhenOraclesAreCutShort) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const LinearFeatures features(test::random_data({.lengths = {14, 14, 14, 14}}));
  Rng rng(5);
  std::vector<double> gains;
  TopicTable table{{"a", "b", "c"}, {1.9, 2.0, 2.1}, {0}, {}};
  for (std::size_t d = 0; d < 56; ++d) {
    for (std::size_t j = 0; j < 4; ++j) gains.push_back(rng.uniform());
    for (std::uint32_t t = 0; t < 3; ++t) table.shares.push_back({t, rng.uniform()});
    table.first.push_back(table.shares.size());
  }
  PositionRisk risk(features, {4, gains, {1, 0.8, 0.6, 0.4}, true, &table}, 1);
  risk.set_reference(Bound::best, std::vector<double>(risk.dimension(), 0.1));
  EXPECT_EQ(risk.unproven(), 0u);
  risk.set_topic_options({1e-9});
  const SolveResult hasty = solve(risk, {.max_passes = 30});
  EXPECT_GT(risk.unproven(), 0u);
  EXPECT_GT(risk.largest_gap(), 0.0);
  risk.set_topic_options({0});
  double squared = 0;
  for (const double x : hasty.w) squared += x * x;
  const double objective = 0.5 * squared + risk.loss(hasty.w);
  EXPECT_GT(hasty.report.primal, objective + 1e-6);  // looser than the truth, and never below it
  EXPECT_LE(hasty.report.dual, solve(risk, {.tolerance = 1e-4}).report.primal);
}

TEST(ListProblems, ThereAreSeven) { EXPECT_EQ(tiny_lists().size(), 7u); }

}  // namespace
}  // namespace dorm
