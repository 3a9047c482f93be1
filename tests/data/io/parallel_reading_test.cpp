// SPDX-License-Identifier: Apache-2.0
// Files of many chunks, however they are stored and by however many threads they are read. The truth is what the
// rows were made of.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::TemporaryDirectory;

struct WrittenRow {
  float label;
  std::string query, document;
  std::vector<std::pair<std::uint32_t, float>> features;
  std::string before;  // lines before it
};

/// A file of `rows` rows, each as `make` has it.
struct ManyRows {
  const char* name;
  std::size_t rows;
  WrittenRow (*make)(std::size_t row, std::size_t rows, Rng& rng);
};

WrittenRow row_of(std::size_t query, std::uint32_t first, std::uint32_t features, Rng& rng) {
  WrittenRow row{static_cast<float>(rng.below(5)), fmt::format("q{}", query), "", {}, ""};
  for (std::uint32_t j = 0; j < features; ++j)
    row.features.emplace_back(first + j, static_cast<float>(1 + rng.below(999)) / 8);
  return row;
}

const ManyRows kCases[] = {
    {"full", 12000, [](std::size_t row, std::size_t, Rng& rng) { return row_of(row / 40, 1, 24, rng); }},
    {"scattered", 12000, [](std::size_t row, std::size_t, Rng& rng) { return row_of(row * 7 % 331, 1, 24, rng); }},
    {"scattered_late", 12000,
     [](std::size_t row, std::size_t rows, Rng& rng) { return row_of(row + 1 == rows ? 0 : row / 40, 1, 24, rng); }},
    {"wider_late", 12000,
     [](std::size_t row, std::size_t rows, Rng& rng) { return row_of(row / 40, 1, row + 100 > rows ? 33 : 23, rng); }},
    {"from_zero_late", 12000,
     [](std::size_t row, std::size_t rows, Rng& rng) { return row_of(row / 40, row + 3000 > rows ? 0 : 1, 23, rng); }},
    {"sparse_late", 60000,
     [](std::size_t row, std::size_t rows, Rng& rng) {
       return row < rows / 20 ? row_of(row / 40, 1, 40, rng)
                              : row_of(row / 40, static_cast<std::uint32_t>(1 + rng.below(38)), 3, rng);
     }},
    {"sparse", 40000,
     [](std::size_t row, std::size_t, Rng& rng) {
       return row_of(row / 40, static_cast<std::uint32_t>(rng.below(90)), 4, rng);
     }},
    {"short_rows_late", 40000,
     [](std::size_t row, std::size_t rows, Rng& rng) {
       WrittenRow out = row_of(row / 40, 1, 6, rng);
       if (row < rows / 10) out.document = std::string(300, 'x');
       return out;
     }},
    {"comments_and_documents", 12000,
     [](std::size_t row, std::size_t, Rng& rng) {
       WrittenRow out = row_of(row / 40, 1, 20, rng);
       if (row % 5 == 0) out.before = row % 3 == 0 ? "\r\n" : "# a line without a document\n\n";
       if (row % 2 == 0) out.document = fmt::format("d{}", row);
       return out;
     }},
    {"long_lines", 9000,
     [](std::size_t row, std::size_t, Rng& rng) {
       WrittenRow out = row_of(row / 40, 1, 24, rng);
       if (row % 3000 == 1000) out.document = std::string(900'000, 'x');
       return out;
     }},
};

std::vector<WrittenRow> rows_of_case(const ManyRows& each) {
  Rng rng(7);
  std::vector<WrittenRow> rows;
  for (std::size_t row = 0; row < each.rows; ++row) rows.push_back(each.make(row, each.rows, rng));
  return rows;
}

std::string text_of(const std::vector<WrittenRow>& rows) {
  std::string text;
  for (const WrittenRow& row : rows) {
    text += row.before;
    text += fmt::format("{} qid:{}", row.label, row.query);
    for (const auto& [id, value] : row.features) text += fmt::format(" {}:{}", id, value);
    if (!row.document.empty()) text += fmt::format(" # docid = {}", row.document);
    text += '\n';
  }
  return text;
}

void expect_rows(const Dataset& data, const std::vector<WrittenRow>& rows) {
  std::map<std::string, std::vector<std::size_t>> of_query;
  std::vector<std::string> order;  // queries as they first appear
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!of_query.contains(rows[row].query)) order.push_back(rows[row].query);
    of_query[rows[row].query].push_back(row);
  }
  ASSERT_EQ(data.num_queries(), order.size());
  ASSERT_EQ(data.num_documents(), rows.size());
  std::vector<float> found(data.num_features()), expected(data.num_features());
  for (std::size_t q = 0; q < order.size(); ++q) {
    const Query query = data.query(q);
    ASSERT_EQ(query.id, order[q]);
    ASSERT_EQ(query.size(), of_query[order[q]].size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      const WrittenRow& row = rows[of_query[order[q]][i]];
      const std::size_t document = query.first_document + i;
      ASSERT_EQ(data.source_row(document), of_query[order[q]][i]);
      ASSERT_EQ(query.labels[i], row.label);
      ASSERT_EQ(data.has_document_ids() ? data.document_id(document) : "", row.document);
      std::fill(expected.begin(), expected.end(), 0.0f);
      for (const auto& [id, value] : row.features) expected.at(id - data.first_feature_id()) = value;
      query.rows.load(i, found);
      ASSERT_EQ(found, expected) << "row " << of_query[order[q]][i];
    }
  }
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd_frame(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

/// The text in five pieces, which end anywhere, one behind the other.
std::string in_pieces(std::string_view text, std::string (*packed)(std::string_view)) {
  std::string out;
  for (std::size_t k = 0; k < 5; ++k) {
    const std::size_t begin = text.size() * k / 5, end = text.size() * (k + 1) / 5;
    out += packed(text.substr(begin, end - begin));
  }
  return out;
}

constexpr std::size_t kThreads[] = {1, 2, 3, 8};

class ParallelReading : public testing::TestWithParam<ManyRows> {};

TEST_P(ParallelReading, GivesTheRowsThatWereWritten) {
  const std::vector<WrittenRow> rows = rows_of_case(GetParam());
  const std::string text = text_of(rows);
  ASSERT_GT(text.size(), std::size_t{5} << 18);  // several chunks
  const TemporaryDirectory directory;
  const std::string files[] = {directory.write("d.txt", text), directory.write("d.txt.gz", in_pieces(text, gzipped)),
                               directory.write("d.txt.zst", in_pieces(text, zstd_frame))};
  std::uint64_t fingerprint = 0;
  for (const std::string& file : files)
    for (const std::size_t threads : kThreads) {
      const Dataset data = read_letor(file, {.threads = threads});
      if (fingerprint == 0) {
        expect_rows(data, rows);
        if (HasFatalFailure()) return;
        fingerprint = data.fingerprint();
      }
      EXPECT_EQ(data.fingerprint(), fingerprint) << file << ", " << threads << " threads";
    }
  expect_rows(read_letor(files[0], {.threads = 3}), rows);
  expect_rows(parse_letor(text.substr(0, text.size() - 1), "without the last line end", {.threads = 3}), rows);
}

INSTANTIATE_TEST_SUITE_P(Cases, ParallelReading, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ParallelReadingFaults, TheFirstFaultIsReportedWithItsLine) {
  std::vector<WrittenRow> rows = rows_of_case(kCases[0]);
  for (const std::size_t row : {7000u, 7001u, 11000u}) rows[row].features.back().second = INFINITY;
  for (const std::size_t row : {1000u, 6999u}) rows[row].before = "# a line more\n";
  const std::string text = text_of(rows);
  const TemporaryDirectory directory;
  for (const std::string& file : {directory.write("d.txt", text), directory.write("d.txt.gz", in_pieces(text, gzipped)),
                                  directory.write("d.txt.zst", in_pieces(text, zstd_frame))})
    for (const std::size_t threads : kThreads) {
      const std::string message =
          test::message_of([&] { read_letor(file, {.threads = threads}); }, ErrorCode::bad_input);
      EXPECT_TRUE(message.starts_with(file + ":7003:")) << message;
    }
}

TEST(ParallelReadingFaults, CompressedFilesThatEndEarlyAreDamaged) {
  const std::string text = text_of(rows_of_case(kCases[0]));
  const std::string gz = in_pieces(text, gzipped), zst = in_pieces(text, zstd_frame);
  const TemporaryDirectory directory;
  for (const bool almost_whole : {false, true}) {
    const std::string gz_file = directory.write("d.txt.gz", gz.substr(0, almost_whole ? gz.size() - 1 : gz.size() / 2));
    const std::string zst_file =
        directory.write("d.txt.zst", zst.substr(0, almost_whole ? zst.size() - 1 : zst.size() / 2));
    for (const std::size_t threads : kThreads) {
      EXPECT_EQ(test::message_of([&] { read_letor(gz_file, {.threads = threads}); }, ErrorCode::bad_input),
                gz_file + ": damaged gzip data: the file ends early");
      EXPECT_EQ(test::message_of([&] { read_letor(zst_file, {.threads = threads}); }, ErrorCode::bad_input),
                zst_file + ": damaged zstd data: the file ends early");
    }
  }
}

TEST(ParallelReadingFaults, AFaultBeforeTheDamageComesFirst) {
  std::vector<WrittenRow> rows = rows_of_case(kCases[0]);
  rows[50].features.back().second = INFINITY;
  const std::string gz = in_pieces(text_of(rows), gzipped);
  const TemporaryDirectory directory;
  const std::string file = directory.write("d.txt.gz", gz.substr(0, gz.size() / 2));
  for (const std::size_t threads : kThreads)
    EXPECT_TRUE(test::message_of([&] { read_letor(file, {.threads = threads}); }, ErrorCode::bad_input)
                    .starts_with(file + ":51:"));
}

std::string table_of(const std::vector<WrittenRow>& rows) {
  std::string text = "label,qid";
  for (const auto& [id, value] : rows[0].features) text += fmt::format(",{}", id);
  for (const WrittenRow& row : rows) {
    text += fmt::format("\n{},{}", row.label, row.query);
    for (const auto& [id, value] : row.features) text += fmt::format(",{}", value);
  }
  return text + "\n";
}

TEST(ReadingAhead, GivesTheRowsThatWereWritten) {
  const std::vector<WrittenRow> rows = rows_of_case(kCases[1]);
  const std::string text = table_of(rows);
  const TemporaryDirectory directory;
  for (const std::string& file : {directory.write("d.csv", text), directory.write("d.csv.gz", in_pieces(text, gzipped)),
                                  directory.write("d.csv.zst", in_pieces(text, zstd_frame))})
    for (const std::size_t threads : kThreads) expect_rows(read_dataset(file, {.threads = threads}), rows);
}

TEST(ReadingAhead, FaultsOfTheTextAndOfTheFileComeInTheirOrder) {
  std::vector<WrittenRow> rows = rows_of_case(kCases[0]);
  const std::string gz = in_pieces(table_of(rows), gzipped);
  rows[50].query.clear();
  const std::string faulty = in_pieces(table_of(rows), gzipped);
  const TemporaryDirectory directory;
  const std::string damaged = directory.write("d.csv.gz", gz.substr(0, gz.size() / 2));
  const std::string both = directory.write("e.csv.gz", faulty.substr(0, faulty.size() / 2));
  for (const std::size_t threads : kThreads) {
    EXPECT_EQ(test::message_of([&] { read_dataset(damaged, {.threads = threads}); }, ErrorCode::bad_input),
              damaged + ": damaged gzip data: the file ends early");
    EXPECT_TRUE(test::message_of([&] { read_dataset(both, {.threads = threads}); }, ErrorCode::bad_input)
                    .starts_with(both + ":52:"));
  }
}

TEST(ParallelReadingFaults, WhatProgressThrowsEndsTheReading) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("d.txt", text_of(rows_of_case(kCases[0])));
  for (const std::size_t threads : kThreads) {
    ReadOptions options{.threads = threads};
    options.progress = [](std::uint64_t, std::uint64_t) { throw Error(ErrorCode::bad_option, "enough"); };
    EXPECT_EQ(test::message_of([&] { read_letor(file, options); }, ErrorCode::bad_option), "enough");
  }
}

}  // namespace
}  // namespace dorm
