// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "base/rng.h"
#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "support/message_of.h"

namespace dorm {
namespace {

struct ShardRow {
  std::string query, document, group;
  float label;
  std::vector<float> features;
};

struct ShardCase {
  bool sparse = false, documents = false, groups = false;
  std::size_t giant = 0;  // documents of one more query
};

// Rows with few different values, so that there are ties in label and features, and some documents twice.
std::vector<ShardRow> rows_of(const ShardCase& options) {
  Rng rng(7);
  std::vector<ShardRow> rows;
  const auto add = [&](const std::string& query, std::size_t i) {
    ShardRow row{query, "", "", static_cast<float>(rng.below(3)), {}};
    if (options.documents) row.document = "d" + std::to_string(i / 2);
    if (options.groups && rng.below(3) != 0) row.group = std::string(1, static_cast<char>('z' - rng.below(4)));
    for (std::size_t j = 0; j < 6; ++j) row.features.push_back(static_cast<float>(rng.below(3)) - 1.0f);
    rows.push_back(row);
    if (i % 5 == 0) rows.push_back(row);
  };
  for (const char* query : {"10", "9", "zürich", "a query", "", "1", "Z"})
    for (std::size_t i = 0; *query != '\0' && i < 12; ++i) add(query, i);
  for (std::size_t i = 0; i < options.giant; ++i) add("giant", i);
  return rows;
}

Dataset built(const std::vector<ShardRow>& rows, const ShardCase& options) {
  DatasetBuilder builder;
  for (const ShardRow& row : rows) {
    const DatasetBuilder::Document document{row.label, row.query, row.document, row.group};
    if (!options.sparse) {
      builder.add(document, row.features);
      continue;
    }
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    for (std::uint32_t j = 0; j < row.features.size(); ++j)
      if (row.features[j] != 0) columns.push_back(j), values.push_back(row.features[j]);
    columns.push_back(500);  // too wide to be stored dense
    values.push_back(1);
    builder.add(document, SparseRow{columns, values});
  }
  builder.set_query_weight("9", 2.5);
  return builder.finish();
}

std::vector<ShardRow> shuffled(std::vector<ShardRow> rows, std::uint64_t seed) {
  Rng rng(seed);
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
  return rows;
}

// Everything but where it came from, bit for bit.
void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  ASSERT_EQ(a.num_documents(), b.num_documents());
  ASSERT_EQ(a.num_features(), b.num_features());
  std::vector<float> left(a.num_features()), right(a.num_features());
  for (std::size_t q = 0; q < a.num_queries(); ++q) {
    const Query x = a.query(q), y = b.query(q);
    EXPECT_EQ(x.id, y.id);
    EXPECT_EQ(x.weight, y.weight);
    EXPECT_TRUE(std::ranges::equal(x.labels, y.labels));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x.rows.load(i, left), y.rows.load(i, right);
      EXPECT_EQ(left, right) << q << ' ' << i;
      EXPECT_EQ(a.document_id(x.first_document + i), b.document_id(y.first_document + i));
      EXPECT_EQ(a.group(x.first_document + i), b.group(y.first_document + i));
    }
  }
}

const float* first_value(const Dataset& data) {
  const Query query = data.query(0);
  return query.rows.dense() ? query.rows.dense_row(0) : query.rows.sparse_row(0).values.data();
}

class CanonicalOrder : public testing::TestWithParam<ShardCase> {};

TEST_P(CanonicalOrder, IsThatOfAnyShuffle) {
  const std::vector<ShardRow> rows = rows_of(GetParam());
  const Dataset ordered = in_canonical_order(built(rows, GetParam()));
  ASSERT_EQ(ordered.dense(), !GetParam().sparse);
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    expect_same(in_canonical_order(built(shuffled(rows, seed), GetParam()), seed), ordered);
}

TEST_P(CanonicalOrder, SortsByIdFeaturesAndLabel) {
  const Dataset data = in_canonical_order(built(rows_of(GetParam()), GetParam()));
  std::vector<float> before(data.num_features()), now(data.num_features());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    EXPECT_TRUE(q == 0 || data.query(q - 1).id < query.id);
    for (std::size_t i = 1; i < query.size(); ++i) {
      const std::size_t d = query.first_document + i;
      query.rows.load(i - 1, before), query.rows.load(i, now);
      const std::tuple was(data.document_id(d - 1), before, query.labels[i - 1], data.group(d - 1));
      EXPECT_LE(was, std::tuple(data.document_id(d), now, query.labels[i], data.group(d)));
    }
  }
}

TEST_P(CanonicalOrder, RemembersWhereDocumentsStood) {
  const std::vector<ShardRow> rows = shuffled(rows_of(GetParam()), 5);
  std::set<std::uint64_t> seen;
  for (const Dataset& shard : split_into_shards(built(rows, GetParam()), 3))
    for (std::size_t q = 0; q < shard.num_queries(); ++q) {
      const Query query = shard.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) {
        const ShardRow& row = rows[shard.source_row(query.first_document + i)];
        seen.insert(shard.source_row(query.first_document + i));
        EXPECT_EQ(row.query, query.id);
        EXPECT_EQ(row.document, shard.document_id(query.first_document + i));
        EXPECT_EQ(row.group, shard.group(query.first_document + i));
        for (std::size_t j = 0; j < row.features.size() && query.rows.dense(); ++j)
          EXPECT_EQ(row.features[j], query.rows.at(i, j));
      }
    }
  EXPECT_EQ(seen.size(), rows.size());
}

TEST_P(CanonicalOrder, SharesFeaturesThatStandInOrder) {
  const Dataset ordered = in_canonical_order(built(rows_of(GetParam()), GetParam()));
  EXPECT_EQ(first_value(in_canonical_order(ordered)), first_value(ordered));
  const std::vector<Dataset> shards = split_into_shards(ordered, 1);
  EXPECT_EQ(first_value(shards[0]), first_value(ordered));
  std::vector<std::size_t> backwards;
  for (std::size_t q = ordered.num_queries(); q > 0; --q) backwards.push_back(q - 1);
  const Dataset again = in_canonical_order(ordered.select(backwards));
  EXPECT_EQ(first_value(again), first_value(ordered));
  expect_same(again, ordered);
}

TEST_P(CanonicalOrder, ShardsAreThoseOfAnyShuffle) {
  const std::vector<ShardRow> rows = rows_of(GetParam());
  const std::vector<Dataset> shards = split_into_shards(built(rows, GetParam()), 5, 2);
  const std::vector<Dataset> others = split_into_shards(built(shuffled(rows, 3), GetParam()), 5);
  ASSERT_EQ(shards.size(), 5u);
  std::size_t documents = 0, empty = 0;
  for (std::uint32_t s = 0; s < 5; ++s) {
    expect_same(shards[s], others[s]);
    EXPECT_EQ(shards[s].has_document_ids(), GetParam().documents);
    documents += shards[s].num_documents();
    empty += shards[s].num_queries() == 0;
    for (std::size_t q = 0; q < shards[s].num_queries(); ++q) EXPECT_EQ(shard_of(shards[s].query(q).id, 5), s);
  }
  EXPECT_EQ(documents, rows.size());
  EXPECT_LT(empty, 5u);
}

INSTANTIATE_TEST_SUITE_P(Shards, CanonicalOrder,
                         testing::Values(ShardCase{}, ShardCase{.documents = true}, ShardCase{.groups = true},
                                         ShardCase{.sparse = true}, ShardCase{.sparse = true, .groups = true},
                                         ShardCase{.documents = true, .groups = true, .giant = 3000},
                                         ShardCase{.sparse = true, .documents = true, .giant = 3000}));

TEST(CanonicalOrder, IsTheSameForDenseAndCompressedRows) {
  const std::vector<ShardRow> rows = rows_of({});
  const Dataset dense = in_canonical_order(built(rows, {})), sparse = in_canonical_order(built(rows, {.sparse = true}));
  for (std::size_t d = 0; d < rows.size(); ++d) EXPECT_EQ(dense.source_row(d), sparse.source_row(d));
}

TEST(CanonicalOrder, OfNothingIsNothing) {
  EXPECT_EQ(in_canonical_order(Dataset()).num_queries(), 0u);
  for (const Dataset& shard : split_into_shards(Dataset(), 2)) EXPECT_EQ(shard.num_queries(), 0u);
}

TEST(ShardOf, EmptyShardsKnowTheFeatures) {
  const std::vector<Dataset> shards = split_into_shards(built(rows_of({}), {}), 64);
  for (const Dataset& shard : shards) EXPECT_EQ(shard.num_features(), 6u);
}

// XXH3 of 64 bits, worked out from its specification for texts of at most 16 bytes; that of the empty text is published
// with it: 2d06800538d394c2.
TEST(ShardOf, IsFixedForever) {
  struct Known {
    const char* id;
    std::uint32_t of_64, of_256, of_1000;
  };
  for (const Known& known :
       {Known{"", 2, 194, 138}, Known{"1", 24, 88, 464}, Known{"10", 50, 50, 122}, Known{"q17", 28, 92, 628},
        Known{"q-2048", 51, 179, 843}, Known{"http://x.org/a", 38, 38, 886}}) {
    EXPECT_EQ(shard_of(known.id, 1), 0u);
    EXPECT_EQ(shard_of(known.id, 64), known.of_64) << known.id;
    EXPECT_EQ(shard_of(known.id, 256), known.of_256) << known.id;
    EXPECT_EQ(shard_of(known.id, 1000), known.of_1000) << known.id;
  }
  EXPECT_EQ(shard_of("1", std::size_t{1} << 31), 0x0f98f158u);
}

// The number of ids in a shard is binomial: 1,562.5 with a standard deviation of 39.2.
TEST(ShardOf, SpreadsIdsThatAreAlike) {
  for (const char* prefix : {"", "query-"}) {
    std::vector<int> count(64, 0);
    for (int id = 0; id < 100000; ++id) ++count[shard_of(prefix + std::to_string(id), 64)];
    for (const int n : count) EXPECT_NEAR(n, 1562.5, 4.5 * 39.2);
  }
}

TEST(ShardOf, RefusesNumbersOfShardsThatMakeNoSense) {
  const std::string message = test::message_of([] { shard_of("1", 0); }, ErrorCode::bad_option);
  EXPECT_EQ(message, "expected a number of shards from 1 to 4294967295");
  EXPECT_EQ(test::message_of([] { split_into_shards(built(rows_of({}), {}), 0); }), message);
}

}  // namespace
}  // namespace dorm
