// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace dorm::explore {
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

}  // namespace
}  // namespace dorm::explore
