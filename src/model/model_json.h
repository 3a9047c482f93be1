// SPDX-License-Identifier: Apache-2.0
// A model from JSON that is parsed already.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/model.h"

namespace dorm {

inline constexpr const char* kExpectedModel = "a model written by dorm train";

/// Throws Error naming `name` and the field that is not as expected.
Model model_from(const Json& json, const std::string& name);

}  // namespace dorm
