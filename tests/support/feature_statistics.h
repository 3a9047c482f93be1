// SPDX-License-Identifier: Apache-2.0
// Minimum, maximum and mean of features, read off one value at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dorm/dataset.h"

namespace dorm::test {

inline FeatureStatistics plain_statistics(const Dataset& data) {
  FeatureStatistics out;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    long double sum = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const Query query = data.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) {
        const auto x = static_cast<double>(query.rows.at(i, j));
        sum += static_cast<long double>(x);
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    out.minimum.push_back(low);
    out.maximum.push_back(high);
    out.mean.push_back(static_cast<double>(sum / static_cast<long double>(data.num_documents())));
  }
  return out;
}

inline void expect_statistics(const FeatureStatistics& found, const FeatureStatistics& want) {
  EXPECT_EQ(found.minimum, want.minimum);
  EXPECT_EQ(found.maximum, want.maximum);
  ASSERT_EQ(found.mean.size(), want.mean.size());
  for (std::size_t j = 0; j < want.mean.size(); ++j)
    EXPECT_NEAR(found.mean[j], want.mean[j], 1e-12 * std::max(std::fabs(want.minimum[j]), std::fabs(want.maximum[j])))
        << j;
}

}  // namespace dorm::test
