// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/report.h"
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
             plot, bars, map}},
           {text, {plot, table}}},
          text};
}

const std::string kHostile = "</script><script>alert(1)</script>\"><img src=x onerror='alert(2)'>&<!-- ]]> \xff\x01";

TEST(Page, IsWellFormedWhateverTheTextSays) {
  for (const std::string& text : {std::string("plain"), std::string(), kHostile})
    EXPECT_EQ(xml_fault(to_html(everything(text))), "");
}

TEST(Page, HasTheSameElementsWhateverTheTextSays) {
  std::vector<std::string> plain, hostile;
  std::string words;
  ASSERT_EQ(xml_fault(to_html(everything("plain")), plain, words), "");
  ASSERT_EQ(xml_fault(to_html(everything(kHostile)), hostile, words), "");
  EXPECT_EQ(plain, hostile);
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), "script"), 1);
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), "img"), 0);
}

TEST(Page, NeedsNothingFromElsewhere) {
  const std::string page = to_html(everything("plain"));
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
  EXPECT_NE(page.find("<th scope=\"row\" class=\"word\">dorm</th>"
                      "<td class=\"n\" data-v=\"0.71784\"><strong class=\"best\">0.7178</strong> "
                      "<span class=\"interval\">[0.6708, 0.7625]</span> <span class=\"note\">p &lt; 0.01</span></td>"),
            std::string::npos);
  EXPECT_NE(page.find("<td class=\"n\" data-v=\"0.7\">0.7000</td>"), std::string::npos);
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

}  // namespace
}  // namespace dorm::report
