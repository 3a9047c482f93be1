// SPDX-License-Identifier: Apache-2.0
// The levels among each other, and parts of the columns beside all of them; that values are right is seen in scores.
#include "data/scale/scale_doubles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/scale/scale_rows.h"
#include "support/random_data.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

constexpr ScalingKind kEvery[] = {ScalingKind::none,         ScalingKind::zscore,     ScalingKind::minmax,
                                  ScalingKind::query_minmax, ScalingKind::log_zscore, ScalingKind::log_query_zscore};

TEST(ScaleDoubles, LevelsAndPartsGiveTheSameBits) {
  for (std::size_t features = 1; features < 20; ++features) {
    const Dataset data = test::random_data({.lengths = {7, 1}, .features = features, .density = 0.6, .factor = 30});
    for (const ScalingKind kind : kEvery) {
      const Scaling scaling = fit_scaling(kind, data);
      for (std::size_t q = 0; q < 2; ++q) {
        const DenseRows rows = dense_rows(data.query(q));
        std::vector<double> all(rows.rows * features);
        scale_columns(scaling, rows, 0, features, all.data(), SimdLevel::portable);
        for (const SimdLevel level : test::simd_levels())
          for (std::size_t first = 0; first < features; first += 5) {
            const std::size_t count = std::min<std::size_t>(9, features - first);
            std::vector<double> some(rows.rows * count);
            scale_columns(scaling, rows, first, count, some.data(), level);
            for (std::size_t i = 0; i < rows.rows; ++i)
              for (std::size_t j = 0; j < count; ++j)
                EXPECT_EQ(some[i * count + j], all[i * features + first + j]) << name_of(kind);
          }
      }
    }
  }
}

TEST(ScaleDoubles, RangesAreThoseOfTheColumns) {
  for (const std::size_t features : {1u, 5u, 16u, 37u}) {
    const Dataset data = test::random_data({.lengths = {9}, .features = features});
    const DenseRows rows = dense_rows(data.query(0));
    for (const SimdLevel level : test::simd_levels()) {
      std::vector<float> low(features), high(features);
      column_ranges(rows, low, high, level);
      for (std::size_t j = 0; j < features; ++j) {
        std::vector<float> column;
        for (std::size_t i = 0; i < rows.rows; ++i) column.push_back(rows.data[i * rows.stride + j]);
        EXPECT_EQ(low[j], *std::min_element(column.begin(), column.end()));
        EXPECT_EQ(high[j], *std::max_element(column.begin(), column.end()));
      }
    }
  }
}

TEST(ScaleDoubles, LevelsAgreeOnStoredValues) {
  const Dataset data = test::random_data({.lengths = {11, 3}, .features = 9, .density = 0.5, .sparse = true});
  ASSERT_FALSE(data.dense());
  for (const ScalingKind kind : kEvery) {
    const Scaling scaling = fit_scaling(kind, data);
    for (std::size_t q = 0; q < 2; ++q) {
      ScaledStored first, other;
      scale_stored(scaling, data.query(q), first, SimdLevel::portable);
      EXPECT_EQ(first.values.size(), data.query(q).rows.num_stored());
      for (const SimdLevel level : test::simd_levels()) {
        scale_stored(scaling, data.query(q), other, level);
        EXPECT_EQ(other.values, first.values);
        EXPECT_EQ(other.zeros, first.zeros);
      }
    }
  }
}

}  // namespace
}  // namespace dorm
