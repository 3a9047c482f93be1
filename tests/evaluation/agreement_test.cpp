// SPDX-License-Identifier: Apache-2.0
#include "evaluation/agreement.h"

#include <gtest/gtest.h>

#include <vector>

#include "dorm/evaluation/judging.h"

namespace dorm {
namespace {

using LabelPairs = std::vector<std::pair<float, float>>;

// By hand: 20 both yes, 5 yes/no, 10 no/yes, 15 both no. Seen agreement 35/50 = 0.7; by chance 0.5 * 0.6 + 0.5 * 0.4 =
// 0.5; kappa = 0.2 / 0.5 = 0.4.
TEST(AgreementTest, KappaOfTwoLabelsByHand) {
  LabelPairs labels;
  labels.insert(labels.end(), 20, {1, 1});
  labels.insert(labels.end(), 5, {1, 0});
  labels.insert(labels.end(), 10, {0, 1});
  labels.insert(labels.end(), 15, {0, 0});
  EXPECT_NEAR(*cohen_kappa(labels, false), 0.4, 1e-12);
  EXPECT_NEAR(*cohen_kappa(labels, true), 0.4, 1e-12);  // two labels: the weights change nothing
}

// Labels 0, 1, 2 against 0, 2, 2. Unweighted: seen 2/3; by chance 1/3 * 1/3 + 1/3 * 2/3 = 1/3; kappa 1/2. Quadratic:
// disagreement seen 1/3; expected (0 + 4 + 4 + 1 + 1 + 1 + 4 + 0 + 0) / 9 = 15/9; kappa = 1 - (1/3) / (15/9) = 0.8.
TEST(AgreementTest, KappaOfThreeLabelsByHand) {
  const LabelPairs labels = {{0, 0}, {1, 2}, {2, 2}};
  EXPECT_NEAR(*cohen_kappa(labels, false), 0.5, 1e-12);
  EXPECT_NEAR(*cohen_kappa(labels, true), 0.8, 1e-12);
}

TEST(AgreementTest, KappaIsUndefinedWithoutDisagreementToExpect) {
  EXPECT_FALSE(cohen_kappa(LabelPairs{}, false));
  EXPECT_FALSE(cohen_kappa(LabelPairs{{3, 3}, {3, 3}}, true));
}

// Labels 1 and 1, 1 and 2: seen (0 + 1) / 2; of the twelve ordered pairs of 1, 1, 1, 2 six differ by 1: 1/2. alpha 0.
TEST(AgreementTest, AlphaByHand) {
  EXPECT_NEAR(*krippendorff_alpha(LabelPairs{{1, 1}, {1, 2}}), 0, 1e-12);
  EXPECT_NEAR(*krippendorff_alpha(LabelPairs{{1, 1}, {2, 2}}), 1, 1e-12);
  EXPECT_FALSE(krippendorff_alpha(LabelPairs{{3, 3}, {3, 3}}));
}

TEST(AgreementTest, OfJudgmentsCountsWhatBothJudge) {
  const std::vector<Judgment> first = {{"q", "a", 1}, {"q", "b", 0}, {"q", "c", 2}};
  const std::vector<Judgment> second = {{"q", "b", 0}, {"q", "a", 2}, {"r", "a", 1}};
  const JudgmentAgreement agreement = agreement_of(first, second);
  EXPECT_EQ(agreement.both, 2u);
  EXPECT_EQ(agreement.only_first, 1u);
  EXPECT_EQ(agreement.only_second, 1u);
  EXPECT_EQ(agreement.equal, 0.5);
  EXPECT_NEAR(*agreement.kappa, 1, 1e-12);
}

// Pairs of (1, 2, 2, 3) against (1, 3, 2, 2): three agree, one disagrees, one is tied in each: tau-b = 2 / 5.
TEST(AgreementTest, RankCorrelationByHand) {
  EXPECT_NEAR(*rank_correlation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 3, 2, 2}), 2.0 / 5, 1e-12);
  EXPECT_FALSE(rank_correlation(std::vector<double>{1, 1}, std::vector<double>{1, 2}));
}

// One query: the run shows r (relevant), u (unjudged), n (judged 0); x was judged relevant and not retrieved.
TEST(CoverageTest, ByHand) {
  const std::vector<Judgment> judgments = {{"q", "r", 2}, {"q", "n", 0}, {"q", "x", 1}};
  const std::vector<RunEntry> run = {{"q", "u", 3}, {"q", "r", 2}, {"q", "n", 1}};
  const std::vector<std::size_t> cutoffs = {1, 2, 5};
  const std::vector<std::string> measures = {"precision@2", "mrr"};
  EvaluateOptions options;
  options.convention = "trec";
  const Coverage coverage = coverage_of(
      judgments, [&](RunSink& sink) { hand_on(run, sink, 1); }, cutoffs, measures, options);
  EXPECT_EQ(coverage.judged, (std::vector<double>{0, 0.5, 2.0 / 3}));
  EXPECT_EQ(coverage.unjudged, 1u);
  EXPECT_EQ(coverage.figures[0].bad, 0.5);
  EXPECT_EQ(coverage.figures[0].passed_over, 0.5);
  EXPECT_EQ(coverage.figures[0].good, 1);
  EXPECT_EQ(coverage.figures[1].bad, 0.5);
  EXPECT_EQ(coverage.figures[1].passed_over, 1);
  EXPECT_EQ(coverage.figures[1].good, 1);
}

}  // namespace
}  // namespace dorm
