// SPDX-License-Identifier: Apache-2.0
// What stands in a cell of a table as people have it.
#pragma once

#include <string_view>

namespace dorm {

enum class Cell {
  number,     // finite, within the range of float32; also true, false, yes and no, in any case, as 1 and 0
  missing,    // empty, NA, N/A, #N/A, <NA>, null, None, \N, nan, inf
  too_large,  // a number beyond that range
  date,       // 2024-01-31, 31.1.2024, 1/31/24, with or without a time
  commas,     // 1,234 or 0,5: thousands or a decimal comma, nobody knows
  text,
};

/// Blanks around it do not count. `value` is that of a number.
Cell parse_cell(std::string_view text, double& value);

std::string_view without_blanks(std::string_view text);  // at both ends

}  // namespace dorm
