// SPDX-License-Identifier: Apache-2.0
// Models as JSON values, for those who add to them or have parsed them already.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/model.h"

namespace dorm {

Json json_of(const Model& model);
Json json_of(const PositionModel& model);
Json json_of(const TestedFigure& tested);

/// Throw Error naming `name` and what is not as expected.
Json parse_model(std::string_view text, const std::string& name);
Model model_from(const Json& json, const std::string& name);
PositionModel position_model_from(Json json, const std::string& name);

/// Whether it claims to be a PositionModel.
bool is_position_model(const Json& json);

}  // namespace dorm
