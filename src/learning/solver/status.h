// SPDX-License-Identifier: Apache-2.0
// How a solver ended, by name.
#pragma once

#include <string_view>

#include "dorm/solver.h"

namespace dorm {

/// converged, pass_limit, time_limit, interrupted, numerical_trouble
std::string_view name_of(SolveStatus status);
SolveStatus parse_status(std::string_view name);  // throws Error(unknown_name)

}  // namespace dorm
