// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them: 20%, 1,234.5, 1.234,5, yes.
#pragma once

#include <string_view>

#include "dorm/data/encoding.h"

namespace dorm {

/// The number that a cell is under one of percent, thousands, decimal_comma and boolean; false: it is none, or beyond
/// float32. percent: a number with or without a percent sign, which is left out: 20% is 20. thousands: commas,
/// apostrophes, blanks and underscores stand between groups of three digits. decimal_comma: 0,5, and 1.234,5 with
/// points, apostrophes or blanks between groups of three; a percent sign may follow. boolean: true, yes, t, y, on, 1
/// and their opposites, in any case.
bool parse_formatted(Encode rule, std::string_view text, double& value);

}  // namespace dorm
