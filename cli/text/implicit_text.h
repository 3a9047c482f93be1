// SPDX-License-Identifier: Apache-2.0
// How a recommender from events is shown.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/recommend/implicit.h"

namespace dorm::cli {

std::string implicit_text(const ImplicitModel& model, const std::string& path);
Json implicit_json(const ImplicitModel& model, const std::string& path);

}  // namespace dorm::cli
