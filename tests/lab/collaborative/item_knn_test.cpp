// SPDX-License-Identifier: Apache-2.0
// The formula of item_knn.cpp over a dense table, term by term.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/lab/collaborative.h"
#include "support/ratings.h"

namespace dorm {
namespace {

using test::ratings_from;

using Table = std::vector<std::vector<float>>;

// Ratings 1 to 5 with mean 3: a star is one, and the residuals are what item and user means leave.
const Table kTable = {{5, 4, 1, 2, 0}, {4, 5, 2, 0, 1}, {1, 0, 5, 4, 2}, {2, 1, 4, 5, 3}};

Table residuals(const Table& table, std::vector<double>& item_mean) {
  Table left = table;
  for (std::size_t j = 0; j < 5; ++j) {
    double sum = -5, count = 5;
    for (const auto& row : table)
      if (row[j] > 0) sum += row[j] - 3, ++count;
    item_mean.push_back(sum / count);
  }
  for (auto& row : left) {
    double sum = 0, count = 5;
    for (std::size_t j = 0; j < 5; ++j)
      if (row[j] > 0) sum += row[j] - 3 - item_mean[j], ++count;
    for (std::size_t j = 0; j < 5; ++j)
      if (row[j] > 0) row[j] = static_cast<float>(row[j] - 3 - item_mean[j] - sum / count);
  }
  return left;
}

TEST(ItemKnn, EqualsTheFormulaOverADenseTable) {
  const double shrink = 2;
  std::vector<double> item_mean;
  const Table left = residuals(kTable, item_mean);
  const auto expected = [&](std::size_t user, std::size_t item) {
    double weighted = 0, weights = 1;
    for (std::size_t i = 0; i < 5; ++i) {
      if (kTable[user][i] == 0) continue;
      double product = 0, own = 0, other = 0, n = 0;
      for (std::size_t u = 0; u < 4; ++u) {
        if (kTable[u][i] == 0 || kTable[u][item] == 0) continue;
        product += left[u][i] * left[u][item];
        own += left[u][i] * left[u][i];
        other += left[u][item] * left[u][item];
        ++n;
      }
      const double similarity = n > 0 ? n / (n + shrink) * product / std::sqrt(own * other) : 0;
      weighted += similarity * left[user][i];
      weights += std::abs(similarity);
    }
    return item_mean[item] + weighted / weights;
  };
  const Ratings asked = ratings_from({{0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, {0, 1, 0, 0, 0}, {0, 0, 0, 0, 0}});
  const auto scores = collaborative_scores("item-knn:2", ratings_from(kTable), asked);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_NEAR(scores[0], expected(0, 4), 1e-6);
  EXPECT_NEAR(scores[1], expected(1, 3), 1e-6);
  EXPECT_NEAR(scores[2], expected(2, 1), 1e-6);
  EXPECT_GT(scores[1], item_mean[3] - 1);
}

}  // namespace
}  // namespace dorm
