// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/apps/report.h"
#include "report/well_formed.h"

namespace dorm::report {
namespace {

using test::xml_fault;

/// A report with every kind of block, in which every text is `text`.
Report everything(const std::string& text) {
  Cell noted(0.5, 0.4, 0.6);
  noted.note = text;
  noted.best = true;
  const Table table{.caption = text,
                    .columns = {text_column(text, text), number_column(text, 4, text)},
                    .rows = {{text, noted}, {text, kMissing}, {text}},
                    .footnotes = {text},
                    .order = Table::Order{1, true}};
  Table folded = table;
  folded.folded = true;
  const Plot plot{.title = text,
                  .x = {.label = text},
                  .y = {.label = text},
                  .series = {{.name = text, .x = {1, 2}, .y = {3, 4}},
                             {.name = text, .x = {1, 3}, .y = {5, 6}, .low = {4, 5}, .high = {6, 7}}},
                  .caption = text};
  const Axis axis{.label = text};
  const Bars bars{.title = text,
                  .value = axis,
                  .categories = {text, "b"},
                  .groups = {{text, {1, -2}, {0, -3}, {2, -1}}},
                  .caption = text};
  const Forest forest{
      .title = text,
      .rows = {text, "b"},
      .panels = {{{.label = text},
                  {{0.5, 0.4, 0.6, Forest::Told::reference, text}, {0.4, 0.3, 0.5, Forest::Told::worse}}}},
      .caption = text};
  const Queries::Lists lists{.documents = {{text, 1, 1}},
                             .ideal = {0},
                             .rankers = {{.order = {0}, .ranks = {1}, .scores = {kMissing}}},
                             .positions = 1};
  const Queries queries{.title = text,
                        .measure = text,
                        .data = text,
                        .rankers = {{.name = text, .values = {0.5}, .features = {text}, .weights = {1}}},
                        .queries = {{.name = text, .documents = 1, .relevant = 1, .ideal = 1, .lists = lists}},
                        .caption = text};
  const Heatmap map{.title = text,
                    .row_label = text,
                    .column_label = text,
                    .rows = {text, "r"},
                    .columns = {text, "c"},
                    .values = {{1, kMissing}, {3, 4}},
                    .mark = Heatmap::Mark{1, 0, text},
                    .caption = text};
  const Facts facts{{{text, text, text}}};
  return {text,
          text,
          {{text, text, text}},
          {{text,
            {Paragraph{text}, Code{text}, Notice{.text = text}, Notice{Notice::Kind::good, text}, facts, table, folded,
             plot, bars, forest, map, queries}},
           {text, {plot, table}}},
          text,
          Notice{Notice::Kind::plain, text}};
}

const std::string kHostile = "</script><script>alert(1)</script>\"><img src=x onerror='alert(2)'>&<!-- ]]> \xff\x01";

TEST(Page, IsWellFormedWhateverTheTextSays) {
  for (const std::string& text : {std::string("plain"), std::string(), kHostile})
    EXPECT_EQ(xml_fault(to_html(everything(text))), "");
}

TEST(Page, HasTheSameElementsWhateverTheTextSays) {
  std::vector<std::string> plain, hostile;
  std::string words;
  // Of one length, since the length decides what stands side by side.
  ASSERT_EQ(xml_fault(to_html(everything(std::string(kHostile.size(), 'p'))), plain, words), "");
  ASSERT_EQ(xml_fault(to_html(everything(kHostile)), hostile, words), "");
  EXPECT_EQ(plain, hostile);
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), "script"), 1);
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), "img"), 0);
}

TEST(Page, NeedsNothingFromElsewhere) {
  std::string page = to_html(everything("plain"));
  // The script names elements of SVG and MathML by addresses that nothing fetches.
  constexpr std::string_view kNames = "http://www.w3.org/";
  for (std::size_t i = page.find(kNames); i != std::string::npos; i = page.find(kNames)) page.erase(i, kNames.size());
  for (const char* part : {"http:", "https:", "src=", "url(", "@import", "<link"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(Page, ShowsFiguresWithIntervalNoteAndEmphasis) {
  Cell best(0.71784, 0.6708, 0.7625);
  best.best = true;
  best.note = "p < 0.01";
  const Table table{.caption = "T",
                    .columns = {text_column("method"), number_column("ndcg@10")},
                    .rows = {{"dorm", best}, {"ridge", 0.7}}};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {table}}}});
  EXPECT_NE(
      page.find("<th scope=\"row\" class=\"word\">dorm</th>"
                "<td class=\"n\" data-v=\"0.71784\"><strong class=\"best\">0.7178</strong>"
                "<span class=\"extra\" style=\"min-width:26ch\"> <span class=\"interval\">[0.6708, 0.7625]</span> "
                "<span class=\"note\">p &lt; 0.01</span></span></td>"),
      std::string::npos);
  // What follows a figure takes as much room where there is nothing, so that the points stay below each other.
  EXPECT_NE(
      page.find("<td class=\"n\" data-v=\"0.7\">0.7000<span class=\"extra\" style=\"min-width:26ch\"></span></td>"),
      std::string::npos);
}

TEST(Page, ShowsIntervalsAsBarsOnOneScaleAndTheirEndsOnHover) {
  Cell best(0.75, 0.5, 1.0), other(0.5, 0.5, 0.75);
  other.note = "n.s.";
  other.hint = "p 0.2000";
  const Table table{.caption = "T",
                    .columns = {text_column("method"), barred_column("ndcg@10", 2)},
                    .rows = {{"dorm", best}, {"ridge", other}, {"random", 0.1}}};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {table}}}});
  EXPECT_NE(page.find("title=\"[0.50, 1.00]\">0.75<"), std::string::npos);
  EXPECT_NE(page.find("<i style=\"left:0.0%;width:100.0%\"></i><b style=\"left:50.0%\"></b>"), std::string::npos);
  EXPECT_NE(page.find("title=\"[0.50, 0.75], p 0.2000\">0.50<"), std::string::npos);
  EXPECT_NE(page.find("<i style=\"left:0.0%;width:50.0%\"></i><b style=\"left:0.0%\"></b>"), std::string::npos);
  EXPECT_NE(page.find("<table class=\"sortable methods\">"), std::string::npos);
  const std::string csv = to_csv(Report{.title = "t", .summary = "", .sections = {{"s", {table}}}});
  EXPECT_NE(csv.find("s,T,2,ndcg@10,0.5,0.5,0.75,\"n.s., p 0.2000\"\n"), std::string::npos);
}

TEST(Page, PutsThePointsOfFiguresBelowEachOther) {
  const Table table{.caption = "T",
                    .columns = {text_column("a"), significant_column("v", 6)},
                    .rows = {{"x", 0.125}, {"y", 12.5}, {"z", 3}, {"e", 1e-7}}};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {table}}}});
  EXPECT_NE(page.find("data-v=\"0.125\">0.125<"), std::string::npos);
  EXPECT_NE(page.find("style=\"padding-right:calc(.75em + 2ch)\">12.5<"), std::string::npos);
  EXPECT_NE(page.find("style=\"padding-right:calc(.75em + 3.5ch)\">3<"),
            std::string::npos);  // the point is half a digit
  EXPECT_NE(page.find("data-v=\"1e-07\">1e-07<"), std::string::npos);
}

TEST(Page, PutsNarrowTablesBesidePlotsAndWideOnesBelow) {
  const Plot plot{
      .title = "P", .x = {.label = "x"}, .y = {.label = "y"}, .series = {{.name = "a", .x = {1}, .y = {2}}}};
  Table narrow{.caption = "T", .columns = {text_column("a"), number_column("v")}, .rows = {{"x", 1}}};
  Table wide = narrow;
  for (int c = 0; c < 9; ++c) wide.columns.push_back(number_column("column " + std::to_string(c)));
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {plot, narrow, wide}}}});
  const std::size_t grid = page.find("<div class=\"figures\">"), figure = page.find("<figure>");
  const std::size_t beside = page.find("<div>\n<div class=\"scroll\"", figure);
  ASSERT_NE(beside, std::string::npos);
  EXPECT_LT(grid, figure);
  EXPECT_NE(page.find("</div>\n</div>\n<div class=\"scroll\"", beside), std::string::npos);  // the grid ends
}

TEST(Page, GivesQueriesToItsScriptRounded) {
  Queries queries{.title = "All queries", .measure = "ndcg@10", .data = "t.txt", .cutoff = 10};
  queries.rankers = {{.name = "m", .values = {1.0 / 3, kMissing}, .features = {"a&b"}, .weights = {-0.25}}};
  queries.queries = {{.name = "q<1>", .documents = 2, .relevant = 1, .ideal = 1}, {.name = "q2", .documents = 4}};
  Queries::Contributions why{.features = {0}, .mean_score = 1, .means = {0.5}, .values = {{3}}, .above = {{1e-9}}};
  queries.queries[0].lists = Queries::Lists{
      .documents = {{"d", 2, 1}},
      .ideal = {0},
      .rankers = {{.order = {0}, .ranks = {0}, .scores = {-std::numeric_limits<double>::infinity()}, .why = why}},
      .positions = 1};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {queries}}}});
  EXPECT_NE(page.find(R"({"measure":"ndcg@10","cutoff":10,"data":"t.txt","labels":[2],"ids":["q\u003c1\u003e","q2"],)"
                      R"("documents":[2,4],"relevant":[1,0],"ideal":[1,null],)"
                      R"("rankers":[{"name":"m","values":[0.333333,null],"features":["a\u0026b"],"weights":[-0.25]}],)"
                      R"("lists":{"0":{"docs":[["d",2]],"order":[[0]],"ranks":[[null]],"scores":[[null]],"ideal":[0],)"
                      R"("idealRanks":[1],"kept":1,"why":[{"features":[0],"mean":1,"means":[0.5],"values":[[3]],)"
                      R"("above":[[1e-09]]}]}},"compared":[0,null]})"),
            std::string::npos);
  EXPECT_EQ(xml_fault(page), "");
  const std::string csv = to_csv({.title = "t", .summary = "", .sections = {{"s", {queries}}}});
  EXPECT_NE(csv.find("s,All queries,1,m,0.3333333333333333,"), std::string::npos) << csv;
}

TEST(Page, ListsSectionsWithTheirFirstPicturesWhereAsked) {
  const Plot plot{
      .title = "P", .x = {.label = "x"}, .y = {.label = "y"}, .series = {{.name = "a", .x = {1}, .y = {2}}}};
  Report report{.title = "t", .summary = "", .sections = {{"first", {plot}}, {"second", {Paragraph{"words"}}}}};
  EXPECT_EQ(to_html(report).find("class=\"thumb\""), std::string::npos);
  report.gallery = true;
  const std::string page = to_html(report);
  EXPECT_EQ(xml_fault(page), "");
  const std::size_t thumb = page.find("<a href=\"#s-0\"><div class=\"thumb\" aria-hidden=\"true\">\n<svg ");
  EXPECT_LT(thumb, page.find("</svg>\n</div>first</a>"));
  EXPECT_NE(page.find("<a href=\"#s-1\">second</a>"), std::string::npos);
}

TEST(Page, BeginsWithTheVerdict) {
  Report report{.title = "t", .summary = "s", .highlights = {{"a", "1"}}, .sections = {{"s", {}}}};
  report.verdict = Notice{Notice::Kind::good, "better than both"};
  const std::string page = to_html(report);
  EXPECT_LT(page.find("<p class=\"verdict good\">better than both</p>"), page.find("<dl class=\"tiles\">"));
  EXPECT_NE(to_markdown(report).find("**better than both**"), std::string::npos);
  EXPECT_NE(to_csv(report).find("verdict,better than both"), std::string::npos);
}

TEST(Page, SortsAFigureByItsValueAndShowsItsText) {
  Cell p(1e-7);
  p.text = "< 0.0001";
  const Table table{.caption = "T", .columns = {text_column("a"), number_column("p")}, .rows = {{"x", p}}};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {table}}}});
  EXPECT_NE(page.find("data-v=\"1e-07\">&lt; 0.0001</td>"), std::string::npos);
}

TEST(Page, ShadesTheLargestValueOfAHeatMapMostAndMarksTheChosenOne) {
  const Heatmap map{.title = "T",
                    .row_label = "r",
                    .column_label = "c",
                    .rows = {"a"},
                    .columns = {"1", "2", "3"},
                    .values = {{0.1, 0.9, 0.5}},
                    .digits = 1,
                    .mark = Heatmap::Mark{0, 2, "chosen"}};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {map}}}});
  EXPECT_NE(page.find("<td class=\"h0\">0.1</td><td class=\"h8\">0.9</td><td class=\"h4 chosen\">0.5"),
            std::string::npos);
}

TEST(Page, ShadesAHeatMapFromTheLowerQuartileOn) {
  const Heatmap map{.title = "T",
                    .row_label = "r",
                    .column_label = "c",
                    .rows = {"a"},
                    .columns = {"1", "2", "3", "4", "5"},
                    .values = {{-100, 0.0, 0.5, 0.75, 1.0}},
                    .digits = 2};
  const std::string page = to_html({.title = "t", .summary = "", .sections = {{"s", {map}}}});
  EXPECT_NE(page.find("<td class=\"h0\">-100.00</td><td class=\"h0\">0.00</td><td class=\"h4\">0.50</td>"
                      "<td class=\"h6\">0.75</td><td class=\"h8\">1.00</td>"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm::report
