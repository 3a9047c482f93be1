// SPDX-License-Identifier: Apache-2.0
// Markdown, CSV, the numbers behind pictures, and files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dorm/apps/report.h"
#include "dorm/error.h"
#include "support/message_of.h"

namespace dorm::report {
namespace {

Table small_table() {
  Cell best(0.75, 0.5, 1);
  best.best = true;
  best.note = "p 0.01";
  return {.caption = "Methods",
          .columns = {text_column("name"), number_column("value", 2)},
          .rows = {{"a|b", best}, {"c", kMissing}, {"d"}},
          .footnotes = {"a note"}};
}

TEST(Markdown, WritesATableWithIntervalsEmphasisAndNotes) {
  const std::string text = to_markdown({.title = "T", .summary = "S", .sections = {{"One", {small_table()}}}});
  EXPECT_EQ(text,
            "# T\n\nS\n\n## One\n\n**Methods**\n\n| name | value |\n|---|--:|\n"
            "| a\\|b | **0.75** \\[0.50, 1.00\\] (p 0.01) |\n| c |  |\n| d |  |\n\na note\n\n");
}

TEST(Markdown, FencesCodeThatContainsFences) {
  const std::string text = to_markdown({.title = "T", .summary = "", .sections = {{"S", {Code{"a\n```\nb"}}}}});
  EXPECT_NE(text.find("````\na\n```\nb\n````\n"), std::string::npos);
}

TEST(Markdown, ThinsLongSeriesAndSaysSo) {
  Series line{.name = "a"};
  for (int i = 1; i <= 1000; ++i) {
    line.x.push_back(i);
    line.y.push_back(2 * i);
  }
  const Plot plot{.title = "T", .x = {.label = "x"}, .y = {.label = "y"}, .series = {line}};
  const std::string text = to_markdown({.title = "T", .summary = "", .sections = {{"S", {plot}}}});
  EXPECT_NE(text.find("| 1 | 2 |"), std::string::npos);
  EXPECT_NE(text.find("| 1000 | 2000 |"), std::string::npos);
  EXPECT_NE(text.find("41 of 1000 points"), std::string::npos);
}

TEST(Csv, WritesATableWithColumnsForIntervals) {
  EXPECT_EQ(to_csv(small_table()), "name,value,value low,value high\na|b,0.75,0.5,1\nc,,,\nd,,,\n");
}

TEST(Csv, QuotesFieldsThatNeedItAndChangesNone) {
  const std::vector<std::string> fields = {"plain", "a,b", "say \"x\"", "two\nlines", "=1+2", ""};
  EXPECT_EQ(csv_line(fields), "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",=1+2,\n");
}

TEST(Csv, WritesAReportCellByCell) {
  const Report report{.title = "T",
                      .summary = "",
                      .highlights = {{"gap", "0.1", "converged"}},
                      .sections = {{"One, two", {small_table(), Notice{.text = "careful"}}}}};
  EXPECT_EQ(to_csv(report),
            "section,table,row,column,value,low,high,note\n"
            ",,1,gap,0.1,,,converged\n"
            "\"One, two\",Methods,1,name,a|b,,,\n"
            "\"One, two\",Methods,1,value,0.75,0.5,1,p 0.01\n"
            "\"One, two\",Methods,2,name,c,,,\n"
            "\"One, two\",Methods,2,value,,,,\n"
            "\"One, two\",Methods,3,name,d,,,\n"
            "\"One, two\",,1,warning,careful,,,\n");
}

TEST(Csv, GivesFiguresInFullPrecision) {
  const Table table{.caption = "", .columns = {number_column("x", 1)}, .rows = {{0.1 + 0.2}}};
  EXPECT_EQ(to_csv(table), "x\n0.30000000000000004\n");
}

TEST(NumbersOfAPlot, StandSideBySideWhereSeriesShareX) {
  const Plot plot{.title = "T",
                  .x = {.label = "n"},
                  .y = {.label = "y"},
                  .series = {{.name = "a", .x = {1, 2}, .y = {3, 4}},
                             {.name = "b", .x = {1, 2}, .y = {5, 6}, .low = {4, 5}, .high = {6, 7}},
                             {.name = "limit", .y = {9}, .mark = Series::Mark::rule}}};
  EXPECT_EQ(to_csv(numbers_of(plot)), "n,a,b,b low,b high\n1,3,5,4,6\n2,4,6,5,7\n");
}

TEST(NumbersOfAPlot, StandBelowEachOtherElsewhere) {
  const Plot plot{
      .title = "T",
      .x = {.label = "n"},
      .y = {.label = "y"},
      .series = {{.name = "a", .x = {1, kMissing, 2}, .y = {3, kMissing, 4}}, {.name = "b", .x = {7}, .y = {8}}}};
  EXPECT_EQ(to_csv(numbers_of(plot)), "series,n,y\na,1,3\na,2,4\nb,7,8\n");
}

TEST(Files, AreWrittenInTheFormatOfTheirName) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "dorm_report_files";
  std::filesystem::create_directories(folder);
  const Report report{.title = "T", .summary = "", .sections = {{"S", {small_table()}}}};
  const auto content = [&](const char* name) {
    write_report(report, (folder / name).string());
    std::ifstream in(folder / name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  EXPECT_EQ(content("r.html"), to_html(report));
  EXPECT_EQ(content("r.htm"), to_html(report));
  EXPECT_EQ(content("r.md"), to_markdown(report));
  EXPECT_EQ(content("r.csv"), to_csv(report));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 4);  // and nothing beside them
  std::filesystem::remove_all(folder);
}

TEST(Files, OfUnknownFormatsAreRefused) {
  for (const char* name : {"r.pdf", "r", "-", "html"}) {
    SCOPED_TRACE(name);
    const std::string message = test::message_of([&] { format_of(name); }, ErrorCode::bad_option);
    EXPECT_NE(message.find(".html, .md or .csv"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace dorm::report
