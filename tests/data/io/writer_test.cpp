// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <sstream>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::content_of;
using test::TemporaryDirectory;

std::string letor_of(const Dataset& data) {
  std::ostringstream out;
  write_letor(data, out);
  return out.str();
}

// Any finite float: random bits.
Dataset awkward_set(bool sparse, bool with_names) {
  Rng rng(sparse ? 1 : 2);
  DatasetBuilder builder;
  for (int i = 0; i < 300; ++i) {
    std::vector<float> row(sparse ? 40 : 12, 0.0f);
    for (float& value : row) {
      if (sparse && rng.below(8) != 0) continue;
      do value = std::bit_cast<float>(static_cast<std::uint32_t>(rng.next()));
      while (!std::isfinite(value));
    }
    const std::string id = fmt::format("doc{}", i), group = fmt::format("g{}", i % 3);
    builder.add({static_cast<float>(rng.below(5)) / 3, fmt::format("q{}", i / 10), with_names ? id : "",
                 with_names && i % 2 == 0 ? group : ""},
                row);
  }
  return builder.finish();
}

TEST(LetorWriter, WhatIsReadBackIsTheSame) {
  for (bool sparse : {false, true})
    for (bool names : {false, true}) {
      const Dataset data = awkward_set(sparse, names);
      ASSERT_EQ(data.dense(), !sparse);
      EXPECT_EQ(parse_letor(letor_of(data), "f").fingerprint(), data.fingerprint());
    }
}

TEST(LetorWriter, ZeroColumnsAtTheEdgesSurvive) {
  const Dataset data = parse_letor("1 qid:1 0:0 9:0\n1 qid:1 4:1\n", "f");
  ASSERT_FALSE(data.dense());
  EXPECT_EQ(letor_of(data), "1 qid:1 0:0 9:0\n1 qid:1 4:1\n");
}

TEST(LetorWriter, RefusesIdsThatAreNotOneWord) {
  DatasetBuilder builder;
  builder.add({1, "two words"}, std::vector<float>{1});
  EXPECT_THROW(letor_of(builder.finish()), Error);
  builder.add({1, "q", "two words"}, std::vector<float>{1});
  EXPECT_THROW(letor_of(builder.finish()), Error);
}

TEST(CsvWriter, WhatIsReadBackIsTheSame) {
  DatasetBuilder builder;
  builder.add({1.25f, "a,\"b\"", "d 1"}, std::vector<float>{1e-30f, 0, 3});
  builder.add({0, "c", "", "g\n2"}, std::vector<float>{0, 0.1f, -3e38f});
  builder.set_feature_names({"x", "y,z", "w\"w"});
  builder.set_query_weight("c", 0.1);
  const Dataset data = builder.finish();
  for (char separator : {',', '\t'}) {
    std::ostringstream out;
    write_csv(data, out, separator);
    EXPECT_EQ(parse_csv(out.str(), separator == ',' ? "f.csv" : "f.tsv").fingerprint(), data.fingerprint());
  }
}

TEST(CsvWriter, WritesCompressedRowsInFull) {
  const Dataset data = parse_letor("1 qid:1 3:1 9:2\n0 qid:1 5:1\n", "f");
  ASSERT_FALSE(data.dense());
  std::ostringstream out;
  write_csv(data, out);
  EXPECT_EQ(out.str(), "label,qid,1,2,3,4,5,6,7,8,9\n1,1,0,0,1,0,0,0,0,0,2\n0,1,0,0,0,0,1,0,0,0,0\n");
}

TEST(CsvWriter, RefusesFeaturesNamedLikeOtherColumns) {
  DatasetBuilder builder;
  builder.add({1, "q"}, std::vector<float>{1});
  builder.set_feature_names({"qid"});
  std::ostringstream out;
  EXPECT_THROW(write_csv(builder.finish(), out), Error);
}

void put(const std::string& path, std::string_view text) {
  write_atomically(path, [&](std::ostream& out) { out << text; });
}

TEST(WriteAtomically, ReplacesTheFileAndLeavesNothingElse) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("f", "old");
  put(path, "new");
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(directory.num_files(), 1u);
}

TEST(WriteAtomically, AFailureLeavesTheOldFileAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("f", "old");
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << "half";
                                  throw std::runtime_error("no more");
                                }),
               std::runtime_error);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(directory.num_files(), 1u);
}

TEST(WriteAtomically, NewFilesGetTheUsualPermissions) {
  const TemporaryDirectory directory;
  const mode_t mask = ::umask(027);
  put(directory.path("f"), "x");
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(directory.path("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(WriteAtomically, KeepsSymbolicLinks) {
  const TemporaryDirectory directory;
  directory.write("target", "old");
  std::filesystem::create_symlink("target", directory.path("link"));
  put(directory.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link")));
  EXPECT_EQ(content_of(directory.path("target")), "new");
}

std::string refusal(const std::string& path, std::size_t bytes) {
  return test::message_of([&] { put(path, std::string(bytes, 'x')); }, ErrorCode::io);
}

TEST(WriteAtomically, SaysWhyItCannotWrite) {
  const TemporaryDirectory directory;
  EXPECT_EQ(refusal(directory.path("no/f"), 1), directory.path("no/f") + ": cannot write: No such file or directory");
  EXPECT_EQ(refusal(directory.path("."), 1), directory.path(".") + ": cannot write: Is a directory");
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(refusal("/dev/full", 1), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(refusal("/dev/full", 1 << 20), "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteAtomically, CompressesByName) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += fmt::format("{}\n", i * 7919 % 100003);
  for (const char* name : {"f.gz", "f.zst"}) {
    put(directory.path(name), text);
    EXPECT_LT(content_of(directory.path(name)).size(), text.size() * 2 / 3);
    const std::vector<double> numbers = read_scores(directory.path(name));
    ASSERT_EQ(numbers.size(), 100000u);
    EXPECT_EQ(numbers[99999], 99999L * 7919 % 100003);
  }
}

}  // namespace
}  // namespace dorm
