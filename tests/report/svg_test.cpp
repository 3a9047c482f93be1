// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "report/well_formed.h"

namespace dorm::report {
namespace {

using test::xml_fault;

Plot plot_of(std::vector<Series> series, bool log = false) {
  return {.title = "T", .x = {.label = "x"}, .y = {.label = "y", .log = log}, .series = std::move(series)};
}

std::vector<std::pair<double, double>> markers_of(const std::string& svg) {
  const std::regex pattern("class=\"mark\" transform=\"translate\\(([0-9.]+) ([0-9.]+)\\)\"");
  std::vector<std::pair<double, double>> places;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), pattern); it != std::sregex_iterator(); ++it)
    places.emplace_back(std::stod((*it)[1]), std::stod((*it)[2]));
  return places;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

// The path data of the line of a series.
std::string line_of(const std::string& svg) {
  std::smatch found;
  std::regex_search(svg, found, std::regex("<path class=\"line\"[^>]* d=\"([^\"]*)\""));
  return found[1];
}

TEST(PlotPicture, PutsLargerValuesFurtherRightAndFurtherUp) {
  for (const bool log : {false, true}) {
    const std::string svg = svg_of(plot_of({{.name = "a", .x = {1, 2, 5, 9}, .y = {0.1, 1, 4, 50}}}, log));
    EXPECT_EQ(xml_fault(svg), "");
    const auto places = markers_of(svg);
    ASSERT_EQ(places.size(), 4u);
    for (std::size_t i = 1; i < places.size(); ++i) {
      EXPECT_GT(places[i].first, places[i - 1].first);
      EXPECT_LT(places[i].second, places[i - 1].second);
    }
  }
}

TEST(PlotPicture, InterruptsTheLineWhereAValueIsMissing) {
  const std::string svg = svg_of(plot_of({{.name = "a", .x = {1, 2, 3, 4, 5}, .y = {1, 2, kMissing, 4, 5}}}));
  EXPECT_EQ(count(line_of(svg), "M"), 2u);
  EXPECT_EQ(count(line_of(svg), "L"), 2u);
  EXPECT_EQ(markers_of(svg).size(), 4u);
}

TEST(PlotPicture, DrawsABandForEachRunOfIntervals) {
  const double no = kMissing;
  const std::string svg = svg_of(
      plot_of({{.name = "a", .x = {1, 2, 3, 4}, .y = {1, 1, 1, 1}, .low = {0, 0, no, 0}, .high = {2, 2, no, 2}}}));
  EXPECT_EQ(count(svg, "class=\"band\""), 2u);
}

TEST(PlotPicture, SaysInATooltipWhatAPointIs) {
  const std::string svg = svg_of(plot_of({{.name = "ours", .x = {10}, .y = {0.5}, .low = {0.4}, .high = {0.6}}}));
  EXPECT_NE(svg.find("<title>ours: x 10, y 0.5 [0.4, 0.6]</title>"), std::string::npos);
}

TEST(PlotPicture, DistinguishesSeriesByMoreThanColour) {
  std::vector<Series> series;
  for (int k = 0; k < 9; ++k) series.push_back({.name = std::to_string(100 + k), .x = {1, 2}, .y = {1, 2}});
  const std::string legend = legend_of(plot_of(series));
  const std::regex shape("<path[^>]*d=\"([^\"]*)\"");
  std::vector<std::string> samples;
  for (auto it = std::sregex_iterator(legend.begin(), legend.end(), shape); it != std::sregex_iterator(); ++it)
    samples.push_back(it->str());
  ASSERT_EQ(samples.size(), 18u);  // a line and a marker each
  for (std::size_t a = 0; a < 9; ++a)
    for (std::size_t b = a + 1; b < 9; ++b)
      EXPECT_FALSE(samples[2 * a] == samples[2 * b] && samples[2 * a + 1] == samples[2 * b + 1]) << a << b;
  for (const Series& s : series) EXPECT_NE(legend.find(s.name), std::string::npos);
}

TEST(PlotPicture, BearsEmptyAndHostileInput) {
  const std::string bad = "</svg><script>\"'&\xff";
  for (const Plot& plot : {plot_of({}), plot_of({{.name = bad}}), plot_of({{.name = bad, .x = {1}, .y = {}}}),
                           plot_of({{.name = bad, .x = {NAN}, .y = {NAN}}}),
                           plot_of({{.name = bad, .y = {3}, .mark = Series::Mark::rule}}),
                           Plot{.title = bad, .x = {.label = bad}, .y = {.label = bad}}}) {
    EXPECT_EQ(xml_fault(svg_of(plot)), "");
    EXPECT_EQ(xml_fault(legend_of(plot)), "");
    EXPECT_EQ(svg_of(plot).find("<script"), std::string::npos);
  }
}

TEST(PlotPicture, NamesManyLinesAtTheirEndsNoneOnAnother) {
  std::vector<Series> series;
  for (int k = 0; k < 12; ++k)
    series.push_back({.name = "line " + std::to_string(k), .x = {1, 2}, .y = {0, 1 + 1e-3 * k}});
  const Plot plot = plot_of(series);
  EXPECT_TRUE(names_its_lines(plot));
  const std::string svg = svg_of(plot);
  EXPECT_EQ(xml_fault(svg), "");
  const std::regex pattern("<text x=\"[0-9.]+\" y=\"([0-9.]+)\" text-anchor=\"start\" class=\"name\">line ([0-9]+)<");
  std::vector<double> y(12, NAN);
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), pattern); it != std::sregex_iterator(); ++it)
    y[std::stoul((*it)[2])] = std::stod((*it)[1]);
  for (std::size_t k = 1; k < 12; ++k) EXPECT_GE(y[k - 1] - y[k], 15) << k;  // higher ends, higher names
  series.resize(2);
  EXPECT_FALSE(names_its_lines(plot_of(series)));
  EXPECT_EQ(count(svg_of(plot_of(series)), "class=\"name\""), 0u);
}

TEST(PlotPicture, NamesManySinglePointsBesideThem) {
  std::vector<Series> series;
  for (int k = 0; k < 5; ++k)
    series.push_back({.name = "m" + std::to_string(k), .x = {1.0}, .y = {1.0}, .mark = Series::Mark::points});
  series.push_back({.name = "far", .x = {9.0}, .y = {5.0}, .mark = Series::Mark::points});
  const std::string svg = svg_of(plot_of(series));
  EXPECT_EQ(count(svg, "class=\"name\""), 6u);
  EXPECT_NE(svg.find("text-anchor=\"end\" class=\"name\">far<"), std::string::npos);
  const std::regex pattern("y=\"([0-9.]+)\" text-anchor=\"start\" class=\"name\"");
  std::vector<double> y;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), pattern); it != std::sregex_iterator(); ++it)
    y.push_back(std::stod((*it)[1]));
  ASSERT_EQ(y.size(), 5u);
  std::sort(y.begin(), y.end());  // above and below the points
  for (std::size_t k = 1; k < y.size(); ++k) EXPECT_GE(y[k] - y[k - 1], 15);
  EXPECT_EQ(count(svg, "class=\"leader\""), 4u);  // of five names at one place, one stays beside it
}

TEST(ForestPicture, HasARowPerNameAPanelPerMeasureAndTellsByShapeHowAValueCompares) {
  using Told = Forest::Told;
  const Forest forest{.title = "T",
                      .rows = {"dorm", "ridge", "svm", "own"},
                      .panels = {{{.label = "ndcg"},
                                  {{0.7, 0.6, 0.8, Told::reference},
                                   {0.65, 0.55, 0.75, Told::same, "p 0.2"},
                                   {0.5, 0.4, 0.6, Told::worse, "p 0.01"},
                                   {0.75, 0.7, 0.8, Told::better}}},
                                 {{.label = "map"}, {{0.3, kMissing, kMissing}, {}, {}, {}}}}};
  const std::string svg = svg_of(forest);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "<svg "), 2u);
  EXPECT_EQ(count(svg, "class=\"reference\""), 1u);
  EXPECT_EQ(count(svg, "class=\"span\""), 4u);
  EXPECT_NE(svg.find("<title>svm: 0.5 [0.4, 0.6], p 0.01, worse than the reference</title>"), std::string::npos);
  std::vector<std::string> shapes;
  const std::regex pattern("class=\"told\" transform=\"[^\"]*\" d=\"([^\"]*)\"");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), pattern); it != std::sregex_iterator(); ++it)
    shapes.push_back((*it)[1]);
  ASSERT_EQ(shapes.size(), 5u);
  std::sort(shapes.begin(), shapes.end());
  EXPECT_EQ(std::unique(shapes.begin(), shapes.end()), shapes.end());
  EXPECT_EQ(count(legend_of(forest), "<li>"), 5u);
}

TEST(BarPicture, GrowsFromZeroToBothSides) {
  const Axis axis{.label = "w"};
  const Bars bars{
      .title = "T", .value = axis, .categories = {"up", "down", "none"}, .groups = {{"", {2, -1, kMissing}}}};
  const std::string svg = svg_of(bars);
  EXPECT_EQ(xml_fault(svg), "");
  std::vector<double> x, width;
  const std::regex pattern("<rect class=\"bar\" x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"([0-9.]+)\"");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), pattern); it != std::sregex_iterator(); ++it) {
    x.push_back(std::stod((*it)[1]));
    width.push_back(std::stod((*it)[2]));
  }
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(width[0], 2 * width[1], 0.02);
  EXPECT_NEAR(x[1] + width[1], x[0], 0.02);  // the left bar ends where the right one begins
}

TEST(BarPicture, ShortensLongNamesBetweenCharacters) {
  const std::string name(40, 'm');
  EXPECT_LE(svg::text_width(svg::shortened(name, 100)), 100);
  EXPECT_EQ(svg::shortened("short", 100), "short");
  std::string hebrew;
  for (int i = 0; i < 40; ++i) hebrew += "\u05d0";
  const std::string cut = svg::shortened(hebrew, 100);
  EXPECT_EQ(cut.find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(cut.substr(cut.size() - 3), "\u2026");
  EXPECT_EQ((cut.size() - 3) % 2, 0u);  // whole letters of two bytes
}

}  // namespace
}  // namespace dorm::report
