// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/io/malformed.h"
#include "dorm/read.h"

namespace dorm {
namespace {

using test::Malformed;
using test::text;

const Malformed kLetor[] = {
    // Labels.
    {text("2 qid:1 1:0.5\nx qid:1 1:0.5\n"), "f:2:1: found 'x'; expected a number as label"},
    {text("qid:1 1:0.5\n"), "f:1:1: found 'qid:1'; expected a number as label"},
    {text("1.2.3 qid:1 1:0.5\n"), "f:1:1: found '1.2.3'; expected a number as label"},
    {text("+-1 qid:1 1:0.5\n"), "f:1:1: found '+-1'; expected a number as label"},
    {text("- qid:1 1:0.5\n"), "f:1:1: found '-'; expected a number as label"},
    {text("1,5 qid:1 1:0.5\n"), "f:1:1: found '1,5'; expected a number as label"},
    {text("0x2 qid:1 1:0.5\n"), "f:1:1: found '0x2'; expected a number as label"},
    {text("nan qid:1 1:1\n"), "f:1:1: found 'nan'; expected a finite label within the range of float32"},
    {text("-inf qid:1 1:1\n"), "f:1:1: found '-inf'; expected a finite label within the range of float32"},
    {text("1e39 qid:1 1:1\n"), "f:1:1: found '1e39'; expected a finite label within the range of float32"},
    {text("\xFF\xFE"
          "1 qid:1 1:1\n"),
     "f:1:1: found '\\xff\\xfe1'; expected a number as label"},
    // Query ids.
    {text("2 qid:1 1:0.5\n1 1:0.5\n"), "f:2:3: found '1:0.5'; expected qid:ID after the label"},
    {text("1\n"), "f:1:2: found the end of the line; expected qid:ID after the label"},
    {text("1 # comment\n"), "f:1:3: found '#'; expected qid:ID after the label"},
    {text("1 qid: 1:0.5\n"), "f:1:3: found 'qid:'; expected an id right after 'qid:'"},
    {text("1 qid:\n"), "f:1:3: found 'qid:'; expected an id right after 'qid:'"},
    {text("1 QID:1 1:0.5\n"), "f:1:3: found 'QID:1'; expected qid:ID after the label"},
    {text("1 1:0.5 qid:1\n"), "f:1:3: found '1:0.5'; expected qid:ID after the label"},
    {text("1 qid:a\0b 1:0.5\n"), "f:1:3: found 'qid:a\\x00b'; expected a query id without NUL bytes"},
    {text("1 qid:1 1:0.5 qid:2\n"), "f:1:15: found 'qid:2'; expected a feature as id:value"},
    // Feature ids.
    {text("1 qid:1 a:0.5\n"), "f:1:9: found 'a:0.5'; expected a feature as id:value"},
    {text("1 qid:1 -3:0.5\n"), "f:1:9: found '-3:0.5'; expected a feature as id:value"},
    {text("1 qid:1 1.5:2\n"), "f:1:9: found '1.5:2'; expected a feature as id:value"},
    {text("1 qid:1 :2\n"), "f:1:9: found ':2'; expected a feature as id:value"},
    {text("1 qid:1 1:0.5 2\n"), "f:1:15: found '2'; expected a feature as id:value"},
    {text("1 qid:1 1 :0.5\n"), "f:1:9: found '1'; expected a feature as id:value"},
    {text("1 qid:1 1:0.5 garbage\n"), "f:1:15: found 'garbage'; expected a feature as id:value"},
    {text("1 qid:1 2147483649:1\n"), "f:1:9: found '2147483649:1'; expected a feature id from 0 to 2147483648"},
    {text("1 qid:1 99999999999999999999:1\n"),
     "f:1:9: found '99999999999999999999:1'; expected a feature id from 0 to 2147483648"},
    {text("1 qid:1 1:0.5 1:0.6\n"), "f:1:15: found a second value for feature 1; expected each feature once in a row"},
    {text("1 qid:1 7:1 3:1 7:1 9:0\n"),
     "f:1:17: found a second value for feature 7; expected each feature once in a row"},
    {text("1 qid:1 1:0.5,2:0.6\n"), "f:1:11: found '0.5,2:0.6'; expected a number"},
    // Feature values.
    {text("1 qid:1 1:\n"), "f:1:11: found no value after ':'; expected a number"},
    {text("1 qid:1 1: 0.5\n"), "f:1:11: found no value after ':'; expected a number"},
    {text("1 qid:1 1:nan\n"),
     "f:1:11: found 'nan'; expected a finite number (missing values can be read as zero or mean)"},
    {text("1 qid:1 1:-Infinity\n"),
     "f:1:11: found '-Infinity'; expected a finite number (missing values can be read as zero or mean)"},
    {text("1 qid:1 1:inf\n"),
     "f:1:11: found 'inf'; expected a finite number (missing values can be read as zero or mean)"},
    {text("1 qid:1 1:0.5\n\n1 qid:1 2:1e999\n"),
     "f:3:11: found '1e999'; expected a number within the range of float32"},
    {text("1 qid:1 1:1e39\n"), "f:1:11: found '1e39'; expected a number within the range of float32"},
    {text("1 qid:1 1:-340282356779733661637539395458142568448\n"),
     "f:1:11: found '-340282356779733661637539395458142568448'; expected a number within the range of "
     "float32"},
    {text("1 qid:1 1:0x1p3z\n"), "f:1:11: found '0x1p3z'; expected a number"},
    {text("1 qid:1 1:0x1p3\n"), "f:1:11: found '0x1p3'; expected a number"},
    {text("1 qid:1 1:1e\n"), "f:1:11: found '1e'; expected a number"},
    {text("1 qid:1 1:1e+-5\n"), "f:1:11: found '1e+-5'; expected a number"},
    {text("1 qid:1 1:.\n"), "f:1:11: found '.'; expected a number"},
    {text("1 qid:1 1:--1\n"), "f:1:11: found '--1'; expected a number"},
    {text("1 qid:1 1:1.5.2\n"), "f:1:11: found '1.5.2'; expected a number"},
    {text("1 qid:1 1:nano\n"), "f:1:11: found 'nano'; expected a number"},
    {text("1 qid:1 1:1_000\n"), "f:1:11: found '1_000'; expected a number"},
    {text("1 qid:1 1:0.5\x01\n"), "f:1:11: found '0.5\\x01'; expected a number"},
    {text("1 qid:1 1:0.5\xC2\xA0"
          "2:1\n"),
     "f:1:11: found '0.5\\xc2\\xa02:1'; expected a number"},
    {text("1 qid:1 1:zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"),
     "f:1:11: found 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...'; expected a number"},
    // NUL bytes and line ends.
    {text("1 qid:1 1:0.5\0"
          "2:3\n"),
     "f:1:11: found '0.5\\x002:3'; expected a number"},
    {text("1 qid:1 1:0.5 # a\0b\n"), "f:1:18: found a NUL byte; expected text"},
    {text("# a\0b\n1 qid:1 1:0.5\n"), "f:1:4: found a NUL byte; expected text"},
    {text("1 qid:1 1:1\n\0\n"), "f:2:1: found '\\x00'; expected a number as label"},
    {text("1 qid:1 1:1\r1 qid:1 1:2\r"), "f:1:11: found '1\\r1'; expected a number"},
    {text("1 qid:1 1:1 \r 2:1\n"), "f:1:13: found '\\r'; expected a feature as id:value"},
    {text("1 qid:1 1:x"), "f:1:11: found 'x'; expected a number"},
    // Nothing in it.
    {text(""), "f: no documents"},
    {text("\n\n   \n"), "f: no documents"},
    {text("\xEF\xBB\xBF"), "f: no documents"},
    {text("# only\n# comments\n"), "f: no documents"},
};

TEST(MalformedLetor, EveryFileOfTheCorpusEarnsItsComplaint) {
  const test::TemporaryDirectory directory;
  for (const Malformed& item : kLetor) {
    const std::string path = directory.write("f", item.content);
    for (std::size_t threads : {1u, 3u})
      EXPECT_EQ(test::complaint(path, [&](const std::string& p) { read_letor(p, {.threads = threads}); }),
                item.message);
  }
}

TEST(MalformedLetor, TheFirstFaultOfALargeFileIsReportedWhateverTheThreads) {
  std::string rows;
  for (int i = 0; i < 60000; ++i) rows += fmt::format("1 qid:{} 1:0.25 2:0.5 3:1 4:-2.5\n", i / 7);
  std::string faulty = rows + "1 qid:1 1:first\n" + rows + "1 qid:1 1:second\n" + rows;
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("f", faulty);
  for (std::size_t threads : {1u, 2u, 5u})
    EXPECT_EQ(test::complaint(path, [&](const std::string& p) { read_letor(p, {.threads = threads}); }),
              "f:60001:11: found 'first'; expected a number");
}

TEST(MalformedLetor, MissingValuesOnRequestDoNotExcuseLabels) {
  for (Missing missing : {Missing::zero, Missing::mean})
    EXPECT_THROW(parse_letor("nan qid:1 1:nan\n", "f", {.missing = missing}), Error);
}

TEST(MalformedLetor, FilesThatCannotBeReadSayWhy) {
  const test::TemporaryDirectory directory;
  const auto read = [](const std::string& path) { read_letor(path); };
  EXPECT_EQ(test::complaint(directory.path("f"), read), "f: cannot open: No such file or directory");
  EXPECT_EQ(test::complaint(directory.path("."), read), ".: cannot read: Is a directory");
}

}  // namespace
}  // namespace dorm
