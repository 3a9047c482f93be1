// SPDX-License-Identifier: Apache-2.0
// How data was read, as the field "input" of a model and a section of the binary form.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/data/input.h"

namespace dorm {

/// Fitted encodings as a list, and from it; `fields` has it as "encodings".
Json encodings_json(const std::vector<ColumnEncoding>& encodings);
std::vector<ColumnEncoding> encodings_from_json(const JsonFields& fields);

/// Only what differs from the defaults, which may be nothing: then an empty object. Means stand in the order
/// of the features.
Json input_json(const InputDescription& input, const std::vector<std::string>& features);
/// Throws Error(bad_input) naming the field.
InputDescription input_from_json(const JsonFields& fields, const std::vector<std::string>& features);

}  // namespace dorm
