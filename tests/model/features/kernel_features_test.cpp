// SPDX-License-Identifier: Apache-2.0
// The geometry of a kernel against that of explicit features: with the linear kernel both are the same space.
#include "model/features/kernel_features.h"

#include <gtest/gtest.h>

#include "learning/risk/ridge.h"
#include "model/features/linear_features.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

class BothFeatures : public testing::Test {
 protected:
  const Dataset data_ = test::random_data({.lengths = {6, 9, 4}, .features = 5, .seed = 4});
  const LinearFeatures linear_{data_};
  const std::unique_ptr<const Kernel> made_ = make_kernel("linear", Documents(data_));
  const KernelFeatures kernel_{*made_, data_, 1 << 20, 1};
  PullBackWorkspace workspace_;

  Plane plane(const Representation& features, std::size_t q, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<double> coefficients(data_.query(q).size());
    for (double& c : coefficients) c = rng.uniform() < 0.3 ? 0.0 : rng.normal();
    Plane out;
    features.pull_back(q, coefficients, out, workspace_);
    return out;
  }
};

TEST_F(BothFeatures, ProductsOfPlanesAgreeWithinAndAcrossQueries) {
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 3; ++q) {
      const double exact = linear_.inner(plane(linear_, p, p), plane(linear_, q, q + 7));
      const Plane x = plane(kernel_, p, p), y = plane(kernel_, q, q + 7);
      EXPECT_NEAR(kernel_.inner(x, y), exact, 1e-4 * (1 + std::fabs(exact)));
      EXPECT_EQ(kernel_.inner(x, y), kernel_.inner(y, x));
    }
}

TEST_F(BothFeatures, WeightsScoresAndProductsWithPlanesAgree) {
  std::vector<double> v(linear_.dimension(), 0.0), w(kernel_.dimension(), 0.0);
  for (std::size_t q = 0; q < 3; ++q) {
    const std::vector<double> scales = {0.5, 0.0, -1.5};
    const std::vector<Plane> x = {plane(linear_, q, 1), plane(linear_, q, 2), plane(linear_, q, 3)};
    const std::vector<Plane> y = {plane(kernel_, q, 1), plane(kernel_, q, 2), plane(kernel_, q, 3)};
    linear_.add_all(scales, x, v);
    kernel_.add_all(scales, y, w);
    EXPECT_NEAR(kernel_.dot(w, y[1]), linear_.dot(v, x[1]), 1e-3);
  }
  EXPECT_NEAR(kernel_.inner(w, w), linear_.inner(v, v), 1e-4 * linear_.inner(v, v));
  std::vector<double> expected(9), scores(9);
  linear_.scores(1, v, expected);
  kernel_.scores(1, w, scores);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-4);
}

TEST_F(BothFeatures, SumsOfPlanesAreTheSameAsOneByOne) {
  const std::vector<double> scales = {0.5, -2.0};
  const std::vector<Plane> planes = {plane(kernel_, 1, 5), plane(kernel_, 1, 6)};
  std::vector<double> together(kernel_.dimension(), 0.0), apart(kernel_.dimension(), 0.0);
  kernel_.add_all(scales, planes, together);
  for (std::size_t k = 0; k < 2; ++k) kernel_.add(scales[k], planes[k], apart);
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_NEAR(together[i], apart[i], 1e-9);
}

TEST_F(BothFeatures, CentredNormAndRidgeAgree) {
  EXPECT_NEAR(kernel_.centred_norm(1), linear_.centred_norm(1), 1e-5 * linear_.centred_norm(1));
  EXPECT_NEAR(centred_kernel_norm(*made_, data_, 2), kernel_.centred_norm(1), 1e-9);
  const std::vector<double> v = ridge(linear_, 1e-2, 1), w = ridge(kernel_, 1e-2, 1);
  for (std::size_t q = 0; q < 3; ++q) {
    std::vector<double> expected(data_.query(q).size()), scores(data_.query(q).size());
    linear_.scores(q, v, expected);
    kernel_.scores(q, w, scores);
    for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-4);
  }
}

TEST_F(BothFeatures, PlanesOfAnotherProblemAreNotWellFormed) {
  EXPECT_TRUE(kernel_.well_formed(plane(kernel_, 2, 1)));
  EXPECT_TRUE(kernel_.well_formed({}));
  EXPECT_FALSE(kernel_.well_formed({1, {1.0f}, {19}}));             // no such document
  EXPECT_FALSE(kernel_.well_formed({1, {1.0f, 1.0f}, {5, 6}}));     // of two queries
  EXPECT_FALSE(kernel_.well_formed({1, {1.0f, 1.0f}, {3, 3}}));     // twice
  EXPECT_FALSE(kernel_.well_formed({1, {1.0f, 1.0f, 2.0f}, {1}}));  // lengths differ
}

TEST_F(BothFeatures, ACacheTooSmallForTheQueriesIsRefused) {
  EXPECT_NE(test::message_of([&] { KernelFeatures(*made_, data_, 100, 1); }).find("the cache is"), std::string::npos);
}

}  // namespace
}  // namespace dorm
