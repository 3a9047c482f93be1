// SPDX-License-Identifier: Apache-2.0
// The look of the page, and its little script: page.css and page.js, embedded by the build. The page is complete
// without the script.
#pragma once

#include <string>
#include <string_view>

namespace dorm::report {

/// Number of shades of a heat map: classes h0 ... of the style sheet.
inline constexpr int kShades = 9;

std::string_view style_sheet();

/// Sorting of tables, the switch between light and dark, folded parts opened for printing. Without < and &, so that the
/// page stays well-formed XML.
std::string_view script();

/// Lets the page run this script and nothing else, and fetch nothing: the value of its Content-Security-Policy.
std::string content_policy();

}  // namespace dorm::report
