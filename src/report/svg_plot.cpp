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
constexpr double kLongestLineName = 165, kNameHeight = 19;
constexpr std::size_t kFewLines = 4;  // a legend names so many
constexpr std::size_t kFewBands = 3;  // of more, only the first is seen until the pointer is on a line

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

/// Many series of one point each.
bool names_its_points(const Plot& plot) {
  return plot.series.size() > kFewLines && std::all_of(plot.series.begin(), plot.series.end(), [](const Series& s) {
           return s.mark == Series::Mark::points && s.x.size() == 1;
         });
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
    if (names_its_lines(plot) && !names_its_points(plot)) {
      double names = 0;
      for (const Series& s : plot.series)
        names = std::max(names, svg::text_width(svg::shortened(s.name, kLongestLineName)));
      right_ = names + 26;
      const double needed = kPlotTop + kPlotBottom + kNameHeight * static_cast<double>(plot.series.size());
      height_ = std::max(kPlotHeight, needed);
      y_.lay_over(height_ - kPlotBottom, kPlotTop);
    }
    x_.lay_over(left_ + 6, kPlotWidth - right_);
    if (names_its_points(plot))
      place_beside_points();
    else
      place_names();
  }

  std::string draw() const {
    std::string out = svg::opening(kPlotWidth, height_, description(),
                                   fmt::format(" data-cross=\"{} {}\"", kPlotTop, height_ - kPlotBottom));
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
    const double bottom = height_ - kPlotBottom;
    for (const Tick& tick : y_.ticks()) {
      const double y = y_.place(tick.value);
      out += svg::line(left_, y, kPlotWidth - right_ + 6, y, "grid");
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
    out += svg::line(left_, bottom, kPlotWidth - right_ + 6, bottom, "axis");
    out += svg::text(2, 14, svg::Anchor::kStart, plot_.y.label + (plot_.y.log ? " (log scale)" : ""), "label");
    out += svg::text((left_ + kPlotWidth - right_ + kPlotRight) / 2, height_ - 6, svg::Anchor::kMiddle,
                     plot_.x.label + (plot_.x.log ? " (log scale)" : ""), "label");
    return out;
  }

  std::string series(std::size_t k) const {
    const Series& s = plot_.series[k];
    std::string out =
        fmt::format("<g class=\"{}\" data-s=\"{}\" data-name=\"{}\">\n", svg::colour_class(k), k, escape_html(s.name));
    if (s.mark == Series::Mark::rule) {
      if (y_.shows(at(s.y, 0)))
        out += fmt::format("<path class=\"line\"{} d=\"M{} {}H{}\"/>\n", svg::dash_of(k), svg::coordinate(left_),
                           svg::coordinate(y_.place(s.y[0])), svg::coordinate(kPlotWidth - right_ + 6));
    } else {
      out += band(s);
      if (s.mark == Series::Mark::line) out += line(s, k);
      if (s.mark != Series::Mark::area) out += markers(s, k);
    }
    return out + name(k) + "</g>\n";
  }

  /// Where the line of a series ends; not finite when it has no point.
  std::pair<double, double> end_of(const Series& s) const {
    if (s.mark == Series::Mark::rule)
      return {kPlotWidth - right_ + 6, y_.shows(at(s.y, 0)) ? y_.place(s.y[0]) : kMissing};
    for (std::size_t i = s.x.size(); i-- > 0;)
      if (shown(s, i)) return {x_.place(s.x[i]), y_.place(s.y[i])};
    return {kMissing, kMissing};
  }

  /// Names stand at the right edge in the order of the ends of their lines, none on another.
  void place_names() {
    name_y_.assign(plot_.series.size(), kMissing);
    if (!names_its_lines(plot_)) return;
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < plot_.series.size(); ++k)
      if (std::isfinite(end_of(plot_.series[k]).second)) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return end_of(plot_.series[a]).second < end_of(plot_.series[b]).second;
    });
    double free_from = kPlotTop;
    for (const std::size_t k : order) {
      name_y_[k] = std::max(end_of(plot_.series[k]).second, free_from);
      free_from = name_y_[k] + kNameHeight;
    }
    double limit = height_ - kPlotBottom;
    for (std::size_t i = order.size(); i-- > 0; limit -= kNameHeight)
      name_y_[order[i]] = limit = std::min(name_y_[order[i]], limit);
  }

  struct Box {
    double left, right, top, bottom;
    bool touches(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };

  /// Names of single points stand beside them: in the nearest place, on either side, free of other names and markers.
  void place_beside_points() {
    name_y_.assign(plot_.series.size(), kMissing);
    name_before_.assign(plot_.series.size(), false);
    std::vector<std::size_t> order;
    std::vector<Box> taken;
    for (std::size_t k = 0; k < plot_.series.size(); ++k) {
      const auto [x, y] = end_of(plot_.series[k]);
      if (!std::isfinite(y)) continue;
      order.push_back(k);
      taken.push_back({x - 6, x + 6, y - 6, y + 6});
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return end_of(plot_.series[a]).second < end_of(plot_.series[b]).second;
    });
    for (const std::size_t k : order) {
      const Box box = free_place(k, taken);
      taken.push_back(box);
      name_y_[k] = (box.top + box.bottom) / 2;
      name_before_[k] = box.left < end_of(plot_.series[k]).first;
      height_ = std::max(height_, name_y_[k] + kPlotBottom + 4);
    }
  }

  /// Tries heights further and further from the point, above and below. Down there is always room: the picture grows.
  Box free_place(std::size_t k, const std::vector<Box>& taken) const {
    const auto [x, y] = end_of(plot_.series[k]);
    const double width = svg::text_width(svg::shortened(plot_.series[k].name, kLongestLineName)) + 4;
    const bool usual = x > kPlotWidth * 0.6;
    for (int step = 0;; ++step) {
      const int away = (step + 1) / 2 * (step % 2 == 0 ? 1 : -1);  // 0, -1, 1, -2, 2, ...
      const double middle = y + away * kNameHeight / 2;
      for (const bool before : {usual, !usual}) {
        const Box box{before ? x - 6 - width : x + 6, before ? x - 6 : x + 6 + width, middle - kNameHeight / 2,
                      middle + kNameHeight / 2};
        const bool inside = before == usual || (box.left >= left_ && box.right <= kPlotWidth - right_);
        const bool high = box.top < kPlotTop;
        if (inside && !high && std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return box.touches(b); }))
          return box;
      }
    }
  }

  std::string name(std::size_t k) const {
    if (!std::isfinite(name_y_[k])) return "";
    if (names_its_points(plot_)) {
      const auto [x, y] = end_of(plot_.series[k]);
      const double side = name_before_[k] ? -1 : 1;
      std::string leader;
      if (std::abs(name_y_[k] - y) > kNameHeight / 2)
        leader = fmt::format("<path class=\"leader\" d=\"M{} {}L{} {}\"/>\n", svg::coordinate(x), svg::coordinate(y),
                             svg::coordinate(x + 6 * side), svg::coordinate(name_y_[k]));
      return leader + svg::text(x + 8 * side, name_y_[k] + 4, name_before_[k] ? svg::Anchor::kEnd : svg::Anchor::kStart,
                                svg::shortened(plot_.series[k].name, kLongestLineName), "name");
    }
    const auto [x, y] = end_of(plot_.series[k]);
    const double edge = kPlotWidth - right_ + 8;
    return fmt::format("<path class=\"leader\" d=\"M{} {}L{} {}H{}\"/>\n", svg::coordinate(x + 5), svg::coordinate(y),
                       svg::coordinate(edge), svg::coordinate(name_y_[k]), svg::coordinate(edge + 8)) +
           svg::text(edge + 11, name_y_[k] + 4, svg::Anchor::kStart,
                     svg::shortened(plot_.series[k].name, kLongestLineName), "name");
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
      if (!d.empty())
        out += fmt::format("<path class=\"band{}\" d=\"{}z\"/>\n",
                           plot_.series.size() > kFewBands && &s != &plot_.series[0] ? " faint" : "", d);
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
  double left_ = 0, right_ = kPlotRight, height_ = kPlotHeight;
  std::vector<double> name_y_;
  std::vector<bool> name_before_;  // of points: whether the name stands left of its point
};

}  // namespace

std::string svg_of(const Plot& plot) { return CurvePicture(plot).draw(); }

bool names_its_lines(const Plot& plot) {
  const auto lines = std::count_if(plot.series.begin(), plot.series.end(),
                                   [](const Series& s) { return s.mark != Series::Mark::points; });
  return static_cast<std::size_t>(lines) > kFewLines || names_its_points(plot);
}

std::string legend_of(const Plot& plot) {
  std::string out = "<ul class=\"legend switch\">\n";
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const Series& s = plot.series[k];
    out += fmt::format("<li><svg viewBox=\"0 0 34 12\" class=\"{}\" aria-hidden=\"true\">", svg::colour_class(k));
    if (s.mark == Series::Mark::area) out += "<path class=\"band\" d=\"M1 1H33V11H1z\"/>";
    if (s.mark == Series::Mark::line || s.mark == Series::Mark::rule)
      out += fmt::format("<path class=\"line\"{} d=\"M1 6H33\"/>", svg::dash_of(k));
    if (s.mark == Series::Mark::line || s.mark == Series::Mark::points) out += svg::marker(k, 17, 6, "");
    out += fmt::format("</svg>{}</li>\n", escape_html(s.name));
  }
  return out + "</ul>\n";
}

}  // namespace dorm::report
