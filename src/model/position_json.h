// SPDX-License-Identifier: Apache-2.0
// Telling the JSON of a PositionModel from that of a Model.
#pragma once

#include <string_view>

namespace dorm {

bool is_position_json(std::string_view text);

}  // namespace dorm
