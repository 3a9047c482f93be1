// SPDX-License-Identifier: Apache-2.0
#include "base/vector/ordered_sum.h"

#include <gtest/gtest.h>

namespace dorm {
namespace {

// 1 is lost beside 1e16 and not beside its negative: every other order of these terms has another sum.
TEST(OrderedSum, TermsAreAddedInTheirOrderWhoeverComputesThem) {
  const std::vector<double> terms = {1, 1e16, -1e16, 3, 1e16, 1, -1e16};
  double expected = 0;
  for (const double term : terms) expected += term;
  for (const std::size_t threads : {1u, 2u, 4u})
    EXPECT_EQ(ordered_sum(terms.size(), threads, [&](std::size_t k, std::size_t) { return terms[k]; }), expected);
}

TEST(OrderedSum, PartsAreAddedInTheirOrder) {
  PartialSums sums(3, 2);
  sums[2] = {-1e16, 1};
  sums[1] = {1e16, 2};
  sums[0] = {1, 4};
  EXPECT_EQ(sums.total(), (std::vector<double>{(1 + 1e16) - 1e16, 7}));
}

TEST(OrderedSum, PiecesCoverTheRange) {
  for (const std::size_t parts : {1u, 3u, 16u}) {
    EXPECT_EQ(piece_begin(10, parts, 0), 0u);
    EXPECT_EQ(piece_begin(10, parts, parts), 10u);
    for (std::size_t p = 0; p < parts; ++p) EXPECT_LE(piece_begin(10, parts, p), piece_begin(10, parts, p + 1));
  }
}

}  // namespace
}  // namespace dorm
