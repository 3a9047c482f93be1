// SPDX-License-Identifier: Apache-2.0
// The counted pairwise hinge against the double loop over pairs.
#include "learning/risk/pairwise_hinge.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/random_data.h"

namespace dorm {
namespace {

struct Slow {
  double value = 0, offset = 0;
  std::vector<double> coefficients;
};

/// `gains`: what pairs weigh the difference of; none: all weigh 1.
Slow by_pairs(const std::vector<float>& labels, const std::vector<double>& scores, const std::vector<double>& gains) {
  Slow out;
  out.coefficients.assign(labels.size(), 0.0);
  double pairs = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (!(labels[i] > labels[k])) continue;
      const double weight = gains.empty() ? 1.0 : gains[i] - gains[k];
      pairs += weight;
      if (!(scores[k] > scores[i] - 1)) continue;
      out.value += weight * (1 - (scores[i] - scores[k]));
      out.offset += weight;
      out.coefficients[i] += weight;
      out.coefficients[k] -= weight;
    }
  out.value /= pairs;
  out.offset /= pairs;
  for (double& x : out.coefficients) x /= pairs;
  return out;
}

void expect_equal_to_pairs(const std::vector<float>& labels, const std::vector<double>& scores,
                           const std::vector<double>& gains = {}) {
  const PairwiseQuery query = gains.empty() ? prepare_pairwise(labels) : prepare_pairwise(labels, gains);
  if (!(query.pairs > 0)) return;
  PairwiseWorkspace workspace;
  std::vector<double> coefficients(labels.size(), 1e9);  // old contents must not matter
  const double offset = pairwise_hinge(query, scores, coefficients, workspace);
  const Slow slow = by_pairs(labels, scores, gains);
  EXPECT_NEAR(offset, slow.offset, 1e-12);
  double value = offset;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_NEAR(coefficients[i], slow.coefficients[i], 1e-12) << "document " << i;
    value -= coefficients[i] * scores[i];
  }
  EXPECT_NEAR(value, slow.value, 1e-9 * (1 + std::abs(slow.value)));
}

TEST(PairwiseHinge, EqualsTheDoubleLoopOnRandomQueries) {
  Rng rng(7);
  const std::vector<std::function<float()>> label_kinds = {[&] { return static_cast<float>(rng.below(5)); },
                                                           [&] { return static_cast<float>(rng.below(2)); },
                                                           [&] { return static_cast<float>(rng.uniform() - 0.5); }};
  for (int round = 0; round < 300; ++round) {
    const std::size_t l = 2 + rng.below(40);
    const double scale = std::pow(10.0, static_cast<double>(rng.below(4)) - 2);
    const bool tied = rng.below(2) == 0;
    std::vector<float> labels(l);
    std::vector<double> scores(l);
    for (std::size_t i = 0; i < l; ++i) {
      labels[i] = label_kinds[static_cast<std::size_t>(round) % 3]();
      const double z = scale * rng.normal();
      scores[i] = tied ? std::round(2 * z) / 2 : z;  // halves: margins of exactly 1 occur
    }
    expect_equal_to_pairs(labels, scores);
    std::vector<double> gains(l);
    for (std::size_t i = 0; i < l; ++i) gains[i] = std::max(0.0, std::exp2(static_cast<double>(labels[i])) - 1);
    expect_equal_to_pairs(labels, scores, gains);
  }
}

TEST(PairwiseHinge, CountsPairsWithDifferentLabels) {
  EXPECT_EQ(prepare_pairwise(std::vector<float>{2, 0, 1, 0, 2}).pairs, 2 * 1 + 2 * 2 + 1 * 2);
  EXPECT_EQ(prepare_pairwise(std::vector<float>{3, 3, 3}).pairs, 0);
  EXPECT_EQ(prepare_pairwise(std::vector<float>{0.25f, -1, 0.25f}).levels, 2u);
}

TEST(PairwiseHinge, IsZeroWhenEveryMarginIsKept) {
  const PairwiseQuery query = prepare_pairwise(std::vector<float>{2, 1, 0});
  PairwiseWorkspace workspace;
  std::vector<double> coefficients(3);
  EXPECT_EQ(pairwise_hinge(query, std::vector<double>{5, 4, 3}, coefficients, workspace), 0);
  EXPECT_EQ(coefficients, std::vector<double>(3, 0.0));
}

}  // namespace
}  // namespace dorm
