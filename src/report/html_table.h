// SPDX-License-Identifier: Apache-2.0
// Tables and heat maps as HTML.
#pragma once

#include <string>

#include "dorm/report.h"

namespace dorm::report {

/// Inside a box that scrolls by itself, so that a wide table never widens the page.
std::string table_html(const Table& table);
std::string heatmap_html(const Heatmap& heatmap);

}  // namespace dorm::report
