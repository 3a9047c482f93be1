// SPDX-License-Identifier: Apache-2.0
// How data was read, as a dict of Python: the keys are those of the arguments of dorm.read_csv.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "dorm/data/input.h"

namespace dorm::python {

nanobind::dict to_dict(const InputDescription& input);
/// Keys that are missing keep their defaults.
InputDescription input_from(const nanobind::dict& fields);

/// Text of a file, of which nobody knows the encoding: bytes that are not UTF-8 are escaped.
nanobind::object text_from(std::string_view bytes);

}  // namespace dorm::python
