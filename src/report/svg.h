// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG inside a page. Colours are CSS variables of the page, so that they follow its theme. Colour is never
// needed to tell series apart: lines also differ by dash and marker, bars stand in the order of the legend.
#pragma once

#include <string>
#include <string_view>

#include "dorm/apps/report.h"

namespace dorm::report {

/// Colours the style sheet defines (--c0 ...); series past them start again with other dashes and markers.
inline constexpr std::size_t kColours = 8;

std::string svg_of(const Plot& plot);
std::string svg_of(const Bars& bars);
std::string svg_of(const Forest& forest);  // a picture per panel, in one box

/// A list of the series with a sample of each line.
std::string legend_of(const Plot& plot);
std::string legend_of(const Bars& bars);
std::string legend_of(const Forest& forest);

/// Whether the lines carry their names, so that a legend is only needed to mute them.
bool names_its_lines(const Plot& plot);

/// The parts that pictures share.
namespace svg {

struct Anchor {
  static constexpr std::string_view kStart = "start", kMiddle = "middle", kEnd = "end";
};

std::string text(double x, double y, std::string_view anchor, std::string_view words,
                 std::string_view style_class = {});
std::string line(double x1, double y1, double x2, double y2, std::string_view style_class);
std::string opening(double width, double height, std::string_view description, std::string_view attributes = {});
std::string colour_class(std::size_t series);  // "s3"
std::string dash_of(std::size_t series);       // an attribute, or nothing for a solid line
std::string marker(std::size_t series, double x, double y, std::string_view tooltip);
std::string coordinate(double value);  // at most two decimals

/// Room for text, in units of the picture: an upper estimate for the larger letters of small screens.
double text_width(std::string_view words);
/// As many letters as fit, the last one an ellipsis if some had to go.
std::string shortened(std::string_view words, double width);

}  // namespace svg
}  // namespace dorm::report
