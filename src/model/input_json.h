// SPDX-License-Identifier: Apache-2.0
// How the training data was read, as the field "input" of a model.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/input.h"

namespace dorm {

/// Only what differs from the defaults, which may be nothing: then an empty object. Means stand in the order of the
/// model's features.
Json input_json(const InputDescription& input, const std::vector<std::string>& features);
/// Throws Error(bad_input) naming the field.
InputDescription input_from_json(const JsonFields& fields, const std::vector<std::string>& features);

}  // namespace dorm
