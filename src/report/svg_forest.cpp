// SPDX-License-Identifier: Apache-2.0
// Forest plots: one picture per panel, each with its names, so that they stand beside or below each other as
// the screen allows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/svg.h"
#include "report/text.h"
#include "report/ticks.h"

namespace dorm::report {
namespace {

constexpr double kForestWidth = 400, kForestTop = 26, kForestBottom = 28, kForestRight = 22, kRowHeight = 19;
constexpr double kLongestRowName = 215;
constexpr double kSmall = 0.82;  // letters are the same on small screens, where panels are not made smaller

using Told = Forest::Told;

/// What a point looks like, and what it says.
struct Look {
  Told told;
  std::string_view style_class, shape, words;
};
constexpr std::array<Look, 5> kLooks = {{
    {Told::reference, "told-reference", "M0 -5.5L5.5 0L0 5.5L-5.5 0z", "reference"},
    {Told::better, "told-better", "M0 -5L5 4H-5z", "better than the reference"},
    {Told::worse, "told-worse", "M0 5L5 -4H-5z", "worse than the reference"},
    {Told::same, "told-same", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "not significantly different from it"},
    {Told::nothing, "told-nothing", "M-3.5 -3.5h7v7h-7z", "not tested"},
}};

const Look& look_of(Told told) {
  return *std::find_if(kLooks.begin(), kLooks.end(), [told](const Look& look) { return look.told == told; });
}

std::vector<double> panel_values(const Forest::Panel& panel) {
  std::vector<double> values;
  for (const Forest::Point& point : panel.points) values.insert(values.end(), {point.value, point.low, point.high});
  return values;
}

std::string point_words(const std::string& name, const Forest::Point& point) {
  const std::string interval = interval_text(Cell(point.value, point.low, point.high), kSixDigits);
  std::string words = fmt::format("{}: {}", name, number_text(point.value, kSixDigits));
  if (!interval.empty()) words += " " + interval;
  if (!point.note.empty()) words += ", " + point.note;
  if (point.told != Told::nothing) words += fmt::format(", {}", look_of(point.told).words);
  return words;
}

class ForestPicture {
 public:
  ForestPicture(const Forest& forest, const Forest::Panel& panel)
      : forest_(forest), panel_(panel), scale_(panel.value, panel_values(panel), true, 0, 1) {
    double names = 0;
    for (const std::string& name : forest.rows)
      names = std::max(names, kSmall * svg::text_width(svg::shortened(name, kLongestRowName)));
    left_ = names + 14;
    bottom_ = kForestTop + kRowHeight * static_cast<double>(forest.rows.size());
    scale_.lay_over(left_, kForestWidth - kForestRight);
  }

  std::string draw() const {
    std::string out = svg::opening(kForestWidth, bottom_ + kForestBottom,
                                   fmt::format("{}: {} with intervals", forest_.title, panel_.value.label));
    out += svg::text(left_, 14, svg::Anchor::kStart, panel_.value.label, "label");
    out += axis();
    for (std::size_t i = 0; i < std::min(forest_.rows.size(), panel_.points.size()); ++i) out += row(i);
    return out + "</svg>\n";
  }

 private:
  std::string axis() const {
    std::string out;
    double free_from = 0;  // labels that would touch the one before are left out
    for (const Tick& tick : scale_.ticks()) {
      const double x = scale_.place(tick.value), half = svg::text_width(tick.label) / 2;
      out += svg::line(x, kForestTop - 4, x, bottom_, "grid");
      if (x - half < free_from || x + half > kForestWidth) continue;
      out += svg::text(x, bottom_ + 18, svg::Anchor::kMiddle, tick.label);
      free_from = x + half + 6;
    }
    for (const Forest::Point& point : panel_.points)
      if (point.told == Told::reference && scale_.shows(point.value))
        out += svg::line(scale_.place(point.value), kForestTop - 4, scale_.place(point.value), bottom_, "reference");
    return out + svg::line(left_, bottom_, kForestWidth - kForestRight, bottom_, "axis");
  }

  std::string row(std::size_t i) const {
    const Forest::Point& point = panel_.points[i];
    const double y = kForestTop + kRowHeight * (static_cast<double>(i) + 0.5);
    const Look& look = look_of(point.told);
    std::string out =
        fmt::format("<g class=\"{}\" data-name=\"{}\">\n", look.style_class, escape_html(forest_.rows[i]));
    out += svg::text(left_ - 8, y + 4, svg::Anchor::kEnd, svg::shortened(forest_.rows[i], kLongestRowName));
    if (!scale_.shows(point.value)) return out + "</g>\n";
    if (scale_.shows(point.low) && scale_.shows(point.high))
      out += svg::line(scale_.place(point.low), y, scale_.place(point.high), y, "span");
    out += fmt::format("<path class=\"told\" transform=\"translate({} {})\" d=\"{}\"><title>{}</title></path>\n",
                       svg::coordinate(scale_.place(point.value)), svg::coordinate(y), look.shape,
                       escape_html(point_words(forest_.rows[i], point)));
    return out + "</g>\n";
  }

  const Forest& forest_;
  const Forest::Panel& panel_;
  Scale scale_;
  double left_ = 0, bottom_ = 0;
};

bool occurs(const Forest& forest, Told told) {
  return std::any_of(forest.panels.begin(), forest.panels.end(), [told](const Forest::Panel& panel) {
    return std::any_of(panel.points.begin(), panel.points.end(),
                       [told](const Forest::Point& point) { return point.told == told && std::isfinite(point.value); });
  });
}

}  // namespace

std::string svg_of(const Forest& forest) {
  std::string out = "<div class=\"panels\">\n";
  for (const Forest::Panel& panel : forest.panels) out += ForestPicture(forest, panel).draw();
  return out + "</div>\n";
}

std::string legend_of(const Forest& forest) {
  std::string out;
  for (const Look& look : kLooks)
    if (occurs(forest, look.told))
      out += fmt::format(
          "<li><svg viewBox=\"0 0 34 12\" class=\"{}\" aria-hidden=\"true\"><path class=\"told\" "
          "transform=\"translate(17 6)\" d=\"{}\"/></svg>{}</li>\n",
          look.style_class, look.shape, look.words);
  return out.empty() ? out : fmt::format("<ul class=\"legend\">\n{}</ul>\n", out);
}

}  // namespace dorm::report
