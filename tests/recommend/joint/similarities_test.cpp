// SPDX-License-Identifier: Apache-2.0
// Similarities by hand, and that none has a negative eigenvalue.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "joint_data.h"

namespace dorm {
namespace {

using test::ratings_from;
using test::tasteful_ratings;

// Whether all eigenvalues are above `bound`: whether the matrix less bound times the identity has a Cholesky factor.
bool eigenvalues_above(double bound, Similarities matrix) {
  for (std::size_t k = 0; k < matrix.size; ++k) {
    matrix.at(k, k) -= bound;
    for (std::size_t i = 0; i < k; ++i) matrix.at(k, k) -= matrix.at(k, i) * matrix.at(k, i);
    if (!(matrix.at(k, k) > 0)) return false;
    matrix.at(k, k) = std::sqrt(matrix.at(k, k));
    for (std::size_t r = k + 1; r < matrix.size; ++r) {
      for (std::size_t i = 0; i < k; ++i) matrix.at(r, k) -= matrix.at(r, i) * matrix.at(k, i);
      matrix.at(r, k) /= matrix.at(k, k);
    }
  }
  return true;
}

TEST(Correlations, AreCosinesOfRatingsLessTheMeanOfTheirUser) {
  // z = (1, -1, 0), (1, 0, -1), (-2, 2, 0), nothing: the last user gave one rating twice.
  const Ratings known = ratings_from({{4, 2, 0}, {3, 0, 1}, {1, 5, 0}, {3, 0, 3}});
  const Similarities users = user_correlations(known), items = item_correlations(known);
  EXPECT_DOUBLE_EQ(users.at(0, 1), 0.5);
  EXPECT_DOUBLE_EQ(users.at(0, 2), -1);
  EXPECT_DOUBLE_EQ(users.at(1, 2), -0.5);
  EXPECT_DOUBLE_EQ(users.at(2, 2), 1);
  EXPECT_EQ(users.at(3, 3), 0);
  // Columns (1, 1, -2, 0), (-1, 0, 2, 0), (0, -1, 0, 0).
  EXPECT_DOUBLE_EQ(items.at(0, 1), -5 / std::sqrt(30));
  EXPECT_DOUBLE_EQ(items.at(0, 2), -1 / std::sqrt(6));
  EXPECT_EQ(items.at(1, 2), 0);
}

TEST(Attributes, AreCosinesOfTheRowsOfTheFeaturesById) {
  SideFeatures features;
  features.names = {"drama", "war"};
  features.ids = IdTable({"c", "a", "empty"});
  features.values = {1, 1, 0, 2, 0, 0};
  const Similarities alike = attribute_similarities(IdTable({"a", "b", "c", "empty"}), features);
  EXPECT_DOUBLE_EQ(alike.at(0, 0), 1);
  EXPECT_DOUBLE_EQ(alike.at(0, 2), std::sqrt(0.5));
  EXPECT_EQ(alike.at(2, 0), alike.at(0, 2));
  EXPECT_EQ(alike.at(1, 1), 0);  // unknown
  EXPECT_EQ(alike.at(0, 3), 0);  // without attributes
}

TEST(MeanOf, IsTheMeanOfItsParts) {
  Similarities half(2);
  half.values = {1, .5, .5, 1};
  const Similarities mean = mean_of(std::vector{identity_similarities(2), half});
  EXPECT_EQ(mean.values, (std::vector<double>{1, .25, .25, 1}));
  EXPECT_THROW(mean_of({}), Error);
  EXPECT_THROW(mean_of(std::vector{identity_similarities(2), identity_similarities(3)}), Error);
}

TEST(MakeJointKernel, IsTheMeanOfAllThatIsKnown) {
  const Ratings known = ratings_from({{4, 2, 0}, {3, 0, 1}});  // z = (1, -1, 0), (1, 0, -1)
  SideFeatures genres;
  genres.names = {"drama"};
  genres.ids = IdTable({"i0", "i1", "i2"});
  genres.values = {1, 1, 0};
  const JointKernel plain = make_joint_kernel(known), rich = make_joint_kernel(known, nullptr, &genres);
  EXPECT_DOUBLE_EQ(plain.users.at(0, 1), (1 + 0 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(plain.users.at(0, 0), 1);
  EXPECT_DOUBLE_EQ(plain.items.at(0, 1), (0 - std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(rich.items.at(0, 1), (0 - std::sqrt(0.5) + 1) / 3);
  EXPECT_DOUBLE_EQ(rich.items.at(2, 2), (1 + 1 + 0.0) / 3);
  EXPECT_EQ(rich.users.values, plain.users.values);
}

TEST(Similarities, HaveNoNegativeEigenvalue) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Ratings known = tasteful_ratings(20, 25, 6, seed);
    EXPECT_TRUE(eigenvalues_above(-1e-9, user_correlations(known)));
    EXPECT_TRUE(eigenvalues_above(-1e-9, item_correlations(known)));
    const JointKernel kernel = make_joint_kernel(known);
    EXPECT_TRUE(eigenvalues_above(0.33, kernel.users));   // a third of it is the identity
    EXPECT_TRUE(eigenvalues_above(0.49, kernel.items));   // a half
    EXPECT_FALSE(eigenvalues_above(0.51, kernel.items));  // ratings of few users have a low rank
  }
}

}  // namespace
}  // namespace dorm
