// SPDX-License-Identifier: Apache-2.0
// The look of the page and its script, embedded by the build: page.css, and what web/ makes of the parts that reports
// share with `dorm explore` (web/dist/report.css, report.js). The page is complete without the script.
#pragma once

#include <string>
#include <string_view>

namespace dorm::report {

/// Number of shades of a heat map: classes h0 ... of the style sheet.
inline constexpr int kShades = 9;

std::string_view style_sheet();

/// Of the parts that the script makes.
std::string_view parts_style_sheet();

/// web/src/report.tsx. Between marks of XML, so that the page is well-formed.
std::string_view script();

/// Lets the page run this script and nothing else, and fetch nothing: the value of its Content-Security-Policy.
std::string content_policy();

}  // namespace dorm::report
