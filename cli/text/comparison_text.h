// SPDX-License-Identifier: Apache-2.0
// A comparison as text for the terminal and as JSON for programs.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/lab/comparison.h"

namespace dorm::cli {

std::string comparison_text(const ComparisonResult& result);
Json comparison_json(const ComparisonResult& result);

}  // namespace dorm::cli
