// SPDX-License-Identifier: Apache-2.0
// The signs of a model's weights, as its file has them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "dorm/model.h"

namespace dorm {

Json signs_json(const Model& model);
/// By feature of the model.
std::vector<std::int8_t> signs_from(const JsonFields& fields, const Model& model);

}  // namespace dorm
