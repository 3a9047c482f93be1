// SPDX-License-Identifier: Apache-2.0
// Values of JSON in the place of cells of a table.
#pragma once

#include <string>

#include "base/json.h"
#include "data/io/tables/table_cell.h"

namespace dorm {

/// Text of a name: a string, or a number as it is written; empty for anything else.
std::string name_text(const Json& value);

/// The cell that a table would have: of a string its text, of a number its digits, true and false; null is empty.
/// Anything else is an object or a list as it is written.
std::string cell_text(const Json& value);

/// null is missing, true and false are 1 and 0, and text is what a cell would be.
Cell parse_value(const Json& value, double& number);

}  // namespace dorm
