// SPDX-License-Identifier: Apache-2.0
// Horizontal bars: names may be long, and a narrow screen still has room for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg.h"
#include "report/text.h"
#include "report/ticks.h"

namespace dorm::report {
namespace {

constexpr double kBarsWidth = 480, kBarsTop = 6, kBarsBottom = 48, kBarsRight = 18;
constexpr double kThickness = 13, kBetween = 9;  // of a bar; between categories
constexpr double kLongestName = 255;
std::vector<double> bar_values(const Bars& bars) {
  std::vector<double> values = {0};  // bars grow from zero
  for (const Bars::Group& group : bars.groups)
    for (const auto* part : {&group.values, &group.low, &group.high})
      values.insert(values.end(), part->begin(), part->end());
  return values;
}

class BarPicture {
 public:
  explicit BarPicture(const Bars& bars) : bars_(bars), scale_(linear(bars.value), bar_values(bars), true, 0, 1) {
    double names = 0;
    for (const std::string& name : bars.categories)
      names = std::max(names, svg::text_width(svg::shortened(name, kLongestName)));
    left_ = names + 10;
    step_ = kThickness * static_cast<double>(std::max<std::size_t>(1, bars.groups.size())) + kBetween;
    bottom_ = kBarsTop + step_ * static_cast<double>(bars.categories.size());
    scale_.lay_over(left_, kBarsWidth - kBarsRight);
  }

  std::string draw() const {
    std::string out =
        svg::opening(kBarsWidth, bottom_ + kBarsBottom, fmt::format("{}: bars of {}", bars_.title, bars_.value.label));
    double free_from = 0;  // labels that would touch the one before are left out
    for (const Tick& tick : scale_.ticks()) {
      const double x = scale_.place(tick.value), half = svg::text_width(tick.label) / 2;
      out += svg::line(x, kBarsTop, x, bottom_, "grid");
      if (x - half < free_from || x + half > kBarsWidth) continue;
      out += svg::text(x, bottom_ + 18, svg::Anchor::kMiddle, tick.label);
      free_from = x + half + 6;
    }
    for (std::size_t i = 0; i < bars_.categories.size(); ++i) {
      const double y = kBarsTop + step_ * static_cast<double>(i);
      out +=
          svg::text(left_ - 6, y + step_ / 2 + 4, svg::Anchor::kEnd, svg::shortened(bars_.categories[i], kLongestName));
      for (std::size_t k = 0; k < bars_.groups.size(); ++k)
        out += bar(k, i, y + kBetween / 2 + kThickness * static_cast<double>(k));
    }
    out += svg::line(scale_.place(0), kBarsTop, scale_.place(0), bottom_, "axis");
    out += svg::text((left_ + kBarsWidth) / 2, bottom_ + kBarsBottom - 6, svg::Anchor::kMiddle, bars_.value.label,
                     "label");
    return out + "</svg>\n";
  }

 private:
  static Axis linear(Axis axis) {
    axis.log = false;  // bars have no zero to grow from on a log axis
    return axis;
  }

  std::string bar(std::size_t k, std::size_t i, double y) const {
    const Bars::Group& group = bars_.groups[k];
    const double value = at(group.values, i), low = at(group.low, i), high = at(group.high, i);
    if (!std::isfinite(value)) return "";
    const double zero = scale_.place(0), end = scale_.place(value);
    const std::string interval = interval_text(Cell(value, low, high), kSixDigits);
    const std::string tooltip = fmt::format("{}{}{}: {} {}", bars_.categories[i], group.name.empty() ? "" : ", ",
                                            group.name, number_text(value, kSixDigits), interval);
    std::string out = fmt::format(
        "<g class=\"{}\"><rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">"
        "<title>{}</title></rect>",
        svg::colour_class(k), svg::coordinate(std::min(zero, end)), svg::coordinate(y + 1),
        svg::coordinate(std::fabs(end - zero)), svg::coordinate(kThickness - 2), escape_html(tooltip));
    if (std::isfinite(low) && std::isfinite(high))
      out += svg::line(scale_.place(low), y + kThickness / 2, scale_.place(high), y + kThickness / 2, "whisker");
    return out + "</g>\n";
  }

  const Bars& bars_;
  Scale scale_;
  double left_ = 0, step_ = 0, bottom_ = 0;
};

}  // namespace

std::string svg_of(const Bars& bars) { return BarPicture(bars).draw(); }

std::string legend_of(const Bars& bars) {
  if (bars.groups.size() == 1 && bars.groups[0].name.empty()) return "";
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t k = 0; k < bars.groups.size(); ++k)
    out += fmt::format(
        "<li><svg viewBox=\"0 0 34 12\" class=\"{}\" aria-hidden=\"true\"><path class=\"bar\" d=\"M1 "
        "1h32v10H1z\"/>"
        "</svg>{}</li>\n",
        svg::colour_class(k), escape_html(bars.groups[k].name));
  return out + "</ul>\n";
}

}  // namespace dorm::report
