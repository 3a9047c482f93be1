// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "data/io/malformed.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm {
namespace {

using test::complaint;
using test::expect_complaints;
using test::Malformed;
using test::text;

TEST(MalformedCsv, EveryFileOfTheCorpusEarnsItsComplaint) {
  const Malformed cases[] = {
      {text(""), "f.csv: no header"},
      {text("\n\n"), "f.csv: no header"},
      {text("label,qid,a\n"), "f.csv: no documents"},
      {text("rel,qid,a\n1,1,2\n"), "f.csv:1: no label column 'label'; the header has 'rel', 'qid', 'a'"},
      {text("label,query,a\n1,1,2\n"), "f.csv:1: no query column 'qid'; the header has 'label', 'query', 'a'"},
      {text("label:qid:a\n1;1;2\n"),
       "f.csv:1: no label column 'label' and no query column 'qid'; the header has 'label:qid:a'"},
      {text("label,qid,a,a\n1,1,2,3\n"),
       "f.csv:1:13: a second column is named 'a'; the header has 'label', 'qid', 'a', 'a'"},
      {text("label,qid,,b\n1,1,2,3\n"), "f.csv:1:11: column 3 has no name; the header has 'label', 'qid', '', 'b'"},
      {text("label,qid,a\n1,1\n"), "f.csv:2: found 2 cells; expected 3 as in the header"},
      {text("label,qid,a\n1,1,2\n\n1,1,2,3\n"), "f.csv:4: found 4 cells; expected 3 as in the header"},
      {text("label,qid,a\nx,1,2\n"), "f.csv:2:1: found 'x' in column 'label'; expected a number as label"},
      {text("label,qid,a\n,1,2\n"), "f.csv:2:1: found an empty cell in column 'label'; expected a number as label"},
      {text("label,qid,a\nnan,1,2\n"), "f.csv:2:1: found 'nan' in column 'label'; expected a number as label"},
      {text("label,qid,a\n1,,2\n"), "f.csv:2:3: found no query id; expected one"},
      {text("label,qid,a\n1,1,\n"),
       "f.csv:2:5: found an empty cell in column 'a'; expected a finite number (missing values can be read as zero or "
       "mean)"},
      {text("label,qid,a\n1,1,NaN\n"),
       "f.csv:2:5: found 'NaN' in column 'a'; expected a finite number (missing values can be read as zero or mean)"},
      {text("label,qid,a\n1,1,1e60\n"),
       "f.csv:2:5: found '1e60' in column 'a'; expected a number within the range of float32"},
      {text("label,qid,a\n1,1,two\n"), "f.csv:2:5: found 'two' in column 'a'; expected a number"},
      {text("label,qid,a\n1,1,\"1,234\"\n"),
       "f.csv:2:5: found '1,234' in column 'a'; expected a number without commas, such as 1234.5"},
      {text("label;qid;a\n1;1;0,5\n"),
       "f.csv:2:5: found '0,5' in column 'a'; expected a number without commas, such as 1234.5"},
      {text("label,qid,a\n1,1,2024-01-31 12:00\n"),
       "f.csv:2:5: found '2024-01-31 12:00' in column 'a'; expected a number, and not a date"},
      {text("label,qid,title,when,clicks,price\n1,1,shoes,2024-01-31,NA,7\n1,1,2,3,,x\n"),
       "f.csv:2:5: 3 columns do not hold numbers: 'title' (line 2: 'shoes'), 'when' (a date, line 2: "
       "'2024-01-31'), 'price' (line 3: 'x'); 1 column has missing values: 'clicks' (line 2: 'NA')"},
      {text("label,qid,a\n1,\"q,2\n1,1,2\n"), "f.csv:2:3: found a quote that is never closed; expected a second one"},
      {text("label,qid,a\n1,\"q\"r,2\n"), "f.csv:2:6: found 'r' after a closing quote; expected a separator"},
      {text("label,qid,a\n1,q\"r\",2\n"),
       "f.csv:2:4: found a quote inside 'q\"r\"'; expected the whole cell in quotes, and quotes in it "
       "doubled"},
      {text("label,qid,a\n1,\"two\nlines\",x\n"), "f.csv:3:8: found 'x' in column 'a'; expected a number"},
      {text("label,qid,a\n1,1,2\n1,\0,2\n"), "f.csv:3:3: found a NUL byte; expected text"},
      {text("label,qid,weight,a\n1,1,-1,2\n"),
       "f.csv:2:5: found '-1' in column 'weight'; expected a weight, a finite number 0 or more"},
      {text("label,qid,weight,a\n1,1,heavy,2\n"),
       "f.csv:2:5: found 'heavy' in column 'weight'; expected a weight, a finite number 0 or more"},
      {text("label,qid,weight,a\n1,1,2,2\n0,2,1,2\n0,1,3,2\n"),
       "f.csv:4:5: found the weight 3 in the query '1', which had 2 before; expected one weight per query"},
  };
  expect_complaints(cases, "f.csv", [](const std::string& path) { read_csv(path); });
}

TEST(MalformedCsv, ATsvLineOfTabsIsARecord) {
  const Malformed cases[] = {
      {text("label\tqid\ta\n\t\t\n"), "f.tsv:2:1: found an empty cell in column 'label'; expected a number as label"}};
  const Malformed missing[] = {{text("label\tqid\n1\n"), "f.tsv:2: found 1 cells; expected 2 as in the header"}};
  const auto read = [](const std::string& path) { read_csv(path, {.missing = Missing::zero}); };
  expect_complaints(cases, "f.tsv", read);
  expect_complaints(missing, "f.tsv", read);
}

TEST(MalformedQrels, EveryFileOfTheCorpusEarnsItsComplaint) {
  const Malformed cases[] = {
      {text(""), "q: no judgments; expected lines of 'qid iteration docid relevance'"},
      {text("1 0 d1\n"), "q:1:7: found 3 words; expected 4: 'qid iteration docid relevance'"},
      {text("1 0 d1 1\n1 0 d2 1 x\n"),
       "q:2:10: found 'x'; expected the end of the line after 'qid iteration docid relevance'"},
      {text("1 0 d1 high\n"), "q:1:8: found 'high'; expected a finite number as relevance"},
      {text("1 0 d1 nan\n"), "q:1:8: found 'nan'; expected a finite number as relevance"},
      {text("1 0 d1 1e50\n"), "q:1:8: found '1e50'; expected a number within the range of float32"},
      {text("1 0 d\0 1\n"), "q:1:6: found a NUL byte; expected text"},
      {text("qid,docid,label\nq,d,high\n"), "q:2:5: found 'high'; expected a finite number as label"},
      {text("qid,docid,label\nq,d,1e50\n"), "q:2:5: found '1e50'; expected a number within the range of float32"},
      {text("qid,docid,label\nq,,1\n"), "q:2:3: found an empty cell; expected an id"},
      {text("qid,docid,label\nq,1\n"), "q:2: found 2 cells; expected 3 as in the header"},
      {text("qid,docid,label\n"), "q: no judgments"},
  };
  const Malformed tables[] = {
      {text(""), "q.csv: empty; expected a header: qid,docid,label"},
      {text("qid,docid,a,b\nq,d,1,2\n"),
       "q.csv:1: found no column of the labels; the header has 'qid', 'docid', 'a', 'b'"},
      {text("query,search,docid,label\nq,q,d,1\n"),
       "q.csv:1: found no column of the query ids; the header has 'query', 'search', 'docid', 'label'"},
      {text("q 0 d 1\n"), "q.csv:1: found no column of the query ids; the header has 'q 0 d 1'"},
  };
  expect_complaints(tables, "q.csv", [](const std::string& path) { read_qrels(path); });
  expect_complaints(cases, "q", [](const std::string& path) { read_qrels(path); });
}

TEST(MalformedRun, EveryFileOfTheCorpusEarnsItsComplaint) {
  const Malformed cases[] = {
      {text("\n"), "r: no ranked documents; expected lines of 'qid Q0 docid rank score tag'"},
      {text("1 Q0 d1 1 0.5\n"), "r:1:14: found 5 words; expected 6: 'qid Q0 docid rank score tag'"},
      {text("1 Q0 d1 1 best tag\n"), "r:1:11: found 'best'; expected a finite number as score"},
      {text("1 Q0 d1 1 0.5 t\n1 Q0 d2 2 inf t\n"), "r:2:11: found 'inf'; expected a finite number as score"},
      {text("# comment\n 1 # 2\n"), "r:2:7: found 3 words; expected 6: 'qid Q0 docid rank score tag'"},
  };
  expect_complaints(cases, "r", [](const std::string& path) { read_run(path); });
}

TEST(MalformedScores, EveryFileOfTheCorpusEarnsItsComplaint) {
  const Malformed cases[] = {
      {text("0.5\nx\n"), "s:2:1: found 'x'; expected one finite number as score"},
      {text("0.5\n# c\n\n  nan\n"), "s:4:3: found 'nan'; expected one finite number as score"},
      {text("-inf\n"), "s:1:1: found '-inf'; expected one finite number as score"},
      {text("1e400\n"), "s:1:1: found '1e400'; expected one finite number as score"},
      {text("1 2\n"), "s:1:1: found '1 2'; expected one finite number as score"},
      {text("1\n2\0\n"), "s:2:2: found a NUL byte; expected text"},
  };
  expect_complaints(cases, "s", [](const std::string& path) { read_scores(path); });
}

// A LETOR file without query ids and the sizes beside it.
std::string complaint_with(std::string_view rows, const std::string& side, std::string_view content) {
  const test::TemporaryDirectory directory;
  directory.write("f" + side, content);
  return complaint(directory.write("f", rows), [](const std::string& path) { read_letor(path); });
}

TEST(MalformedSideFiles, SizesMustFitTheRows) {
  const std::string_view rows = "1 1:1\n0 1:2\n1 1:3\n";
  EXPECT_EQ(complaint_with(rows, ".query", "2\n"), "f.query: the sizes sum to 2, but the data file has 3 rows");
  EXPECT_EQ(complaint_with(rows, ".group", "2\n2\n"),
            "f.group:2:1: the sizes up to here sum to more than the 3 rows of the data file");
  EXPECT_EQ(complaint_with(rows, ".query", ""), "f.query: the sizes sum to 0, but the data file has 3 rows");
  for (const char* size : {"0", "-1", "1.5", "two", "18446744073709551616"})
    EXPECT_EQ(complaint_with(rows, ".query", std::string("1\n") + size + "\n"),
              "f.query:2:1: found '" + std::string(size) + "'; expected the number of rows of a query, 1 or more");
  EXPECT_EQ(complaint_with(rows, ".query", "18446744073709551615\n18446744073709551615\n"),
            "f.query:1:1: the sizes up to here sum to more than the 3 rows of the data file");
}

TEST(MalformedSideFiles, RowsNameTheirQueriesAllOrNone) {
  EXPECT_EQ(complaint_with("1 1:1\n# c\n0 qid:1 1:2\n", ".query", "2\n"),
            "f:3: found a qid; expected none, as in the rows before");
  EXPECT_EQ(complaint_with("1 qid:1 1:1\n0 1:2\n", ".query", "2\n"),
            "f:2: found no qid; expected one, as in the rows before");
}

TEST(MalformedSideFiles, WeightsArePerQueryOrPerRow) {
  const std::string_view rows = "1 qid:1 1:1\n0 qid:2 1:2\n1 qid:1 1:3\n1 qid:2 1:3\n";
  EXPECT_EQ(complaint_with(rows, ".weight", "1\n2\n3\n"),
            "f.weight: 3 weights; expected one for each of the 2 queries or each of the 4 rows");
  EXPECT_EQ(complaint_with(rows, ".weight", "1\n2\n1\n\n3\n"),
            "f.weight:5:1: found the weight 3 in the query '2', which had 2 before; expected one weight per query");
  EXPECT_EQ(complaint_with(rows, ".weight", "1\n-2\n"),
            "f.weight:2:1: found '-2'; expected a weight, a finite number 0 or more");
  EXPECT_EQ(complaint_with(rows, ".weight", "1\nnan\n"),
            "f.weight:2:1: found 'nan'; expected a weight, a finite number 0 or more");
}

class DamagedStream : public testing::TestWithParam<std::string> {
 protected:
  // A compressed file of many rows, altered, and the complaint about it.
  std::string complaint_about(const std::function<void(std::string&)>& alter) {
    const test::TemporaryDirectory directory;
    const std::string path = directory.path("f" + GetParam());
    write_atomically(path, [](std::ostream& out) {
      for (int i = 0; i < 20000; ++i) out << "1 qid:1 1:" << i * 7919 % 10007 << "\n";
    });
    std::string bytes = test::content_of(path);
    alter(bytes);
    directory.write("f" + GetParam(), bytes);
    return complaint(path, [](const std::string& p) { read_letor(p); });
  }
  bool gzip() const { return GetParam() == ".gz"; }
};

TEST_P(DamagedStream, EndsEarly) {
  const std::string message =
      gzip() ? "f.gz: damaged gzip data: the file ends early" : "f.zst: damaged zstd data: the file ends early";
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes.resize(bytes.size() / 2); }), message);
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes.resize(bytes.size() - 1); }), message);
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes.resize(4); }), message);
}

TEST_P(DamagedStream, IsAltered) {
  const std::string message = complaint_about([](std::string& bytes) { bytes[bytes.size() - 6] ^= 0x55; });
  EXPECT_TRUE(message.starts_with(gzip() ? "f.gz: damaged gzip data: " : "f.zst: damaged zstd data: ")) << message;
}

TEST_P(DamagedStream, HasRubbishBehindIt) {
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes += "rubbish"; }),
            gzip() ? "f.gz: damaged gzip data: incorrect header check"
                   : "f.zst: damaged zstd data: Unknown frame descriptor");
}

TEST_P(DamagedStream, IsNotCompressedAtAll) {
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes = "1 qid:1 1:1\n"; }),
            gzip() ? "f.gz: the name promises gzip data, but the content is not"
                   : "f.zst: the name promises zstd data, but the content is not");
}

TEST_P(DamagedStream, IsEmpty) {
  EXPECT_EQ(complaint_about([](std::string& bytes) { bytes.clear(); }),
            gzip() ? "f.gz: no documents" : "f.zst: no documents");
}

INSTANTIATE_TEST_SUITE_P(Compressed, DamagedStream, testing::Values(".gz", ".zst"),
                         [](const auto& stream) { return stream.param.substr(1); });

}  // namespace
}  // namespace dorm
