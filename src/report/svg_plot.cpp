// SPDX-License-Identifier: Apache-2.0
// Lines, points and bands against two axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg.h"
#include "report/text.h"
#include "report/ticks.h"

namespace dorm::report {
namespace {

constexpr double kPlotWidth = 480, kPlotHeight = 300;
constexpr double kPlotTop = 30, kPlotBottom = 52, kPlotRight = 18;
constexpr std::size_t kMostMarkers = 24;  // of a series; more would hide its line
std::vector<double> x_values(const Plot& plot) {
  std::vector<double> values;
  for (const Series& series : plot.series)
    if (series.mark != Series::Mark::rule) values.insert(values.end(), series.x.begin(), series.x.end());
  return values;
}

std::vector<double> y_values(const Plot& plot) {
  std::vector<double> values;
  for (const Series& series : plot.series)
    for (const auto* part : {&series.y, &series.low, &series.high})
      values.insert(values.end(), part->begin(), part->end());
  return values;
}

class CurvePicture {
 public:
  explicit CurvePicture(const Plot& plot)
      : plot_(plot),
        x_(plot.x, x_values(plot), false, 0, 1),
        y_(plot.y, y_values(plot), true, kPlotHeight - kPlotBottom, kPlotTop) {
    double labels = 0;
    for (const Tick& tick : y_.ticks()) labels = std::max(labels, svg::text_width(tick.label));
    left_ = labels + 12;
    x_.lay_over(left_ + 6, kPlotWidth - kPlotRight);
  }

  std::string draw() const {
    std::string out = svg::opening(kPlotWidth, kPlotHeight, description());
    out += grid();
    for (std::size_t k = 0; k < plot_.series.size(); ++k) out += series(k);
    return out + "</svg>\n";
  }

 private:
  std::string description() const {
    std::string names;
    for (const Series& series : plot_.series) names += fmt::format("{}{}", names.empty() ? "" : ", ", series.name);
    return fmt::format("{}: {} against {}; {}", plot_.title, plot_.y.label, plot_.x.label, names);
  }

  std::string grid() const {
    std::string out;
    const double bottom = kPlotHeight - kPlotBottom;
    for (const Tick& tick : y_.ticks()) {
      const double y = y_.place(tick.value);
      out += svg::line(left_, y, kPlotWidth - kPlotRight + 6, y, "grid");
      out += svg::text(left_ - 6, y + 4, svg::Anchor::kEnd, tick.label);
    }
    double free_from = 0;  // labels that would touch the one before are left out
    for (const Tick& tick : x_.ticks()) {
      const double x = x_.place(tick.value), half = svg::text_width(tick.label) / 2;
      out += svg::line(x, bottom, x, bottom + 5, "axis");
      if (x - half < free_from || x + half > kPlotWidth) continue;
      out += svg::text(x, bottom + 24, svg::Anchor::kMiddle, tick.label);
      free_from = x + half + 6;
    }
    out += svg::line(left_, bottom, kPlotWidth - kPlotRight + 6, bottom, "axis");
    out += svg::text(2, 14, svg::Anchor::kStart, plot_.y.label + (plot_.y.log ? " (log scale)" : ""), "label");
    out += svg::text((left_ + kPlotWidth) / 2, kPlotHeight - 6, svg::Anchor::kMiddle,
                     plot_.x.label + (plot_.x.log ? " (log scale)" : ""), "label");
    return out;
  }

  std::string series(std::size_t k) const {
    const Series& s = plot_.series[k];
    std::string out = fmt::format("<g class=\"{}\">\n", svg::colour_class(k));
    if (s.mark == Series::Mark::rule) {
      if (y_.shows(at(s.y, 0)))
        out += fmt::format("<path class=\"line\"{} d=\"M{} {}H{}\"/>\n", svg::dash_of(k), svg::coordinate(left_),
                           svg::coordinate(y_.place(s.y[0])), svg::coordinate(kPlotWidth - kPlotRight + 6));
    } else {
      out += band(s);
      if (s.mark == Series::Mark::line) out += line(s, k);
      out += markers(s, k);
    }
    return out + "</g>\n";
  }

  bool shown(const Series& s, std::size_t i) const { return x_.shows(s.x[i]) && y_.shows(at(s.y, i)); }
  bool banded(const Series& s, std::size_t i) const {
    return x_.shows(s.x[i]) && y_.shows(at(s.low, i)) && y_.shows(at(s.high, i));
  }
  // `pen`: M moves, L draws.
  std::string stroke(char pen, double x, double y) const {
    return fmt::format("{}{} {}", pen, svg::coordinate(x_.place(x)), svg::coordinate(y_.place(y)));
  }

  std::string line(const Series& s, std::size_t k) const {
    std::string d;
    bool drawing = false;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (shown(s, i)) d += stroke(drawing ? 'L' : 'M', s.x[i], s.y[i]);
      drawing = shown(s, i);
    }
    return d.empty() ? "" : fmt::format("<path class=\"line\"{} d=\"{}\"/>\n", svg::dash_of(k), d);
  }

  // One closed shape for each run of points that have an interval.
  std::string band(const Series& s) const {
    std::string out;
    for (std::size_t begin = 0; begin < s.x.size();) {
      std::size_t end = begin;
      while (end < s.x.size() && banded(s, end)) ++end;
      std::string d;
      for (std::size_t i = begin; i < end; ++i) d += stroke(d.empty() ? 'M' : 'L', s.x[i], s.high[i]);
      for (std::size_t i = end; i-- > begin;) d += stroke('L', s.x[i], s.low[i]);
      if (!d.empty()) out += fmt::format("<path class=\"band\" d=\"{}z\"/>\n", d);
      begin = std::max(end, begin + 1);
    }
    return out;
  }

  std::string markers(const Series& s, std::size_t k) const {
    const bool all = s.mark == Series::Mark::points;
    const std::size_t stride = all ? 1 : s.x.size() / kMostMarkers + 1;
    std::string out;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!shown(s, i) || (i % stride != 0 && i + 1 != s.x.size())) continue;
      const Cell cell(s.y[i], at(s.low, i), at(s.high, i));
      const std::string interval = interval_text(cell, kSixDigits);
      out += svg::marker(
          k, x_.place(s.x[i]), y_.place(s.y[i]),
          fmt::format("{}: {} {}, {} {}{}{}", s.name, plot_.x.label, number_text(s.x[i], kSixDigits), plot_.y.label,
                      number_text(s.y[i], kSixDigits), interval.empty() ? "" : " ", interval));
    }
    return out;
  }

  const Plot& plot_;
  Scale x_, y_;
  double left_ = 0;
};

}  // namespace

std::string svg_of(const Plot& plot) { return CurvePicture(plot).draw(); }

std::string legend_of(const Plot& plot) {
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const Series& s = plot.series[k];
    out += fmt::format("<li><svg viewBox=\"0 0 34 12\" class=\"{}\" aria-hidden=\"true\">", svg::colour_class(k));
    if (s.mark != Series::Mark::points) out += fmt::format("<path class=\"line\"{} d=\"M1 6H33\"/>", svg::dash_of(k));
    if (s.mark != Series::Mark::rule) out += svg::marker(k, 17, 6, "");
    out += fmt::format("</svg>{}</li>\n", escape_html(s.name));
  }
  return out + "</ul>\n";
}

}  // namespace dorm::report
