// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/json_cell.h"

#include "base/number.h"

namespace dorm {

std::string name_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? json_text(value) : std::string();
}

std::string cell_text(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

Cell parse_value(const Json& value, double& number) {
  if (value.is_null()) return Cell::missing;
  if (value.is_boolean()) {
    number = value.get<bool>() ? 1 : 0;
    return Cell::number;
  }
  if (value.is_string()) return parse_cell(value.get<std::string>(), number);
  if (!value.is_number()) return Cell::text;
  number = value.get<double>();
  return fits_float(number) ? Cell::number : Cell::too_large;
}

}  // namespace dorm
