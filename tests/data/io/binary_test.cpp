// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/binary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "base/checksum.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/packed_rows.h"
#include "support/source_dir.h"

namespace dorm {
namespace {

using Blob = std::vector<std::byte>;

Dataset dense_data() {
  DatasetBuilder builder;
  for (int d = 0; d < 9; ++d) {
    const std::vector<float> row = {0.5f * static_cast<float>(d), -1.0f, 3.25f};
    builder.add({.label = static_cast<float>(d % 3),
                 .query_id = d % 2 == 0 ? "first" : "second",
                 .document_id = "doc" + std::to_string(d),
                 .group = d % 4 == 3   ? ""
                          : d % 4 == 0 ? "a.example"
                                       : "b.example"},
                row);
  }
  builder.set_feature_names({"bm25", "age", "length"});
  builder.set_query_weight("second", 2.5);
  return builder.finish();
}

Dataset sparse_data() {
  DatasetBuilder builder;
  for (int d = 0; d < 30; ++d) {
    const std::vector<std::uint32_t> columns = {static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(900 + d)};
    const std::vector<float> values = {1.5f, static_cast<float>(d) - 40};
    const std::size_t used = d % 3 == 0 ? 0 : 2;
    builder.add({.label = static_cast<float>(d % 2), .query_id = std::to_string(d / 7)},
                SparseRow{std::span(columns).first(used), std::span(values).first(used)});
  }
  return builder.finish();
}

Blob written(const Dataset& data) {
  std::ostringstream out;
  write_binary(data, out);
  const std::string text = out.str();
  Blob blob(text.size());
  std::memcpy(blob.data(), text.data(), text.size());
  return blob;
}

void expect_equal(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.num_queries(), b.num_queries());
  ASSERT_EQ(a.num_documents(), b.num_documents());
  ASSERT_EQ(a.num_features(), b.num_features());
  EXPECT_EQ(a.dense(), b.dense());
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  for (std::size_t q = 0; q < a.num_queries(); ++q) {
    const Query x = a.query(q), y = b.query(q);
    EXPECT_EQ(x.id, y.id);
    EXPECT_EQ(x.weight, y.weight);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x.labels[i], y.labels[i]);
      for (std::size_t j = 0; j < a.num_features(); ++j) EXPECT_EQ(x.rows.at(i, j), y.rows.at(i, j));
    }
  }
  for (std::size_t d = 0; d < a.num_documents(); ++d) {
    EXPECT_EQ(a.document_id(d), b.document_id(d));
    EXPECT_EQ(a.group(d), b.group(d));
  }
  for (std::size_t j = 0; j < a.num_features(); ++j) EXPECT_EQ(a.feature_name(j), b.feature_name(j));
}

/// Changes a header and signs it again, as someone would who wants to be believed.
Blob forged(Blob blob, const std::function<void(BinaryHeader&, std::span<SectionEntry>)>& change) {
  BinaryHeader header;
  std::memcpy(&header, blob.data(), sizeof header);
  std::vector<SectionEntry> table(header.num_sections);
  const std::size_t table_bytes = table.size() * sizeof(SectionEntry);
  std::memcpy(table.data(), blob.data() + sizeof header, table_bytes);
  change(header, table);
  header.checksum = 0;
  Checksum sum;
  sum.update(std::as_bytes(std::span(&header, 1)));
  sum.update(std::as_bytes(std::span(table)));
  header.checksum = sum.value();
  std::memcpy(blob.data(), &header, sizeof header);
  std::memcpy(blob.data() + sizeof header, table.data(), table_bytes);
  return blob;
}

/// Overwrites element `index` of a section and signs everything again.
template <class T>
Blob forged_element(Blob blob, SectionId id, std::size_t index, T value) {
  std::uint64_t sum = 0;
  const auto each_entry = [&](const auto& visit) {
    return forged(blob, [&](BinaryHeader&, std::span<SectionEntry> table) {
      for (SectionEntry& entry : table)
        if (entry.id == static_cast<std::uint32_t>(id)) visit(entry);
    });
  };
  each_entry([&](const SectionEntry& entry) {
    std::memcpy(blob.data() + entry.offset + index * sizeof(T), &value, sizeof value);
    sum = checksum(std::span(blob).subspan(entry.offset, entry.bytes));
  });
  return each_entry([&](SectionEntry& entry) { entry.checksum = sum; });
}

std::string complaint(const Blob& blob, bool verify = true) {
  return test::message_of([&] { parse_binary(blob, "x.dorm", verify); });
}

TEST(Binary, DenseDataComesBackWhole) {
  const Dataset data = dense_data();
  const Dataset back = parse_binary(written(data), "x.dorm");
  expect_equal(data, back);
  for (std::size_t d = 0; d < data.num_documents(); ++d) EXPECT_EQ(data.source_row(d), back.source_row(d));
  EXPECT_TRUE(back.has_groups() && back.has_document_ids() && back.has_feature_names());
}

TEST(Binary, RowsWithoutPaddingAreWrittenLikePaddedOnes) {
  std::ostringstream padded, packed;
  write_binary(dense_data(), padded);
  write_binary(test::packed_rows(dense_data()), packed);
  EXPECT_EQ(packed.str(), padded.str());
}

TEST(Binary, CompressedDataComesBackWhole) {
  const Dataset data = sparse_data();
  ASSERT_FALSE(data.dense());
  expect_equal(data, parse_binary(written(data), "x.dorm"));
}

TEST(Binary, ASelectionIsWrittenAsAFileOfItsOwn) {
  for (const Dataset& whole : {dense_data(), sparse_data()}) {
    const std::vector<std::size_t> picked = {whole.num_queries() - 1, 0};
    const Dataset part = whole.select(picked);
    const Dataset back = parse_binary(written(part), "x.dorm");
    expect_equal(part, back);
    std::vector<bool> rows(back.num_documents(), false);
    for (std::size_t d = 0; d < rows.size(); ++d) rows.at(back.source_row(d)) = true;
    EXPECT_EQ(std::count(rows.begin(), rows.end(), true), static_cast<std::ptrdiff_t>(rows.size()));
  }
}

TEST(Binary, AnEmptyDatasetComesBackEmpty) {
  EXPECT_EQ(parse_binary(written(Dataset()), "x.dorm").num_documents(), 0u);
}

TEST(Binary, WritingTwiceGivesTheSameBytes) {
  const Blob once = written(sparse_data());
  EXPECT_EQ(written(parse_binary(once, "x.dorm")), once);
}

TEST(Binary, AMappedFileIsUsedInPlaceAndOutlivesTheFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "mapped.dorm";
  std::ofstream file(path, std::ios::binary);
  write_binary(dense_data(), file);
  file.close();
  const Dataset back = read_binary(path.string());
  std::filesystem::remove(path);
  expect_equal(dense_data(), back);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(back.query(0).rows.dense_row(0)) % kSectionAlignment, 0u);
}

TEST(Binary, EveryFlippedByteIsRefused) {
  for (const Dataset& data : {dense_data(), sparse_data()}) {
    Blob blob = written(data);
    for (std::byte& byte : blob) {
      byte ^= std::byte{0x5A};
      EXPECT_THROW(parse_binary(blob, "x.dorm"), Error) << "byte " << &byte - blob.data();
      byte ^= std::byte{0x5A};
    }
    EXPECT_NO_THROW(parse_binary(blob, "x.dorm"));
  }
}

TEST(Binary, EveryTruncationIsRefused) {
  const Blob whole = written(dense_data());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string said = complaint(Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_NE(said.find("truncated"), std::string::npos) << length << ": " << said;
  }
  Blob longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_THROW(parse_binary(longer, "x.dorm"), Error);
}

TEST(Binary, SaysWhatToDoWithOtherVersionsAndForeignFiles) {
  const Blob blob = written(dense_data());
  const auto with = [&](auto change) {
    return forged(blob, [&](BinaryHeader& h, std::span<SectionEntry>) { change(h); });
  };
  EXPECT_NE(complaint(with([](BinaryHeader& h) { h.major = kBinaryMajor + 1; })).find("expected version"),
            std::string::npos);
  EXPECT_NE(complaint(with([](BinaryHeader& h) { h.byte_order = 0x04030201; })).find("byte order"), std::string::npos);
  EXPECT_NO_THROW(parse_binary(with([](BinaryHeader& h) { h.minor = 9; }), "x.dorm"));
  Blob text(200, std::byte{'1'});
  EXPECT_NE(complaint(text).find("x.dorm: not in the binary form"), std::string::npos);
}

TEST(Binary, UnknownSectionsAreIgnoredButKnownOnesAreNeeded) {
  const Blob blob = written(dense_data());
  const auto renamed = [&](SectionId id) {
    return parse_binary(forged(blob,
                               [&](BinaryHeader&, std::span<SectionEntry> table) {
                                 for (SectionEntry& entry : table)
                                   if (entry.id == static_cast<std::uint32_t>(id)) entry.id = 4711;
                               }),
                        "x.dorm");
  };
  EXPECT_NO_THROW(renamed(SectionId::query_weights));
  EXPECT_THROW(renamed(SectionId::labels), Error);
  EXPECT_THROW(renamed(SectionId::document_id_end), Error);
}

TEST(Binary, HugeCountsAreRefusedBeforeAnythingIsAllocated) {
  const std::uint64_t huge = std::uint64_t{1} << 62;
  using Change = std::function<void(BinaryHeader&, std::span<SectionEntry>)>;
  const std::vector<Change> changes = {
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_documents = huge; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_queries = huge; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_features = huge; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.stride = huge; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_values = huge; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_documents = h.num_queries = 1u << 31; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.num_values = h.num_documents = 0; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.first_feature_id = 7; },
      [&](BinaryHeader& h, std::span<SectionEntry>) { h.dense = 0; },
      [&](BinaryHeader&, std::span<SectionEntry> t) { t[0].bytes = huge; },
      [&](BinaryHeader&, std::span<SectionEntry> t) { t[1].offset = std::numeric_limits<std::uint64_t>::max() - 63; },
      [&](BinaryHeader&, std::span<SectionEntry> t) { t[1].offset = t[0].offset; },
      [&](BinaryHeader&, std::span<SectionEntry> t) { t[1].id = t[0].id; },
  };
  for (const Dataset& data : {dense_data(), sparse_data()})
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (!data.dense() && i == 8) continue;  // nothing changes
      for (const bool verify : {true, false})
        EXPECT_THROW(parse_binary(forged(written(data), changes[i]), "x.dorm", verify), Error) << "change " << i;
    }
  Blob many = written(dense_data());
  const std::uint32_t sections = 0xFFFFFFFF;
  std::memcpy(many.data() + offsetof(BinaryHeader, num_sections), &sections, sizeof sections);
  EXPECT_NE(complaint(many).find("sections do not fit"), std::string::npos);
}

TEST(Binary, ContentThatBreaksTheContractIsRefusedEvenWhenSigned) {
  const Blob dense = written(dense_data()), sparse = written(sparse_data());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<std::string, Blob>> cases = {
      {"label", forged_element(dense, SectionId::labels, 1, nan)},
      {"feature value", forged_element(dense, SectionId::values, 2, nan)},
      {"padding", forged_element(dense, SectionId::values, 5, 1.0f)},
      {"weight", forged_element(dense, SectionId::query_weights, 0, -1.0)},
      {"group", forged_element(dense, SectionId::group_of, 3, std::uint32_t{3})},
      {"source rows", forged_element(dense, SectionId::source_rows, 0, std::uint64_t{9})},
      {"source rows", forged_element(dense, SectionId::source_rows, 0, std::uint64_t{1})},
      {"queries", forged_element(dense, SectionId::query_end, 0, std::uint64_t{0})},
      {"queries", forged_element(dense, SectionId::query_end, 0, std::uint64_t{10})},
      {"queries", forged_element(dense, SectionId::query_end, 1, std::uint64_t{8})},
      {"document ids", forged_element(dense, SectionId::document_id_end, 4, ~std::uint64_t{0})},
      {"feature names", forged_element(dense, SectionId::feature_name_end, 2, std::uint64_t{1})},
      {"columns", forged_element(sparse, SectionId::columns, 0, std::uint32_t{2000000})},
      {"columns", forged_element(sparse, SectionId::columns, 1, std::uint32_t{0})},
      {"rows", forged_element(sparse, SectionId::row_end, 2, std::uint64_t{1})},
  };
  for (const auto& [word, blob] : cases) {
    const std::string said = complaint(blob);
    EXPECT_NE(said.find(word), std::string::npos) << word << ": " << said;
    EXPECT_EQ(said.find("checksum"), std::string::npos) << said;
  }
}

// Long enough for seven threads to be worth it.
TEST(Binary, EveryNumberOfThreadsSeesTheSameDamage) {
  const std::size_t features = 128, documents = 30000;
  DatasetBuilder builder;
  std::vector<float> row(features);
  for (std::size_t d = 0; d < documents; ++d) {
    for (std::size_t j = 0; j < features; ++j) row[j] = static_cast<float>(d * j + 1);
    builder.add({.label = 0, .query_id = std::to_string(d / 100)}, row);
  }
  const Dataset data = builder.finish();
  const Blob whole = written(data);
  const float infinite = std::numeric_limits<float>::infinity();
  const std::size_t last = documents * features - 1;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    const auto said = [&](const Blob& blob) {
      return test::message_of([&] { parse_binary(blob, "x.dorm", true, threads); });
    };
    EXPECT_EQ(parse_binary(whole, "x.dorm", true, threads).fingerprint(), data.fingerprint());
    EXPECT_NE(said(forged_element(whole, SectionId::values, last, infinite)).find("not finite"), std::string::npos);
    Blob damaged = whole;
    damaged[whole.size() / 3] ^= std::byte{1};
    EXPECT_NE(said(damaged).find("section 1 does not match its checksum"), std::string::npos);
  }
}

TEST(Binary, MissingFilesAndDirectoriesAreInputOutputErrors) {
  for (const std::string& path : {std::string("/no/such/file.dorm"), testing::TempDir()}) {
    const Error error = test::error_of([&] { read_binary(path); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.position().file, path);
  }
}

TEST(Binary, AnotherVersionIsRefused) {
  const std::string file = test::source_dir() + "/tests/data/io/version1/dense.dorm";  // as dorm 0.1.0 wrote it
  const std::string message = test::message_of([&] { read_dataset(file); });
  EXPECT_NE(message.find("found version 1.0 of the binary form; expected version 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm
