// SPDX-License-Identifier: Apache-2.0
// From the spelling of a measure to its parts.
#pragma once

#include "dorm/measure.h"

namespace dorm {

/// `name[@cutoff][:key=value,...]` in lower case; the name is not looked up. Throws Error(bad_option).
MeasureSpec parse_spelling(std::string_view spelling);

}  // namespace dorm
