// SPDX-License-Identifier: Apache-2.0
// Tables and heat maps as HTML.
#pragma once

#include <string>

#include "dorm/apps/report.h"

namespace dorm::report {

/// Inside a box that scrolls by itself, so that a wide table never widens the page. Figures of a column stand with
/// their points below each other, whatever follows them.
std::string table_html(const Table& table);
std::string heatmap_html(const Heatmap& heatmap);

/// About how wide the table is on the page, in pixels.
double table_width(const Table& table);

}  // namespace dorm::report
