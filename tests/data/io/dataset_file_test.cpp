// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

Dataset sample() {
  return parse_letor("2 qid:a 1:0.5 2:1e-3 # docid=x group=g\n0 qid:a 1:1 2:2\n1 qid:b 1:4 2:-7\n", "f");
}

TEST(DatasetFile, EveryFormatIsWrittenAndRecognisedByItsName) {
  const test::TemporaryDirectory directory;
  const Dataset data = sample();
  for (const char* name : {"f.txt", "f", "f.txt.gz", "f.zst", "f.dorm"}) {
    const std::string path = directory.path(name);
    write_dataset(data, path);
    ReadReport report;
    EXPECT_EQ(read_dataset(path, {}, &report).fingerprint(), data.fingerprint()) << name;
    EXPECT_EQ(report.bytes, test::content_of(path).size()) << name;
  }
  for (const char* name : {"f.csv", "f.tsv", "f.csv.gz", "f.tsv.zst"}) {
    write_dataset(data, directory.path(name));
    const Dataset again = read_dataset(directory.path(name));
    EXPECT_EQ(again.feature_name(1), "2") << name;
    EXPECT_EQ(again.query(1).rows.at(0, 1), -7.0f) << name;
    EXPECT_EQ(again.document_id(0), "x") << name;
  }
}

TEST(DatasetFile, TheBinaryFormIsKnownByItsContentToo) {
  const test::TemporaryDirectory directory;
  write_dataset(sample(), directory.path("f.dorm"));
  const std::string path = directory.write("f.txt", test::content_of(directory.path("f.dorm")));
  EXPECT_EQ(read_dataset(path).fingerprint(), sample().fingerprint());
}

TEST(DatasetFile, ANamedFormatOverrulesTheName) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("f.tsv", "label,qid,a\n1,q,2\n");
  EXPECT_EQ(read_dataset(path, {.format = DataFormat::csv}).num_features(), 1u);
  EXPECT_THROW(read_dataset(path), Error);
}

TEST(DatasetFile, TheBinaryFormIsNotCompressed) {
  const test::TemporaryDirectory directory;
  EXPECT_THROW(write_dataset(sample(), directory.path("f.dorm.gz")), Error);
  EXPECT_EQ(directory.num_files(), 0u);
}

}  // namespace
}  // namespace dorm
