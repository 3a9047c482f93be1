// SPDX-License-Identifier: Apache-2.0
// What dorm info prints of a recommender.
#pragma once

#include <string>

#include "command.h"

namespace dorm::cli {

std::string recommender_text(const std::string& file, const Settings& settings);

}  // namespace dorm::cli
