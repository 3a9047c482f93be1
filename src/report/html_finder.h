// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dorm/report.h"

namespace dorm::report {

/// A search box and an order to choose, an empty place for the table, and the data.
std::string finder_html(const Finder& finder);

}  // namespace dorm::report
