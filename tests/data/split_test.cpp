// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

Dataset queries(std::size_t n) {
  DatasetBuilder builder;
  for (std::size_t q = 0; q < n; ++q) builder.add({0, std::to_string(q)}, std::vector<float>{1});
  return builder.finish();
}

TEST(Folds, CoverEveryQueryOnceInPartsOfNearlyOneSize) {
  const auto parts = folds(queries(23), 5, 7);
  ASSERT_EQ(parts.size(), 5u);
  std::vector<std::size_t> all;
  for (const auto& part : parts) {
    EXPECT_TRUE(part.size() == 4 || part.size() == 5);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t q = 0; q < 23; ++q) EXPECT_EQ(all.at(q), q);
}

TEST(Folds, DependOnTheSeedAlone) {
  EXPECT_EQ(folds(queries(20), 4, 1), folds(queries(20), 4, 1));
  EXPECT_NE(folds(queries(20), 4, 1), folds(queries(20), 4, 2));
}

TEST(Folds, NeedAtLeastTwoAndAtMostOnePerQuery) {
  EXPECT_THROW(folds(queries(3), 1, 0), Error);
  EXPECT_THROW(folds(queries(3), 4, 0), Error);
  EXPECT_EQ(folds(queries(3), 3, 0).size(), 3u);
}

}  // namespace
}  // namespace dorm
