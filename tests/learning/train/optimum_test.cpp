// SPDX-License-Identifier: Apache-2.0
// Every solver on the learning problem itself: tiny problems with all rankings listed and solved by an independent
// program (make_reference.py), and medium ones on which the solvers must agree.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/synth.h"
#include "learning/kinds.h"
#include "learning/risk/ranking_risk.h"
#include "learning/risk/ridge.h"
#include "learning/train/learning_data.h"
#include "learning/train/rounds.h"
#include "support/case_name.h"

namespace dorm {
namespace {

struct Tiny {
  std::string file, measure, decay, bound;
  double C = 0, primal = 0, dual = 0;
};
void PrintTo(const Tiny& shown, std::ostream* out) { *out << shown.file.substr(0, shown.file.find('.')); }

std::vector<Tiny> tiny_problems() {
  std::ifstream in(test::tiny_file("optima.txt"));
  std::vector<Tiny> problems;
  for (Tiny t; in >> t.file >> t.measure >> t.decay >> t.bound >> t.C >> t.primal >> t.dual;) problems.push_back(t);
  return problems;
}

class TinyProblem : public testing::TestWithParam<Tiny> {
 protected:
  const Tiny& truth_ = GetParam();
  LinearFeatures features_{read_letor(test::tiny_file(truth_.file))};
  RankingRisk risk_{features_, *make_trainable(truth_.measure), Decay(truth_.decay), 1};

  void SetUp() override {
    std::vector<double> first_feature(risk_.dimension(), 0.0);
    first_feature[0] = 1;
    risk_.set_trade_off(truth_.C);
    risk_.set_reference(parse_bound(truth_.bound), first_feature);
  }
};

TEST_P(TinyProblem, EverySolverReachesTheOptimum) {
  for (const SolverKind kind : test::kCertified) {
    SolveOptions options;
    options.solver = kind;
    options.tolerance = kind == parse_solver("bcfw") ? 9e-7 : 2e-7;
    options.max_passes = kind == parse_solver("bcfw") ? 1000000 : 5000;
    const SolveReport report = solve(risk_, options).report;
    EXPECT_EQ(report.status, SolveStatus::converged) << solver_name(kind) << " gap " << report.gap;
    EXPECT_NEAR(report.primal, truth_.primal, 1e-6 * truth_.primal) << solver_name(kind);
    EXPECT_NEAR(report.dual, truth_.dual, 1e-6 * truth_.dual) << solver_name(kind);
  }
}

TEST_P(TinyProblem, OnlineStaysWithinItsGap) {
  SolveOptions options;
  options.solver = parse_solver("online");
  options.tolerance = 1e-2;
  options.max_passes = 3000;
  const SolveReport report = solve(risk_, options).report;
  EXPECT_GE(report.primal, truth_.primal * (1 - 1e-6));
  EXPECT_LE(report.dual, truth_.dual * (1 + 1e-6));
  EXPECT_LE(report.primal - truth_.primal, report.gap * report.primal * (1 + 1e-6));
}

INSTANTIATE_TEST_SUITE_P(All, TinyProblem, testing::ValuesIn(tiny_problems()), test::case_name);

TEST(TinyProblems, ThereAreEight) { EXPECT_EQ(tiny_problems().size(), 8u); }

struct SignedTiny : Tiny {
  std::string signs;
};
void PrintTo(const SignedTiny& shown, std::ostream* out) {
  *out << shown.file.substr(0, shown.file.find('.'));
  for (const char sign : shown.signs) *out << (sign == '+' ? "up" : sign == '-' ? "down" : "free");
}

std::vector<SignedTiny> signed_problems() {
  std::ifstream in(test::tiny_file("signed_optima.txt"));
  std::vector<SignedTiny> problems;
  for (SignedTiny t; in >> t.file >> t.measure >> t.decay >> t.bound >> t.C >> t.signs >> t.primal >> t.dual;)
    problems.push_back(t);
  return problems;
}

class SignedProblem : public testing::TestWithParam<SignedTiny> {};

// Weights of the wrong sign are 0 exactly, and the certificate is that of the constrained problem.
TEST_P(SignedProblem, SolversThatKnowSignsReachTheConstrainedOptimum) {
  const SignedTiny& truth = GetParam();
  LinearFeatures features(read_letor(test::tiny_file(truth.file)));
  std::vector<std::int8_t> signs;
  for (const char sign : truth.signs) signs.push_back(sign == '+' ? 1 : sign == '-' ? -1 : 0);
  features.set_signs(signs);
  RankingRisk risk(features, *make_trainable(truth.measure), Decay(truth.decay), 1);
  std::vector<double> first_feature(risk.dimension(), 0.0);
  first_feature[0] = 1;
  risk.set_trade_off(truth.C);
  risk.set_reference(parse_bound(truth.bound), first_feature);
  for (const char* name : {"bcda", "nslack", "oneslack", "lbfgs", "shards"}) {
    const bool shards = std::string_view(name) == "shards";  // stops where its planes, of 32 bits, have no more to say
    const double near = shards ? 1e-5 : 1e-6;
    const SolveOptions options{.solver = parse_solver(name), .tolerance = shards ? 5e-6 : 2e-7, .max_passes = 5000};
    const SolveResult solved = solve(risk, options);
    const SolveReport& report = solved.report;
    EXPECT_EQ(report.status, SolveStatus::converged) << name << " gap " << report.gap;
    EXPECT_NEAR(report.primal, truth.primal, near * truth.primal) << name;
    EXPECT_NEAR(report.dual, truth.dual, near * truth.dual) << name;
    for (std::size_t j = 0; j < signs.size(); ++j) EXPECT_GE(solved.w[j] * signs[j], 0) << name;
    EXPECT_NEAR(0.5 * risk.geometry().inner(solved.w, solved.w) + risk.loss(solved.w), report.primal,
                1e-9 * report.primal)
        << name;
    for (const Progress& p : report.history) {
      EXPECT_GE(p.gap, (p.primal - truth.primal) / p.primal - 1e-8) << name;
      EXPECT_LE(p.dual, truth.primal * (1 + 1e-8)) << name;
    }
  }
  for (const char* name : {"bcfw", "online", "fw"})
    EXPECT_THROW(solve(risk, {.solver = parse_solver(name)}), Error) << name;
}

std::string signed_name(const testing::TestParamInfo<SignedTiny>& info) { return testing::PrintToString(info.param); }
INSTANTIATE_TEST_SUITE_P(All, SignedProblem, testing::ValuesIn(signed_problems()), signed_name);

TEST(SignedProblems, ThereAreThreeOfEach) { EXPECT_EQ(signed_problems().size(), 24u); }

struct Medium {
  const char *measure, *decay;
  Bound bound;
  double C;
};

TEST(MediumProblems, SolversAgreeWithinTheirGapsWhichAreNeverTooSmall) {
  const Medium problems[] = {
      {"ndcg@10", "measure", Bound::best, 10},      {"ndcg@10", "measure", Bound::predicted, 100},
      {"ndcg@5", "power:0.5", Bound::given, 10},    {"mrr", "power:1", Bound::best, 30},
      {"precision@5", "measure", Bound::best, 100}, {"dcg@3", "log", Bound::average, 1},
      {"ndcg", "power:0.25", Bound::best, 10},      {"ndcg@3", "measure+tail", Bound::predicted, 30},
      {"wta", "power:1", Bound::best, 10},          {"eru:half_life=3,neutral=0", "measure", Bound::best, 100},
      {"mrr:rel=best", "power:1", Bound::best, 30}, {"precision@3:rel=best", "measure", Bound::best, 100},
  };
  std::uint64_t seed = 0;
  for (const Medium& problem : problems) {
    SynthOptions synth{.queries = 40, .features = 8, .documents_median = 12, .seed = ++seed, .threads = 1};
    const LinearFeatures features(synthesize(synth));
    RankingRisk risk(features, *make_trainable(problem.measure), Decay(problem.decay), 1);
    risk.set_trade_off(problem.C / features.centred_norm(1) / static_cast<double>(risk.num_blocks()));
    risk.set_reference(problem.bound, ridge(features, 1e-3, 1));
    const SolveReport truth = solve(risk, {.tolerance = 1e-7, .max_passes = 20000}).report;
    ASSERT_LE(truth.gap, 1e-6) << problem.measure;
    for (const CatalogEntry& solver : solver_catalog()) {
      SolveOptions options{.solver = parse_solver(solver.name), .tolerance = 1e-3, .max_passes = 2000};
      if (options.solver == parse_solver("online")) options.max_passes = 30;
      const SolveReport report = solve(risk, options).report;
      if (options.solver != parse_solver("online")) {
        EXPECT_EQ(report.status, SolveStatus::converged) << solver.name << " " << problem.measure << " " << report.gap;
      }
      for (const Progress& p : report.history) {
        EXPECT_GE(p.gap, (p.primal - truth.primal) / p.primal - 1e-8) << solver.name << " " << problem.measure;
        EXPECT_LE(p.dual, truth.primal * (1 + 1e-8)) << solver.name << " " << problem.measure;
      }
    }
  }
}

}  // namespace
}  // namespace dorm
