// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dorm/apps/report.h"

namespace dorm::report {

/// A place for the page's script, and what it shows there as JSON (web/src/report/island.ts).
std::string queries_html(const Queries& queries);

}  // namespace dorm::report
