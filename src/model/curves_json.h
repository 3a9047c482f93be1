// SPDX-License-Identifier: Apache-2.0
// Curves as the file of a model has them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/learning/curves.h"

namespace dorm {

Json curves_json(const Curves& curves, const std::vector<std::string>& features);
Curves curves_from(const JsonFields& fields, const std::vector<std::string>& features);

}  // namespace dorm
