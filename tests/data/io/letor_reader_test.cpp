// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "dorm/read.h"
#include "dorm/write.h"
#include "support/source_dir.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::TemporaryDirectory;

Dataset parse(std::string_view text, const ReadOptions& options = {}) { return parse_letor(text, "f", options); }

std::vector<std::vector<float>> rows_of(const Dataset& data) {
  std::vector<std::vector<float>> rows;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      rows.emplace_back();
      for (std::size_t j = 0; j < data.num_features(); ++j) rows.back().push_back(query.rows.at(i, j));
    }
  }
  return rows;
}

using Rows = std::vector<std::vector<float>>;

constexpr std::string_view kPlain = "2 qid:a 1:0.5 2:-1e-3 3:7\n0 qid:a 1:1 2:2 3:3\n1.5 qid:b 1:4 3:6\n";

TEST(LetorReader, ReadsRowsAsTheyStand) {
  const Dataset data = parse(kPlain);
  ASSERT_EQ(data.num_queries(), 2u);
  EXPECT_EQ(data.query(1).id, "b");
  EXPECT_EQ(data.query(1).labels[0], 1.5f);
  EXPECT_EQ(data.first_feature_id(), 1u);
  EXPECT_FALSE(data.has_document_ids());
  EXPECT_EQ(rows_of(data), (Rows{{0.5f, -1e-3f, 7}, {1, 2, 3}, {4, 0, 6}}));
}

TEST(LetorReader, VariantsOfTheSameTextAreTheSameData) {
  const std::uint64_t expected = parse(kPlain).fingerprint();
  const std::string_view variants[] = {
      "2 qid:a 1:0.5 2:-1e-3 3:7\r\n0 qid:a 1:1 2:2 3:3\r\n1.5 qid:b 1:4 3:6\r\n",
      "\xEF\xBB\xBF"
      "2 qid:a 1:0.5 2:-1e-3 3:7\n0 qid:a 1:1 2:2 3:3\n1.5 qid:b 1:4 3:6",
      "# title\n\n  \t\n2 qid:a 1:0.5 2:-1e-3 3:7\n#\n0 qid:a 1:1 2:2 3:3\n \r\n1.5 qid:b 1:4 3:6\n\n\n",
      "  2\tqid:a\t\t1:0.5   2:-1e-3 \t 3:7 \t\n+0.0 qid:a 1:1 2:2 3:3\n1.5 qid:b 1:4 3:6 \r\n",
      "2 qid:a 3:7 1:0.5 2:-0.001\n0 qid:a 2:2 1:1 3:3\n1.5 qid:b 3:6 1:4\n",
      "2 qid:a 1:+.5 2:-0.1E-2 3:7.\n-0 qid:a 01:1 2:2 3:3\n15e-1 qid:b 1:4 2:-0 3:6\n",
  };
  for (std::string_view text : variants) EXPECT_EQ(parse(text).fingerprint(), expected) << text;
}

TEST(LetorReader, GathersInterleavedQueriesAndWarnsOnce) {
  ReadReport report;
  const Dataset data =
      parse_letor("0 qid:b 1:1\n1 qid:a 1:2\n2 qid:b 1:3\n3 qid:c 1:4\n4 qid:a 1:5\n5 qid:a 1:6\n", "f", {}, &report);
  EXPECT_EQ(data.query(0).id, "b");
  EXPECT_EQ(data.query(1).id, "a");
  EXPECT_EQ(rows_of(data), (Rows{{1}, {3}, {2}, {5}, {6}, {4}}));
  const std::uint64_t sources[] = {0, 2, 1, 4, 5, 3};
  for (std::size_t d = 0; d < 6; ++d) EXPECT_EQ(data.source_row(d), sources[d]);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "f: 2 of the blocks of rows continue an earlier query (first: 'b') and were merged");
}

TEST(LetorReader, CountsFeaturesFromZeroOnlyWhenSomeRowDoes) {
  const Dataset zero = parse("1 qid:1 1:5\n1 qid:1 0:3\n");
  EXPECT_EQ(zero.first_feature_id(), 0u);
  EXPECT_EQ(zero.num_features(), 2u);
  EXPECT_EQ(rows_of(zero), (Rows{{0, 5}, {3, 0}}));
  EXPECT_EQ(zero.feature_name(1), "1");
  EXPECT_EQ(parse("1 qid:1 1:5\n").num_features(), 1u);
}

TEST(LetorReader, TakesFeatureIdsUpToTwoToThe31) {
  const Dataset data = parse("1 qid:1 2147483648:2 7:1\n0 qid:1 0:1\n");
  EXPECT_EQ(data.feature_range(), 2147483649u);
  EXPECT_FALSE(data.dense());
  ASSERT_EQ(data.num_features(), 3u);
  EXPECT_EQ(data.feature_number(2), 2147483648u);
  EXPECT_EQ(data.query(0).rows.at(0, 2), 2.0f);
  EXPECT_EQ(data.num_nonzeros(), 3u);
}

TEST(LetorReader, RowsMayHaveNoFeatures) {
  const Dataset data = parse("1 qid:1\n0 qid:1 # d\n");
  EXPECT_EQ(data.num_features(), 0u);
  EXPECT_EQ(data.num_documents(), 2u);
  EXPECT_EQ(data.document_id(1), "d");
}

TEST(LetorReader, MissingValuesBecomeZeroOrTheMeanOfTheOthers) {
  const std::string_view text = "1 qid:1 1:nan 2:1 3:inf\n0 qid:1 1:2 2:1 3:1e39\n0 qid:1 1:4 2:1e999 3:-inf\n";
  EXPECT_EQ(rows_of(parse(text, {.missing = Missing::zero})), (Rows{{0, 1, 0}, {2, 1, 0}, {4, 0, 0}}));
  EXPECT_EQ(rows_of(parse(text, {.missing = Missing::mean})), (Rows{{3, 1, 0}, {2, 1, 0}, {4, 1, 0}}));
}

TEST(LetorReader, TheMeanOfCompressedDataCountsTheZeros) {
  std::string text = "1 qid:1 9:nan\n1 qid:1 9:6\n";
  for (int i = 0; i < 2; ++i) text += "0 qid:1 1:1\n";
  const Dataset data = parse(text, {.missing = Missing::mean});
  ASSERT_FALSE(data.dense());
  EXPECT_EQ(data.query(0).rows.at(0, 8), 2.0f);
}

TEST(LetorReader, NamesDocumentsAndGroupsFromComments) {
  const Dataset data = parse(
      "1 qid:1 1:1 #docid = GX-1 inc = 1 prob = 0.5\n1 qid:1 1:1 # docid=X2 group = site.org\n1 qid:1 1:1 "
      "#D3 more\n"
      "1 qid:1 1:1\n1 qid:1 1:1#D5\r\n1 qid:1 1:1 # group=g2\n1 qid:1 1:1 # mydocid = 4\n");
  const std::string_view ids[] = {"GX-1", "X2", "D3", "", "D5", "", "mydocid"};
  const std::string_view groups[] = {"", "site.org", "", "", "", "g2", ""};
  for (std::size_t d = 0; d < 7; ++d) {
    EXPECT_EQ(data.document_id(d), ids[d]);
    EXPECT_EQ(data.group(d), groups[d]);
  }
}

// Many rows of uneven form: dense, gappy, sparse and empty ones, queries that recur far apart.
std::string uneven_rows(std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += fmt::format("{} qid:q{}", i % 5, i / 9 % 997);
    const std::size_t step = i % 4;
    for (std::size_t j = 1; step > 0 && j < 40; j += step * step)
      text += fmt::format(" {}:{}.{}", j, (i * 31 + j * 17) % 1000, j);
    if (i % 3 == 0) text += fmt::format(" # docid=d{}", i);
    if (i % 6 == 0) text += fmt::format(" group=g{}", i % 11);
    text += "\n";
  }
  return text;
}

TEST(LetorReader, TheResultDoesNotDependOnThreadsOrOnTheWayTheFileIsStored) {
  const TemporaryDirectory directory;
  const std::string text = uneven_rows(40000);
  const std::uint64_t expected = parse(text, {.threads = 1}).fingerprint();
  for (const char* name : {"f.txt", "f.gz", "f.zst"}) {
    const std::string path = directory.path(name);
    write_atomically(path, [&](std::ostream& out) { out << text; });
    for (std::size_t threads : {1u, 2u, 5u})
      EXPECT_EQ(read_letor(path, {.threads = threads}).fingerprint(), expected) << name << ", " << threads;
  }
}

TEST(LetorReader, ReadsGzipFilesOfSeveralMembers) {
  const TemporaryDirectory directory;
  std::string bytes;
  for (const char* row : {"1 qid:1 1:0.5\n0 qid:1 ", "1:2\n", "", "1 qid:2 1:3\n"}) {
    write_atomically(directory.path("part.gz"), [&](std::ostream& out) { out << row; });
    bytes += test::content_of(directory.path("part.gz"));
  }
  EXPECT_EQ(rows_of(read_letor(directory.write("f.gz", bytes))), (Rows{{0.5f}, {2}, {3}}));
}

TEST(LetorReader, ALineMayBeLongerThanAnyChunk) {
  std::string text = "1 qid:1 1:1 #";
  text.append(std::size_t{5} << 20, 'x');
  const Dataset plain = parse(text + "\n0 qid:1 1:2\n");
  EXPECT_EQ(plain.document_id(0).size(), std::size_t{5} << 20);
  EXPECT_EQ(plain.num_documents(), 2u);
  const TemporaryDirectory directory;
  write_atomically(directory.path("f.zst"), [&](std::ostream& out) { out << text << "\n0 qid:1 1:2\n"; });
  EXPECT_EQ(read_letor(directory.path("f.zst")).fingerprint(), plain.fingerprint());
}

TEST(LetorReader, OneQueryMayHoldAMillionDocuments) {
  std::string text;
  for (int i = 0; i < 1000000; ++i) text += i % 2 == 0 ? "1 qid:1 1:3\n" : "0 qid:1 1:4 2:1\n";
  const Dataset data = parse(text);
  EXPECT_EQ(data.num_queries(), 1u);
  EXPECT_EQ(data.query(0).size(), 1000000u);
  EXPECT_EQ(data.query(0).rows.at(999999, 1), 1.0f);
}

TEST(LetorReader, QueriesMayHoldOneDocumentEach) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += fmt::format("1 qid:{0} 1:{0}\n", i);
  const Dataset data = parse(text);
  EXPECT_EQ(data.num_queries(), 200000u);
  EXPECT_EQ(data.query(123456).id, "123456");
  EXPECT_EQ(data.query(123456).rows.at(0, 0), 123456.0f);
}

TEST(LetorReader, ReportsBytesAndProgressUpToTheEnd) {
  const TemporaryDirectory directory;
  const std::string text = uneven_rows(20000);
  const std::string path = directory.write("f", text);
  std::uint64_t last = 0, total = 0, calls = 0;
  ReadOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t of) {
    EXPECT_GE(done, last);
    last = done;
    total = of;
    ++calls;
  };
  ReadReport report;
  read_letor(path, options, &report);
  EXPECT_EQ(report.bytes, text.size());
  EXPECT_EQ(last, text.size());
  EXPECT_EQ(total, text.size());
  EXPECT_GT(calls, 1u);
}

TEST(LetorReader, TakesQuerySizesAndWeightsFromFilesBesideIt) {
  const TemporaryDirectory directory;
  const std::string path = directory.path("f.gz");
  write_atomically(path, [](std::ostream& out) { out << "1 1:1\n0 1:2\n2 1:3\n"; });
  directory.write("f.query", "2\n1\n");
  directory.write("f.gz.weight", "# per row\n0.5\n0.5\n2\n");
  const Dataset data = read_letor(path);
  EXPECT_EQ(data.num_queries(), 2u);
  EXPECT_EQ(data.query(0).size(), 2u);
  EXPECT_EQ(data.query(1).id, "2");
  EXPECT_EQ(data.query(0).weight, 0.5);
  EXPECT_EQ(data.query(1).weight, 2.0);
  EXPECT_THROW(read_letor(path, {.side_files = false}), std::exception);
}

TEST(LetorReader, RowsThatNameTheirQueriesNeedNoSizes) {
  const TemporaryDirectory directory;
  directory.write("f.query", "7\n");
  ReadReport report;
  EXPECT_EQ(read_letor(directory.write("f", kPlain), {}, &report).num_queries(), 2u);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("f.query is not used"), std::string::npos);
}

std::filesystem::path real_data() {
  const char* directory = std::getenv("DORM_DATA");
  return directory != nullptr ? directory : test::source_dir() + "/../shared/data";
}

TEST(LetorReader, ReadsPublicSetsAsTheirOwnersDescribeThem) {
  struct Expected {
    const char* file;
    std::size_t documents, queries, features;
  };
  const Expected sets[] = {{"lightgbm-lambdarank/rank.train.gz", 3005, 201, 300},
                           {"lightgbm-lambdarank/rank.test.gz", 768, 50, 300}};
  if (!std::filesystem::exists(real_data())) GTEST_SKIP() << "no data at " << real_data();
  for (const Expected& set : sets) {
    const Dataset data = read_letor((real_data() / set.file).string());
    EXPECT_EQ(data.num_documents(), set.documents) << set.file;
    EXPECT_EQ(data.num_queries(), set.queries) << set.file;
    EXPECT_EQ(data.num_features(), set.features) << set.file;
  }
  std::size_t documents = 0, queries = 0;
  for (int part = 1; part <= 5; ++part) {
    const Dataset data = read_letor((real_data() / fmt::format("mq2008/S{}.txt.gz", part)).string());
    documents += data.num_documents();
    queries += data.num_queries();
    EXPECT_EQ(data.num_features(), 46u);
  }
  EXPECT_EQ(documents, 15211u);
  EXPECT_EQ(queries, 784u);
}

}  // namespace
}  // namespace dorm
