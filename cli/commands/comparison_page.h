// SPDX-License-Identifier: Apache-2.0
// A comparison as a page for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "dorm/lab/comparison.h"

namespace dorm::cli {

std::string comparison_page(const ComparisonResult& result);
nlohmann::ordered_json comparison_json(const ComparisonResult& result);

}  // namespace dorm::cli
