// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "data/scale/scale_rows.h"
#include "dorm/error.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

using Table = std::vector<std::vector<float>>;

// Query "a" holds the first two rows, "b" the rest.
Dataset dense(const Table& rows) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < rows.size(); ++i)
    builder.add({.label = static_cast<float>(i), .query_id = i < 2 ? "a" : "b", .document_id = {}, .group = {}},
                rows[i]);
  return builder.finish();
}

void expect_rows(const Dataset& data, const std::vector<std::vector<double>>& want) {
  ASSERT_EQ(data.num_documents(), want.size());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      for (std::size_t j = 0; j < data.num_features(); ++j)
        EXPECT_NEAR(query.rows.at(i, j), want[query.first_document + i][j], 1e-6) << q << " " << i << " " << j;
  }
}

const Table kRows = {{1, 7, -1}, {3, 7, 0}, {5, 7, 3}, {7, 7, 8}};

TEST(Scale, ZscoreHasMeanZeroAndVarianceOne) {
  const Dataset data = dense(kRows);
  const Scaling scaling = fit_scaling(ScalingKind::zscore, data);
  EXPECT_DOUBLE_EQ(scaling.shift[0], 4);
  EXPECT_DOUBLE_EQ(scaling.factor[0], 1 / std::sqrt(5.0));  // (9 + 1 + 1 + 9) / 4
  EXPECT_EQ(scaling.factor[1], 0);
  const double r = 1 / std::sqrt(5.0),
               s = 1 / std::sqrt(12.25);  // mean 2.5, (12.25 + 6.25 + .25 + 30.25) / 4
  expect_rows(apply_scaling(scaling, data),
              {{-3 * r, 0, -3.5 * s}, {-r, 0, -2.5 * s}, {r, 0, .5 * s}, {3 * r, 0, 5.5 * s}});
}

TEST(Scale, MinmaxFillsTheUnitInterval) {
  const Dataset data = dense(kRows);
  expect_rows(apply_scaling(fit_scaling(ScalingKind::minmax, data), data),
              {{0, 0, 0}, {1. / 3, 0, 1. / 9}, {2. / 3, 0, 4. / 9}, {1, 0, 1}});
}

TEST(Scale, QueryMinmaxLooksAtOneQueryOnly) {
  const Dataset data = dense(kRows);
  const Scaling scaling = fit_scaling(ScalingKind::query_minmax, data);
  EXPECT_TRUE(scaling.per_query() && scaling.shift.empty());
  expect_rows(apply_scaling(scaling, data), {{0, 0, 0}, {1, 0, 1}, {0, 0, 0}, {1, 0, 1}});
}

TEST(Scale, LogarithmKeepsTheSign) {
  const float e = static_cast<float>(std::exp(1.0) - 1);
  const Dataset data = dense({{-e, 0, e}, {e, 0, e * e + 2 * e}, {-e, 0, e}, {e, 0, e}});
  expect_rows(apply_scaling(fit_scaling(ScalingKind::log_zscore, data), data), {{-1, 0, -1 / std::sqrt(3.0)},
                                                                                {1, 0, std::sqrt(3.0)},
                                                                                {-1, 0, -1 / std::sqrt(3.0)},
                                                                                {1, 0, -1 / std::sqrt(3.0)}});
  expect_rows(apply_scaling(fit_scaling(ScalingKind::log_query_zscore, data), data),
              {{-1, 0, -1}, {1, 0, 1}, {-1, 0, 0}, {1, 0, 0}});
}

TEST(Scale, LargeOffsetsLoseNoPrecision) {
  const Dataset data = dense({{16777200}, {16777202}, {16777204}, {16777206}});
  const Scaling scaling = fit_scaling(ScalingKind::zscore, data);
  EXPECT_DOUBLE_EQ(scaling.shift[0], 16777203);
  EXPECT_NEAR(scaling.factor[0], 1 / std::sqrt(5.0), 1e-12);
}

TEST(Scale, AConstantThatIsNoBinaryFractionBecomesZero) {
  const Dataset data = dense(Table(1000, {0.1f, 1e30f}));
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::minmax, ScalingKind::query_minmax,
                                 ScalingKind::log_zscore, ScalingKind::log_query_zscore}) {
    const Dataset scaled = apply_scaling(fit_scaling(kind, data), data);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(scaled.query(0).rows.at(i, j), 0);
  }
}

TEST(Scale, OtherDataOfTheSameFeaturesUsesTheFittedNumbers) {
  const Scaling scaling = fit_scaling(ScalingKind::minmax, dense(kRows));
  expect_rows(apply_scaling(scaling, dense({{13, 9, 17}, {1, 7, -10}})), {{2, 0, 2}, {0, 0, -1}});
  EXPECT_THROW(apply_scaling(scaling, dense({{1, 2}})), Error);
}

TEST(Scale, ValuesFarOutsideTheFittedRangeStayFinite) {
  const float tiny = std::numeric_limits<float>::denorm_min(), big = std::numeric_limits<float>::max();
  const Scaling scaling = fit_scaling(ScalingKind::minmax, dense({{0}, {tiny}}));
  const Dataset scaled = apply_scaling(scaling, dense({{big}, {-big}}));
  EXPECT_EQ(scaled.query(0).rows.at(0, 0), big);
  EXPECT_EQ(scaled.query(0).rows.at(1, 0), -big);
}

TEST(Scale, CompressedDataEqualsTheSameDataDenseAndStaysCompressed) {
  DatasetBuilder builder;
  Table rows(6, std::vector<float>(40, 0.0f));
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::vector<std::uint32_t> columns = {i / 2, 20, 38, 39};  // 20: a large offset in all documents
    const std::vector<float> values = {2.5f, 16777200.0f + 2 * static_cast<float>(i), i == 3 ? 0.0f : -1e-3f,
                                       static_cast<float>(i) - 2};
    for (std::size_t k = 0; k < 4; ++k) rows[i][columns[k]] = values[k];
    builder.add({.label = static_cast<float>(i), .query_id = i < 2 ? "a" : "b", .document_id = {}, .group = {}},
                SparseRow{columns, values});
  }
  const Dataset sparse = builder.finish();
  ASSERT_FALSE(sparse.dense());
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::minmax, ScalingKind::query_minmax,
                                 ScalingKind::log_zscore, ScalingKind::log_query_zscore}) {
    const Dataset a = apply_scaling(fit_scaling(kind, sparse), sparse);
    const Dataset b = apply_scaling(fit_scaling(kind, dense(rows)), dense(rows));
    ASSERT_FALSE(a.dense());
    EXPECT_LE(a.num_nonzeros(), 2 * sparse.num_nonzeros());
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t i = 0; i < a.query(q).size(); ++i)
        for (std::size_t j = 0; j < 40; ++j)
          EXPECT_NEAR(a.query(q).rows.at(i, j), b.query(q).rows.at(i, j), 1e-6) << q << " " << i << " " << j;
  }
}

TEST(Scale, KeepsLabelsIdsAndSelections) {
  const Dataset data = dense(kRows);
  const std::vector<std::size_t> picked = {1};
  const Dataset part = data.select(picked);
  const Dataset scaled = apply_scaling(fit_scaling(ScalingKind::minmax, part), part);
  ASSERT_EQ(scaled.num_queries(), 1u);
  EXPECT_EQ(scaled.query(0).id, "b");
  EXPECT_EQ(scaled.query(0).labels[1], 3);
  expect_rows(scaled, {{0, 0, 0}, {1, 0, 1}});
}

TEST(Scale, NoneReturnsTheDataAndAutoLooksAtTheRange) {
  const Dataset unit = dense({{0, 0.5}, {1, 0.25}}), wide = dense({{0, 0.5}, {1, 1.25}}), negative = dense({{-0.5f}});
  const Dataset same = apply_scaling(fit_scaling(ScalingKind::none, unit), unit);
  EXPECT_EQ(same.query(0).rows.dense_row(0), unit.query(0).rows.dense_row(0));
  EXPECT_EQ(choose_scaling(unit), ScalingKind::none);
  EXPECT_EQ(choose_scaling(wide), ScalingKind::log_query_zscore);
  EXPECT_EQ(choose_scaling(negative), ScalingKind::log_query_zscore);
  DatasetBuilder builder;
  for (int q = 0; q < 50; ++q) builder.add({0, std::to_string(q)}, std::vector<float>{0.5f, q < 49 ? 1.0f : 1.5f});
  const Dataset last = builder.finish();
  for (const std::size_t threads : {1, 2, 3, 7}) {
    EXPECT_EQ(choose_scaling(last, threads), ScalingKind::log_query_zscore);
    EXPECT_EQ(choose_scaling(unit, threads), ScalingKind::none);
  }
}

// A number for each place, columns of many kinds: small, constant, nearly constant and large, of either sign, extreme.
float value_of(std::size_t i, std::size_t j) {
  Rng rng(1000 * i + j + 1);
  const auto x = static_cast<float>(std::exp(3 * rng.normal()));
  switch (j % 9) {
    case 0:
      return 1e6f + static_cast<float>(rng.below(3));
    case 1:
      return 0.1f;
    case 2:
      return -x;
    case 3:
      return rng.below(2) == 0 ? x : -x;
    case 4:
      return static_cast<float>(rng.below(4));
    case 5:
      return 1e-41f * static_cast<float>(rng.below(1000));
    case 6:
      return rng.below(2) == 0 ? std::numeric_limits<float>::max() : -1;
    case 7:
      return -3e7f - 4 * static_cast<float>(rng.below(9));
    default:
      return x;
  }
}

// By the definition, in double, from libm.
std::vector<double> slowly_scaled(std::vector<double> x, bool range, bool logarithm) {
  for (double& value : x)
    if (logarithm) value = std::copysign(std::log1p(std::fabs(value)), value);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double least = *low, width = *high - *low, documents = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double value : x) mean += (value - least) / documents;
  for (const double value : x) squares += (value - least - mean) * (value - least - mean) / documents;
  for (double& value : x)
    value = width == 0 ? 0 : range ? (value - least) / width : (value - least - mean) / std::sqrt(squares);
  return x;
}

TEST(ScaleRows, IsTheDefinitionInAnyNumberOfColumnsAndOnEveryLevel) {
  for (const ScalingKind kind : {ScalingKind::query_minmax, ScalingKind::log_query_zscore})
    for (const std::size_t columns : {1, 2, 3, 4, 7, 9, 16, 19, 45})
      for (const std::size_t rows : {1, 2, 37}) {
        const std::size_t stride = columns + 3;
        std::vector<float> x(rows * stride), out(rows * stride);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) x[i * stride + j] = value_of(i, j);
        scale_rows({kind, {}, {}}, {x.data(), rows, columns, stride}, out.data(), stride, SimdLevel::portable);
        for (std::size_t j = 0; j < columns; ++j) {
          std::vector<double> column;
          for (std::size_t i = 0; i < rows; ++i) column.push_back(x[i * stride + j]);
          column = slowly_scaled(column, kind == ScalingKind::query_minmax, kind == ScalingKind::log_query_zscore);
          for (std::size_t i = 0; i < rows; ++i)
            EXPECT_NEAR(out[i * stride + j], column[i], 2e-6 * (1 + std::fabs(column[i]))) << j << " of " << columns;
        }
        for (const SimdLevel level : test::simd_levels()) {
          std::vector<float> other(out.size());
          scale_rows({kind, {}, {}}, {x.data(), rows, columns, stride}, other.data(), stride, level);
          EXPECT_EQ(other, out) << columns;
        }
      }
}

TEST(ScaleRows, WhatIsNotedOfAQueryScalesItAgainToTheSameBits) {
  constexpr std::size_t kColumns = 45, kCount = 37;
  const Scaling scaling{ScalingKind::log_query_zscore, {}, {}};
  ASSERT_EQ(num_scale_numbers(scaling, 3), 0u);
  ASSERT_EQ(num_scale_numbers({ScalingKind::query_minmax, {}, {}}, kColumns), 0u);
  std::vector<float> x, want(kCount * kColumns), numbers(num_scale_numbers(scaling, kColumns));
  for (std::size_t i = 0; i < want.size(); ++i) x.push_back(value_of(i / kColumns, i % kColumns));
  const DenseRows rows = {x.data(), kCount, kColumns, kColumns};
  scale_rows(scaling, rows, want.data(), kColumns);
  for (const SimdLevel level : test::simd_levels()) {
    std::vector<float> noted(want.size()), again(want.size());
    scale_rows_noting(scaling, rows, noted.data(), kColumns, numbers.data(), level);
    scale_rows_again(scaling, rows, again.data(), kColumns, numbers.data(), level);
    EXPECT_EQ(noted, want);
    EXPECT_EQ(again, want);
  }
}

TEST(ScaleRows, GivenNumbersAreUsedOnEveryLevel) {
  constexpr std::size_t kColumns = 21, kCount = 5;
  std::vector<float> x, out(kCount * kColumns);
  for (std::size_t i = 0; i < kCount * kColumns; ++i) x.push_back(value_of(i / kColumns, i % kColumns));
  for (const ScalingKind kind : {ScalingKind::zscore, ScalingKind::log_zscore}) {
    Scaling scaling{kind, {}, {}};
    for (std::size_t j = 0; j < kColumns; ++j) {
      scaling.shift.push_back(0.25 * static_cast<double>(j));
      scaling.factor.push_back(1 / (1.0 + static_cast<double>(j)));
    }
    for (const SimdLevel level : test::simd_levels()) {
      scale_rows(scaling, {x.data(), kCount, kColumns, kColumns}, out.data(), kColumns, level);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto value = static_cast<double>(x[i]);
        const double f = kind == ScalingKind::zscore ? value : std::copysign(std::log1p(std::fabs(value)), value);
        const double want = (f - scaling.shift[i % kColumns]) * scaling.factor[i % kColumns];
        EXPECT_NEAR(out[i], want, 1e-7 * std::fabs(want)) << i;
      }
    }
  }
}

TEST(Scale, NeedsADocument) { EXPECT_THROW(fit_scaling(ScalingKind::zscore, Dataset()), Error); }

}  // namespace
}  // namespace dorm
