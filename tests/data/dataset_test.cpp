// SPDX-License-Identifier: Apache-2.0
#include "dorm/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/row_hash.h"
#include "dorm/error.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

// Five documents of three queries, the second query in two pieces.
Dataset small_set() {
  DatasetBuilder builder;
  builder.add({2, "a", "d0", "site"}, std::vector<float>{1, 2, 3});
  builder.add({1, "b", "d1"}, std::vector<float>{4, 5, 6});
  builder.add({0, "c", "d2", "other"}, std::vector<float>{7, 8, 9});
  builder.add({3, "b", "", "site"}, std::vector<float>{10, 0, 12});
  builder.add({4, "b", "d4"}, std::vector<float>{13, 14, 15});
  builder.set_query_weight("c", 2.5);
  return builder.finish();
}

TEST(Dataset, GathersTheDocumentsOfEachQuery) {
  const Dataset data = small_set();
  EXPECT_EQ(data.num_queries(), 3u);
  EXPECT_EQ(data.num_documents(), 5u);
  EXPECT_EQ(data.num_features(), 3u);
  const Query b = data.query(1);
  EXPECT_EQ(b.id, "b");
  EXPECT_EQ(b.first_document, 1u);
  EXPECT_EQ(std::vector<float>(b.labels.begin(), b.labels.end()), (std::vector<float>{1, 3, 4}));
  EXPECT_EQ(b.rows.at(1, 2), 12.0f);
  EXPECT_EQ(b.rows.at(1, 1), 0.0f);
  EXPECT_EQ(data.query(0).weight, 1.0);
  EXPECT_EQ(data.query(2).weight, 2.5);
}

TEST(Dataset, KnowsWhereEachDocumentCameFrom) {
  const Dataset data = small_set();
  const std::uint64_t expected[] = {0, 1, 3, 4, 2};
  const std::string_view ids[] = {"d0", "d1", "", "d4", "d2"};
  const std::string_view groups[] = {"site", "", "site", "", "other"};
  for (std::size_t d = 0; d < 5; ++d) {
    EXPECT_EQ(data.source_row(d), expected[d]);
    EXPECT_EQ(data.document_id(d), ids[d]);
    EXPECT_EQ(data.group(d), groups[d]);
  }
}

TEST(Dataset, DenseRowsAreAlignedAndPaddedWithZeros) {
  const Dataset data = small_set();
  ASSERT_TRUE(data.dense());
  const FeatureRows rows = data.query(1).rows;
  EXPECT_EQ(rows.stride() % 8, 0u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows.dense_row(i)) % 32, 0u);
    for (std::size_t j = rows.num_features(); j < rows.stride(); ++j) EXPECT_EQ(rows.dense_row(i)[j], 0.0f);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data.query(0).rows.dense_row(0)) % 64, 0u);
}

TEST(Dataset, IsCompressedWhenFewerThanAQuarterOfTheValuesAreNonzero) {
  for (const bool quarter : {true, false}) {
    DatasetBuilder builder;
    builder.add({1, "q"}, std::vector<float>{1, 0, 0, 0});
    builder.add({0, "q"}, std::vector<float>{0, 0, quarter ? 1.0f : 0.0f, 0});
    EXPECT_EQ(builder.finish().dense(), quarter);
  }
}

TEST(Dataset, CompressedRowsHoldTheNonzerosInOrder) {
  DatasetBuilder builder;
  const std::uint32_t columns[] = {90, 7, 40};
  const float values[] = {3, 1, 0};
  builder.add({1, "q"}, SparseRow{columns, values});
  builder.add({1, "q"}, SparseRow{});
  const Dataset data = builder.finish();
  ASSERT_FALSE(data.dense());
  EXPECT_EQ(data.num_features(), 91u);
  EXPECT_EQ(data.num_nonzeros(), 2u);
  const SparseRow row = data.query(0).rows.sparse_row(0);
  EXPECT_EQ(std::vector<std::uint32_t>(row.columns.begin(), row.columns.end()), (std::vector<std::uint32_t>{7, 90}));
  EXPECT_EQ(std::vector<float>(row.values.begin(), row.values.end()), (std::vector<float>{1, 3}));
  EXPECT_EQ(data.query(0).rows.at(0, 7), 1.0f);
  EXPECT_EQ(data.query(0).rows.at(0, 8), 0.0f);
  EXPECT_EQ(data.query(0).rows.sparse_row(1).columns.size(), 0u);
}

TEST(Dataset, SelectionSharesTheFeaturesAndKeepsTheGivenOrder) {
  const Dataset data = small_set();
  const std::size_t chosen[] = {2, 0};
  const Dataset part = data.select(chosen);
  EXPECT_EQ(part.num_queries(), 2u);
  EXPECT_EQ(part.num_documents(), 2u);
  EXPECT_EQ(part.query(0).id, "c");
  EXPECT_EQ(part.query(0).weight, 2.5);
  EXPECT_EQ(part.query(1).first_document, 1u);
  EXPECT_EQ(part.document_id(0), "d2");
  EXPECT_EQ(part.group(1), "site");
  EXPECT_EQ(part.source_row(0), 2u);
  EXPECT_EQ(part.query(0).rows.dense_row(0), data.query(2).rows.dense_row(0));
  const std::size_t again[] = {1};
  const Dataset smaller = part.select(again);
  EXPECT_EQ(smaller.query(0).id, "a");
  EXPECT_EQ(part.num_nonzeros(), 6u);
}

TEST(Dataset, SelectionOutsideTheSetIsRefused) {
  const std::size_t chosen[] = {3};
  EXPECT_THROW(small_set().select(chosen), Error);
}

TEST(Dataset, FingerprintChangesWithAnyPartOfTheContent) {
  const auto variant = [](int change) {
    DatasetBuilder builder;
    builder.add({change == 1 ? 1.0f : 2.0f, change == 2 ? "x" : "a", change == 3 ? "e" : "d", change == 4 ? "h" : "g"},
                std::vector<float>{1, change == 5 ? 0.0f : 2.0f, 3});
    if (change == 6) builder.set_query_weight("a", 3);
    if (change == 7) builder.set_feature_names({"p", "q", "r"});
    if (change == 8) builder.add({2, "a"}, std::vector<float>{0, 0, 0});
    return builder.finish().fingerprint();
  };
  std::set<std::uint64_t> seen;
  for (int change = 0; change <= 8; ++change) EXPECT_TRUE(seen.insert(variant(change)).second) << change;
  EXPECT_EQ(variant(0), variant(0));
}

TEST(Dataset, FingerprintSeesEveryValueItsSignItsColumnAndItsRow) {
  constexpr std::size_t kRows = 6, kColumns = 21;
  std::vector<std::vector<float>> rows(kRows, std::vector<float>(kColumns));
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) rows[i][j] = static_cast<float>(1 + i * kColumns + j);
  const auto fingerprint = [&rows](std::size_t threads = 1) {
    DatasetBuilder builder;
    for (std::size_t i = 0; i < kRows; ++i) builder.add({1, i < 3 ? "a" : "b"}, rows[i]);
    return builder.finish().fingerprint(threads);
  };
  std::set<std::uint64_t> seen = {fingerprint()};
  std::size_t variants = 1;
  const auto add = [&] {
    seen.insert(fingerprint());
    ++variants;
  };
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) {
      const float value = rows[i][j];
      for (const float other : {0.0f, -value, value + 1, std::nextafter(value, 0.0f)}) {
        rows[i][j] = other;
        add();
      }
      rows[i][j] = value;
      if (j > 0) {
        std::swap(rows[i][j], rows[i][j - 1]);
        add();
        std::swap(rows[i][j], rows[i][j - 1]);
      }
    }
  for (std::size_t i = 1; i < kRows; ++i) {
    std::swap(rows[i], rows[i - 1]);
    add();
    std::swap(rows[i], rows[i - 1]);
  }
  EXPECT_EQ(seen.size(), variants);
  EXPECT_EQ(fingerprint(3), fingerprint());
  const std::uint64_t before = (rows[2][5] = 0.0f, fingerprint());
  rows[2][5] = -0.0f;
  EXPECT_EQ(fingerprint(), before);
}

TEST(Dataset, RowsHashAlikeOnEveryLevel) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < 9; ++i) {
    std::vector<float> row(27, 0.0f);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = i % 3 == j % 4 ? 0.0f : 0.5f * static_cast<float>(i) - 2;
    builder.add({1, "a"}, row);
  }
  const Dataset data = builder.finish();
  ASSERT_TRUE(data.dense());
  const RowHash hash(data);
  for (std::size_t i = 0; i < 9; ++i)
    for (const SimdLevel level : test::simd_levels())
      EXPECT_EQ(hash.of(data.query(0).rows, i, level), hash.of(data.query(0).rows, i, SimdLevel::portable));
}

TEST(Dataset, FingerprintDoesNotDependOnTheForm) {
  DatasetBuilder builder;
  builder.add({1, "a"}, std::vector<float>{1, 2, 3, 4, 0, 0});
  for (int i = 0; i < 9; ++i) builder.add({0, "b"}, std::vector<float>{0, 0, 0, 0, 0, 0});
  const Dataset compressed = builder.finish();
  builder.add({1, "a"}, std::vector<float>{1, 2, 3, 4, 0, 0});
  const Dataset dense = builder.finish();
  const std::size_t first[] = {0};
  ASSERT_TRUE(dense.dense() && !compressed.dense());
  EXPECT_EQ(compressed.select(first).fingerprint(), dense.fingerprint());
}

TEST(Dataset, EmptySetHasNothing) {
  const Dataset data;
  EXPECT_EQ(data.num_queries(), 0u);
  EXPECT_EQ(data.num_documents(), 0u);
  EXPECT_EQ(data.num_nonzeros(), 0u);
}

}  // namespace
}  // namespace dorm
